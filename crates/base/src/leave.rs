//! The abrupt end of the process: a last line on standard error, and the exit status. Nothing here locks,
//! allocates or waits long, so that signal handlers, the panic hook and the allocator can use it. Must not
//! know why the process ends.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Ends the process at once with the exit status `code`, without running exit handlers.
pub fn leave(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

/// Writes `text` to standard error without the standard library's lock; leaves out the rest after an error,
/// or when there is no room within 200 ms.
pub fn print(text: &str) {
    let stderr = rustix::stdio::stderr();
    let mut bytes = text.as_bytes();
    while !bytes.is_empty() {
        let mut fds = [PollFd::new(&stderr, PollFlags::OUT)];
        let wait = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
        match poll(&mut fds, Some(&wait)) {
            Ok(0) => return,
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
        match rustix::io::write(stderr, bytes) {
            Ok(wrote) if wrote > 0 => bytes = &bytes[wrote..],
            Err(Errno::INTR) => {}
            _ => return,
        }
    }
}
