//! Preserves the C library's `errno` across the recorder's code, since the program may read it afterwards.

#![allow(unsafe_code, reason = "reads and writes the C library's errno")]

/// Runs `body` and returns its result, with the calling thread's `errno` restored afterwards.
pub(crate) fn keep<R>(body: impl FnOnce() -> R) -> R {
    struct Kept(libc::c_int);
    impl Drop for Kept {
        fn drop(&mut self) {
            // SAFETY: the address of this thread's own `errno`.
            unsafe { *libc::__errno_location() = self.0 };
        }
    }
    // SAFETY: the address of this thread's own `errno`.
    let _kept = Kept(unsafe { *libc::__errno_location() });
    body()
}
