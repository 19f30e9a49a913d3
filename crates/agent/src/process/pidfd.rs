//! Shows proftui this process, by a descriptor of it (a pidfd): by that, the system states how the process
//! ended, even after its parent has asked, and when its number belongs to another process by then.
//!
//! The descriptor is sent to a socket of the run. It waits there until proftui looks, also if the process has
//! ended meanwhile.

#![allow(
    unsafe_code,
    reason = "calls pidfd_open and sends a descriptor, for which the standard library has no functions"
)]

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;

use proftui_wire::process_key::{ENDS, ProcessKey};

use crate::files::OwnFolder;

/// A control message with one descriptor, in the layout of the system.
#[repr(C)]
struct Control {
    header: libc::cmsghdr,
    descriptor: libc::c_int,
}

/// Sends a descriptor of this process (a pidfd) and its key to the run's socket, so that proftui sees how the
/// process ends. Fails instead of waiting.
pub(super) fn send(run: &OwnFolder, key: &ProcessKey) -> io::Result<()> {
    // SAFETY: the id of this process, and no flags.
    let itself = owned(unsafe { libc::syscall(libc::SYS_pidfd_open, libc::getpid(), 0) } as libc::c_int)?;
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
    // SAFETY: it has no pointers.
    let socket = owned(unsafe { libc::socket(libc::AF_UNIX, kind, 0) })?;
    run.with_path(ENDS, |path| connect(&socket, path))?;
    let mut text = key.to_string().into_bytes();
    let mut part = libc::iovec { iov_base: text.as_mut_ptr().cast(), iov_len: text.len() };
    let length = mem::size_of::<libc::cmsghdr>() + mem::size_of::<libc::c_int>();
    let header =
        libc::cmsghdr { cmsg_len: length as _, cmsg_level: libc::SOL_SOCKET, cmsg_type: libc::SCM_RIGHTS };
    let mut control = Control { header, descriptor: itself.as_raw_fd() };
    // SAFETY: zeros are valid in all of its fields.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
    (message.msg_control, message.msg_controllen) = (ptr::from_mut(&mut control).cast(), length as _);
    // SAFETY: the message's parts are alive, and as long as it says.
    let sent = unsafe { libc::sendmsg(socket.as_raw_fd(), &raw const message, libc::MSG_NOSIGNAL) };
    if sent < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn connect(socket: &OwnedFd, path: &str) -> io::Result<()> {
    // SAFETY: zeros are valid in all of its fields.
    let mut address: libc::sockaddr_un = unsafe { mem::zeroed() };
    address.sun_family = libc::AF_UNIX as libc::sa_family_t;
    if path.len() >= address.sun_path.len() {
        return Err(io::ErrorKind::InvalidFilename.into());
    }
    for (to, from) in address.sun_path.iter_mut().zip(path.bytes()) {
        *to = from as libc::c_char;
    }
    let length = mem::size_of::<libc::sockaddr_un>() as libc::socklen_t;
    // SAFETY: an address of this length.
    let done = unsafe { libc::connect(socket.as_raw_fd(), ptr::from_ref(&address).cast(), length) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Takes the descriptor that a system call has just made; if it is negative, the error in `errno`.
fn owned(descriptor: libc::c_int) -> io::Result<OwnedFd> {
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor, which nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}
