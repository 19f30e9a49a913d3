//! Freeing much memory without waiting for it. Must not know what is freed.

use std::mem;
use std::ops::Deref;
use std::thread;

/// Drops a value on a new thread, or on the calling one if no thread can be started.
pub fn dispose<T: Send + 'static>(value: T) {
    // If no thread can be started, `spawn` drops the closure here, and the value with it.
    let _ = thread::Builder::new().name("dispose".to_owned()).spawn(move || drop(value));
}

/// A value that [`dispose`] drops if it is large.
#[derive(Debug, Default)]
pub struct Disposed<T: Default + Send + 'static> {
    value: T,
    is_large: bool,
}

impl<T: Default + Send + 'static> Disposed<T> {
    /// Wraps a value; `is_large` is true if freeing it may take milliseconds.
    pub fn new(value: T, is_large: bool) -> Self {
        Self { value, is_large }
    }
}

impl<T: Default + Send + 'static> Deref for Disposed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Default + Send + 'static> Drop for Disposed<T> {
    fn drop(&mut self) {
        if self.is_large {
            dispose(mem::take(&mut self.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::ThreadId;

    use super::*;

    #[derive(Default)]
    struct Report(Option<Sender<ThreadId>>);

    impl Drop for Report {
        fn drop(&mut self) {
            self.0
                .take()
                .into_iter()
                .for_each(|report| report.send(thread::current().id()).expect("is received"));
        }
    }

    #[test]
    fn only_what_is_large_is_dropped_elsewhere() {
        let here = thread::current().id();
        for is_large in [true, false] {
            let (report, dropped) = channel();
            drop(Disposed::new(Report(Some(report)), is_large));
            assert_eq!(dropped.recv().expect("a thread") != here, is_large);
        }
    }
}
