//! How the processes of a run ended, as the system says: by their descriptors, which they send to a socket in
//! the run folder.
//!
//! A process has no descriptor here if its system is too old for them, or if it could not send one. Must not
//! know what processes record.

use std::collections::HashMap;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::process::ExitStatus;

use proftui_wire::process_key::{ENDS, ProcessKey};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketAddrUnix, SocketFlags,
    SocketType, accept_with, bind, listen, recvmsg, socket_with,
};

use crate::capture::process::status_of_zombie;
use crate::capture::system::pidfd::{self, Answer};

/// Backlog of the socket: how many connections may wait to be accepted.
const WAITING: i32 = 4096;
/// Longest text of a process key, bytes.
const KEY: usize = 64;

/// How the processes of a run ended, as far as that is known, and the processes whose ends the system is
/// still to report.
#[derive(Debug, Default)]
pub struct Ends {
    socket: Option<OwnedFd>,
    /// Connections whose message has not come yet.
    connected: Vec<OwnedFd>,
    awaited: HashMap<ProcessKey, OwnedFd>,
    known: HashMap<ProcessKey, ExitStatus>,
}

impl Ends {
    /// Makes a socket in the run folder with the path `inside`, to which processes send their descriptors. If
    /// that fails, fewer ends are known.
    pub fn listen(inside: &Path) -> Self {
        Self { socket: socket(inside).ok(), ..Self::default() }
    }

    /// Takes the descriptors that have come since the last look, and asks the system how the processes ended
    /// whose ends are awaited. Does not wait.
    pub fn look(&mut self) {
        self.connected.extend(std::iter::from_fn(|| next(self.socket.as_ref()?)));
        for stream in std::mem::take(&mut self.connected) {
            match received(&stream) {
                Ok(message) => self.awaited.extend(message),
                Err(Errno::AGAIN | Errno::INTR) => self.connected.push(stream),
                // Nothing comes any more.
                Err(_) => {}
            }
        }
        self.awaited.retain(|key, process| match pidfd::ask(process.as_fd()) {
            Answer::NotYet => true,
            Answer::Unknown => false,
            Answer::Ended(status) => {
                self.known.insert(*key, status);
                false
            }
        });
    }

    /// Records how a process ended, known from elsewhere, such as from waiting for a child.
    pub fn add(&mut self, key: ProcessKey, status: ExitStatus) {
        self.awaited.remove(&key);
        self.known.insert(key, status);
    }

    /// Forgets how a process ended, or that its end is awaited.
    pub fn forget(&mut self, key: &ProcessKey) {
        self.awaited.remove(key);
        self.known.remove(key);
    }

    /// How a process ended; `None` if it has not ended, or how is unknown.
    pub fn of(&self, key: &ProcessKey) -> Option<ExitStatus> {
        self.known.get(key).copied().or_else(|| status_of_zombie(key))
    }

    /// True while this has the process's descriptor, and the system may still report how the process ended.
    pub fn is_awaited(&self, key: &ProcessKey) -> bool {
        self.awaited.contains_key(key)
    }
}

/// Makes the non-blocking socket to which processes connect, in the run folder with the path `inside`.
fn socket(inside: &Path) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    bind(&socket, &SocketAddrUnix::new(inside.join(ENDS))?)?;
    listen(&socket, WAITING)?;
    Ok(socket)
}

/// Accepts the next connection without waiting; `None` if there is none, or accepting fails.
fn next(socket: &OwnedFd) -> Option<OwnedFd> {
    accept_with(socket, SocketFlags::CLOEXEC | SocketFlags::NONBLOCK).ok()
}

/// Receives the message on a connection: a process's key and its descriptor. `None` if the message is
/// malformed; the error `AGAIN` if it has not come yet.
fn received(stream: &OwnedFd) -> Result<Option<(ProcessKey, OwnedFd)>, Errno> {
    let mut text = [0; KEY];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(stream, &mut [IoSliceMut::new(&mut text)], &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let process = ancillary.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    let key = text.get(..got.bytes).and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
    Ok(key.zip(process))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn an_end_that_is_added_is_known() {
        let key = ProcessKey { pid: 7, start: 9, programs: 0 };
        let mut ends = Ends::default();
        assert_eq!((ends.of(&key), ends.is_awaited(&key)), (None, false));
        ends.add(key, ExitStatus::from_raw(9));
        assert_eq!(ends.of(&key).and_then(|status| status.signal()), Some(9));
    }

    #[test]
    fn what_is_no_message_of_a_process_is_ignored() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut ends = Ends::listen(folder.path());
        for text in [&b"7-9"[..], b"", b"\xff"] {
            let mut stream = UnixStream::connect(folder.path().join(ENDS)).expect("it listens");
            io::Write::write_all(&mut stream, text).expect("sent");
        }
        ends.look();
        assert!(ends.awaited.is_empty() && ends.known.is_empty());
    }
}
