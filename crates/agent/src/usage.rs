//! The most memory that the process has had.

#![allow(unsafe_code, reason = "calls getrusage, which the standard library does not have")]

/// The most memory of the process that was resident at a time so far, KiB; 0 if the system does not say.
pub(crate) fn peak_memory() -> u64 {
    // SAFETY: all numbers of the struct may be 0.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // That of the thread states the process's memory, too, and does not visit all threads.
    // SAFETY: the pointer is to a struct of our own, which the call fills.
    let outcome = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    if outcome == 0 { u64::try_from(usage.ru_maxrss).unwrap_or_default() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_used_counts() {
        let before = peak_memory();
        let mut used = vec![0_u8; 256 << 20];
        used.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        let after = peak_memory();
        assert!(before > 1000 && after > 200 << 10, "{before}, then {after} with {} bytes", used.len());
    }
}
