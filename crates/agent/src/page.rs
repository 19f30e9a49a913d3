//! The live page in memory: atomics in a mapped file that the process shares with its children and proftui.

#![allow(unsafe_code, reason = "maps a file and treats its words, which other processes change, as atomics")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use proftui_wire::live::{BYTES, WORDS, Word};
use proftui_wire::timer::{Sum, Timer};

use crate::files::{self, OwnFolder};

/// The numbers of a live page, as atomics; [`Word`] lists them.
#[repr(transparent)]
pub(crate) struct Page([AtomicU64; WORDS]);

impl Page {
    /// A page of zeros in the process's own memory, without a file.
    pub(crate) const fn none() -> Self {
        Self([const { AtomicU64::new(0) }; WORDS])
    }

    /// Makes the file of this process's live page, filled with zeros, and maps it. The mapping stays until
    /// the process ends.
    pub(crate) fn create(folder: &OwnFolder, name: &str) -> io::Result<&'static Self> {
        let file = folder.create(name)?;
        files::check_limit(BYTES as u64)?;
        // The zeros are written, which reserves disk space: without it, on a full disk, an access to the
        // mapping ends the process (SIGBUS).
        io::Write::write_all(&mut &file, &[0; BYTES])?;
        map(&file, libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Maps the live page of the run, read-only. Fails if the file is too short.
    pub(crate) fn of(folder: &OwnFolder, name: &str) -> io::Result<&'static Self> {
        map(&long_enough(folder.open(name)?)?, libc::PROT_READ)
    }

    /// Maps the live page of the process's leader, for reading and writing. Fails if the file is too short.
    pub(crate) fn shared(folder: &OwnFolder, name: &str) -> io::Result<&'static Self> {
        map(&long_enough(folder.open_to_change(name)?)?, libc::PROT_READ | libc::PROT_WRITE)
    }

    /// Atomically adds 1 to a number of the page, and returns the number's value before.
    pub(crate) fn count(&self, word: Word) -> u64 {
        // The numbers are little endian, also where the processor is not: then the addition is a loop.
        let changed = |now: u64| Some(u64::from_le(now).wrapping_add(1).to_le());
        let before = self.0[word as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, changed);
        before.map_or(0, u64::from_le)
    }

    /// Reads a number of the page.
    #[inline]
    pub(crate) fn get(&self, word: Word) -> u64 {
        u64::from_le(self.0[word as usize].load(Ordering::Relaxed))
    }

    /// Sets a number of the page, which must be writable.
    pub(crate) fn set(&self, word: Word, value: u64) {
        self.0[word as usize].store(value.to_le(), Ordering::Release);
    }

    /// Atomically adds `value` to a number of the page.
    pub(crate) fn add(&self, word: Word, value: u64) {
        self.change(word, |now| now.wrapping_add(value));
    }

    /// Atomically replaces a number `n` of the page by `change(n)`.
    pub(crate) fn change(&self, word: Word, change: impl Fn(u64) -> u64) {
        let changed = |now: u64| Some(change(u64::from_le(now)).to_le());
        // The closure never returns `None`, so the update cannot fail.
        let _ = self.0[word as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, changed);
    }

    /// Writes the timer's sums, over all steps and over those after the warm-up, to the page, which must be
    /// writable.
    pub(crate) fn set_timer(&self, timer: &Timer) {
        for (from, sum) in [(Word::AllSteps, &timer.all), (Word::LaterSteps, &timer.later)] {
            let slots = self.0[from as usize..].iter();
            let numbers: [u64; Sum::WORDS] = sum.words();
            slots.zip(numbers).for_each(|(slot, number)| slot.store(number.to_le(), Ordering::Relaxed));
        }
    }
}

/// An atomic pointer to a live page: a thread may change it while others read.
pub(crate) struct Slot(AtomicPtr<Page>);

impl Slot {
    /// Makes a slot that points at `page`.
    pub(crate) const fn new(page: &'static Page) -> Self {
        Self(AtomicPtr::new(ptr::from_ref(page).cast_mut()))
    }

    /// The page that the slot points at.
    #[inline]
    pub(crate) fn get(&self) -> &'static Page {
        // SAFETY: only ever set from such a reference; pages are changed by atomics alone.
        unsafe { &*self.0.load(Ordering::Acquire) }
    }

    /// Makes the slot point at `page`.
    pub(crate) fn set(&self, page: &'static Page) {
        self.0.store(ptr::from_ref(page).cast_mut(), Ordering::Release);
    }
}

/// Returns the file; fails if it is shorter than a live page.
fn long_enough(file: File) -> io::Result<File> {
    if file.metadata()?.len() < BYTES as u64 { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(file) }
}

fn map(file: &File, protection: libc::c_int) -> io::Result<&'static Page> {
    // SAFETY: a new mapping, at an address that the system chooses, of a file that has this length.
    let base =
        unsafe { libc::mmap(ptr::null_mut(), BYTES, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is BYTES long, aligned to a page, never unmapped, and changed through atomics alone.
    Ok(unsafe { &*base.cast::<Page>() })
}
