//! Times of repeated runs, and whether to measure in full. Plain clocks: no harness, no statistics library.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// True under `cargo bench`. Run another way (`cargo test -p proftui-benches --benches`), a bench only shows
/// that it still works, on short input.
pub fn is_full() -> bool {
    std::env::args().any(|arg| arg == "--bench")
}

/// Wall times of several runs of one measurement.
pub struct Times {
    sorted: Vec<Duration>,
}

impl Times {
    /// Times `work` the given number of times, after one warm-up run.
    #[allow(dead_code, reason = "not every bench repeats within its process")]
    pub fn of<T>(runs: usize, mut work: impl FnMut() -> T) -> Self {
        black_box(work());
        let once = || {
            let start = Instant::now();
            let made = black_box(work());
            let took = start.elapsed();
            // Dropping the result is not measured.
            drop(made);
            took
        };
        std::iter::repeat_with(once).take(runs.max(1)).collect()
    }

    /// The fastest run, which other processes disturbed least.
    pub fn min(&self) -> Duration {
        self.sorted[0]
    }

    /// The median run.
    pub fn median(&self) -> Duration {
        self.sorted[self.sorted.len() / 2]
    }

    /// The slowest run.
    pub fn max(&self) -> Duration {
        self.sorted[self.sorted.len() - 1]
    }
}

impl FromIterator<Duration> for Times {
    /// Collects times; there must be at least one.
    fn from_iter<I: IntoIterator<Item = Duration>>(times: I) -> Self {
        let mut sorted: Vec<_> = times.into_iter().collect();
        sorted.sort_unstable();
        assert!(!sorted.is_empty(), "nothing was measured");
        Self { sorted }
    }
}

impl fmt::Display for Times {
    /// In milliseconds, with three digits below.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let (min, median, max) = (ms(self.min()), ms(self.median()), ms(self.max()));
        write!(f, "min {min:9.3} ms  median {median:9.3} ms  max {max:9.3} ms")
    }
}
