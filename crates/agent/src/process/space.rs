//! Grants disk space to the process's chunks of a cycle, up to the run's limit. In a ring, the oldest full
//! files make room. Knows neither what is in a file nor who writes it.
//!
//! All files of a ring are in one list, in the order of their last events: ranges of all threads, device
//! records, and what frameworks' profilers wrote. Before a file is removed, the live page says since when
//! nothing is missing, so a reader that finds files missing, or a process that is killed meanwhile, never
//! looks whole where it is not.

use std::io;

use proftui_wire::live::Word;
use proftui_wire::log::{Event, NoteKind};

use super::budget::{Budget, FullFile, Reservation};
use super::state::{Process, with};
use crate::clock;
use crate::live::{self, across};
use crate::page::Page;

/// The size of a ring divided by this number usually limits the length of a new chunk.
const FILES: u64 = 64;
/// A ring of steps also keeps files from this long before the first of the steps to keep, ns, while there is
/// space for them, so that proftui can still write the trace of a slow step.
const GRACE: u64 = 3_000_000_000;

/// Grants a new chunk of the cycle `least` to `wanted` bytes of disk space, for which a ring removes its
/// oldest files. `None` if that is not possible.
pub(crate) fn reserve(cycle: u64, wanted: usize, least: usize) -> Option<Reservation> {
    with(|process| process.reserve(cycle, wanted as u64, least as u64)).flatten()
}

/// Takes back a reservation whose file could not be made because of `error`. True if a ring has made room for
/// another attempt; else the cycle usually gets no further chunk.
pub(crate) fn fail_reservation(cycle: u64, granted: &Reservation, error: &io::Error) -> bool {
    with(|process| process.fail_reservation(cycle, granted, error)).unwrap_or_default()
}

/// Adds a complete file to the ring, which may remove it later. Does nothing if the process's files are no
/// ring.
pub(crate) fn add_full(file: impl FnOnce() -> FullFile) {
    if live::is_ring() {
        with(|process| process.budget.push(file()));
    }
}

/// Cuts a file that is no longer written or mapped from `length` to `used` bytes, and usually gives back the
/// rest to the cycle's budget. Returns the file's new length.
pub(crate) fn cut(cycle: u64, name: &str, length: u64, used: u64) -> u64 {
    if used >= length {
        return length;
    }
    with(|process| process.cut(cycle, name, length, used)).flatten().unwrap_or(length)
}

/// Adds a complete file of `bytes` bytes, with so many events (0: unknown), to the ring, which may remove
/// older ones for it. False if there is no ring.
pub(crate) fn add_file(name: &str, bytes: u64, events: u64) -> bool {
    with(|process| process.add_file(name, bytes, events)).unwrap_or_default()
}

impl Process {
    /// Grants a new chunk disk space, as [`reserve`] does, with the process's state locked.
    fn reserve(&mut self, cycle: u64, wanted: u64, least: u64) -> Option<Reservation> {
        let page = self.folder()?.page;
        self.begin_budget(cycle, page);
        if self.budget.is_full {
            return None;
        }
        let most = self.most();
        let wanted = if self.is_ring() { wanted.min(self.share(most)).max(least) } else { wanted };
        // A ring that follows another process has no use for what that one has removed.
        self.make_room(wanted, live::followed().get(Word::Since));
        // Whole pages of 4 KiB.
        let bytes = wanted.min(most.saturating_sub(self.budget.taken)) & !0xfff;
        if bytes < least {
            let size = size(most);
            let why = if self.is_ring() {
                format!("the threads that record need more than a ring of {size}; give more by --keep-last")
            } else {
                format!("{size} (--max-mb) are full; raise that, or record fewer steps (--steps, --record)")
            };
            self.fill(cycle, &why);
            return None;
        }
        self.budget.taken += bytes;
        page.set(Word::Taken, self.budget.taken);
        let folder = self.folder()?.own.clone();
        Some(Reservation { folder, pid: self.pid, bytes: bytes as usize })
    }

    /// The most bytes that a new chunk is usually to take of a ring of `most` bytes.
    fn share(&self, most: u64) -> u64 {
        let being_filled = self.budget.taken.saturating_sub(self.budget.full_bytes);
        (most / FILES).min(most.saturating_sub(being_filled) / 4)
    }

    /// Begins the budget of a cycle, with nothing taken, unless it has begun. `page` is the process's live
    /// page.
    fn begin_budget(&mut self, cycle: u64, page: &Page) {
        if self.budget.cycle != cycle {
            self.log_lost();
            self.budget = Budget { cycle, lost: self.budget.lost, ..Budget::default() };
            page.set(Word::Full, 0);
        }
    }

    /// Cuts a file, as [`cut`] does, with the process's state locked; `None` if the file cannot be cut.
    fn cut(&mut self, cycle: u64, name: &str, length: u64, used: u64) -> Option<u64> {
        let folder = self.folder.as_ref()?;
        folder.own.open_to_change(name).and_then(|file| file.set_len(used)).ok()?;
        if self.budget.cycle == cycle {
            self.budget.taken = self.budget.taken.saturating_sub(length - used);
            folder.page.set(Word::Taken, self.budget.taken);
        }
        Some(used)
    }

    /// Adds a file to the ring, as [`add_file`] does, with the process's state locked.
    fn add_file(&mut self, name: &str, bytes: u64, events: u64) -> bool {
        let Some(page) = self.folder().map(|folder| folder.page).filter(|_| self.is_ring()) else {
            return false;
        };
        // The cycle is paused while a profiler writes at its end.
        if live::cycle() != 0 {
            self.begin_budget(live::cycle(), page);
        }
        // A file that alone fills the ring leaves half of it to the others, and is not removed at once: else
        // nothing would be left of a run that is shorter than one such file.
        let counted = bytes.min(self.most() / 2);
        self.budget.taken += counted;
        self.budget.push(FullFile::new(name.to_owned(), counted, events));
        self.make_room(0, 0);
        true
    }

    /// The most bytes that the cycle's files may take.
    fn most(&self) -> u64 {
        self.budget.most.unwrap_or(self.options.max_bytes)
    }

    /// Takes back disk space, as [`fail_reservation`] does, with the process's state locked.
    fn fail_reservation(&mut self, cycle: u64, granted: &Reservation, error: &io::Error) -> bool {
        if self.budget.cycle != cycle {
            return false;
        }
        let (bytes, why) = (granted.bytes as u64, granted.folder.explain(error));
        self.budget.taken = self.budget.taken.saturating_sub(bytes);
        let is_disk_full = matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT));
        if is_disk_full && !self.budget.full.is_empty() {
            if self.budget.most.is_none() {
                let sizes = (size(self.budget.taken), size(self.options.max_bytes));
                let text = format!("the last {} are kept instead of {}: {why}", sizes.0, sizes.1);
                self.note(NoteKind::Warning, &text);
            }
            self.budget.most = Some(self.budget.taken);
            self.make_room(bytes, 0);
            return true;
        }
        self.fill(cycle, &why);
        false
    }

    /// Removes the ring's oldest files: those in which nothing ended after `past`, ns, and more until
    /// `wanted` bytes are free or none is left.
    fn make_room(&mut self, wanted: u64, past: u64) {
        let most = self.most();
        while let Some(oldest) = self.budget.full.front() {
            if oldest.until > past && self.budget.taken + wanted <= most {
                break;
            }
            let Some(file) = self.budget.full.pop_front() else { break };
            self.budget.taken = self.budget.taken.saturating_sub(file.bytes);
            self.budget.full_bytes = self.budget.full_bytes.saturating_sub(file.bytes);
            let Some(folder) = &self.folder else { break };
            folder.page.set(Word::Since, folder.page.get(Word::Since).max(file.until));
            folder.page.add(Word::Gone, file.ranges);
            // A file that stays is left out by its times.
            let _ = folder.own.remove(&file.name);
        }
    }

    /// In a ring of steps, notes that a step begins at `began`, ns, and removes files that lie well before
    /// the steps to keep.
    pub(crate) fn forget_steps(&mut self, began: u64) {
        let steps = self.options.ring_steps;
        if steps == 0 || !self.is_ring() {
            return;
        }
        self.budget.begins.push_back(began);
        // The step that begins now does not count yet.
        while self.budget.begins.len() as u64 > steps + 1 {
            self.budget.begins.pop_front();
        }
        let first = self.budget.begins.front().copied().filter(|_| self.budget.begins.len() as u64 > steps);
        if let Some(first) = first
            && let Some(folder) = &self.folder
        {
            folder.page.set(Word::Kept, first);
            self.make_room(0, first.saturating_sub(GRACE));
        }
    }

    /// When the first of the steps began that a ring of steps keeps, counting the current one, ns; 0 if there
    /// are fewer steps or no such ring.
    pub(crate) fn first_kept_with_current(&self) -> u64 {
        let at = self.budget.begins.len().checked_sub(self.options.ring_steps as usize);
        at.and_then(|at| self.budget.begins.get(at)).copied().unwrap_or_default()
    }

    /// Forgets when steps began, so that a ring of steps does not count them among the last ones.
    pub(crate) fn forget_all_steps(&mut self) {
        self.budget.begins.clear();
    }

    /// Logs how many ranges were lost since the last call, as far as no chunk counts them.
    pub(crate) fn log_lost(&mut self) {
        let Some(folder) = &mut self.folder else { return };
        across::unfinished(live::cycle(), |cycle| {
            folder.log(Event::Lost { cycle, ranges: 1 });
            folder.page.add(Word::Lost, 1);
            live::count_ended(cycle);
            self.budget.lost += 1;
        });
        let Budget { cycle, lost, .. } = self.budget;
        let all = folder.page.get(Word::Lost);
        if all > lost {
            folder.log(Event::Lost { cycle, ranges: all - lost });
            self.budget.lost = all;
        }
    }

    /// Marks the cycle as full, so that it gets no further chunk, and logs that once; `why` states the cause.
    fn fill(&mut self, cycle: u64, why: &str) {
        let step = self.current_step();
        let Some(page) = self.folder().map(|folder| folder.page) else { return };
        page.set(Word::Taken, self.budget.taken);
        page.set(Word::Full, step + 1);
        if !std::mem::replace(&mut self.budget.is_full, true) {
            let why = self.names.once(why);
            self.log_at(clock::now(), Event::Full { cycle, step, why });
        }
    }

    /// The number of the current step of this process, or usually of its leader, if it has one.
    fn current_step(&self) -> u64 {
        if self.leader.is_none() || live::is_by_time() {
            self.steps.number()
        } else {
            let page = live::followed();
            page.get(Word::Step).max(page.get(Word::Followed))
        }
    }
}

/// A size as text, rounded down: in MiB from 1 MiB on, below that in KiB.
fn size(bytes: u64) -> String {
    if bytes < 1 << 20 { format!("{} KiB", bytes >> 10) } else { format!("{} MiB", bytes >> 20) }
}
