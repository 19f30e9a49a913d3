//! Asks the system how a process ended, by a descriptor of the process (a pidfd).
//!
//! Linux keeps that for whoever has the descriptor, also after the parent has asked, from 6.15 on.

#![allow(unsafe_code, reason = "makes a call of ioctl that no library has")]

use std::os::fd::BorrowedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

/// The bit `PIDFD_INFO_EXIT` of the field `mask`: in the call it asks for the exit status, in the answer it
/// states that the status is there.
const EXIT: u64 = 1 << 3;

/// `struct pidfd_info`, in the length of its first version.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
struct Info {
    mask: u64,
    cgroup: u64,
    ids: [u32; 11],
    status: i32,
}

/// The code of the ioctl `PIDFD_GET_INFO`, which fills an [`Info`] about the process of a pidfd.
const GET_INFO: Opcode = opcode::read_write::<Info>(0xff, 11);

/// What the system answers when it is asked how a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// How the process ended is not known yet; the call may be repeated.
    NotYet,
    /// The process ended in this way.
    Ended(ExitStatus),
    /// The system does not report how the process ended, as on Linux before 6.15.
    Unknown,
}

/// Asks the system how the process of a pidfd ended.
pub(crate) fn ask(process: BorrowedFd<'_>) -> Answer {
    let mut info = Info { mask: EXIT, ..Info::default() };
    // SAFETY: the call reads and writes a structure of this length.
    let answer = unsafe { ioctl(process, Updater::<GET_INFO, Info>::new(&mut info)) };
    match answer {
        Ok(()) if info.mask & EXIT != 0 => Answer::Ended(ExitStatus::from_raw(info.status)),
        Ok(()) | Err(Errno::INTR) => Answer::NotYet,
        Err(_) => Answer::Unknown,
    }
}

const _: () = assert!(size_of::<Info>() == 64);
