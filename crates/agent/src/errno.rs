//! The number that the C library tells of what failed: the program may look at it after any of our calls.

#![allow(unsafe_code, reason = "errno is the C library's")]

/// Calls what calls the system, and leaves `errno` as it was.
pub fn keep<R>(body: impl FnOnce() -> R) -> R {
    struct Kept(libc::c_int);
    impl Drop for Kept {
        fn drop(&mut self) {
            // SAFETY: the place of this thread's own number.
            unsafe { *libc::__errno_location() = self.0 };
        }
    }
    // SAFETY: the place of this thread's own number.
    let _kept = Kept(unsafe { *libc::__errno_location() });
    body()
}
