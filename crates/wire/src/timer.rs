//! How long steps take and how long data is waited for: sums that cost next to nothing to keep, right at any time.
//!
//! The averages are sums over counts of the same steps. (Paddle's benchmark timer divides one sample too many; its numbers are
//! made elsewhere, for those who compare.)

/// Steps at the beginning that say little about the rest: they are warmer and colder than all later ones.
pub const WARM_UP_STEPS: u64 = 10;

/// Sums over steps. Times in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Steps.
    pub steps: u64,
    /// Their time.
    pub batch: u64,
    /// The longest.
    pub batch_max: u64,
    /// The shortest; 0 before there is one.
    pub batch_min: u64,
    /// Waiting for data.
    pub reader: u64,
    /// The longest in a step.
    pub reader_max: u64,
    /// The shortest in a step.
    pub reader_min: u64,
    /// Samples.
    pub samples: u64,
    /// Steps whose samples are known.
    pub counted: u64,
}

impl Sum {
    /// Numbers it takes.
    pub const WORDS: usize = 9;

    /// Adds a step.
    pub fn add(&mut self, batch: u64, reader: u64, samples: u64) {
        let least = |least: u64, now: u64| if self.steps == 0 { now } else { least.min(now) };
        (self.batch_min, self.reader_min) = (least(self.batch_min, batch), least(self.reader_min, reader));
        self.steps += 1;
        self.batch += batch;
        self.batch_max = self.batch_max.max(batch);
        self.reader += reader;
        self.reader_max = self.reader_max.max(reader);
        self.samples += samples;
        self.counted += u64::from(samples > 0);
    }

    /// What was added since it was `before`; extremes are of all.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            steps: self.steps - before.steps,
            batch: self.batch - before.batch,
            reader: self.reader - before.reader,
            samples: self.samples - before.samples,
            counted: self.counted - before.counted,
            ..*self
        }
    }

    /// As numbers.
    pub fn words(&self) -> [u64; Self::WORDS] {
        [
            self.steps,
            self.batch,
            self.batch_max,
            self.batch_min,
            self.reader,
            self.reader_max,
            self.reader_min,
            self.samples,
            self.counted,
        ]
    }

    /// From numbers; missing ones are 0.
    pub fn from_words(words: &[u64]) -> Self {
        let word = |at: usize| words.get(at).copied().unwrap_or_default();
        Self {
            steps: word(0),
            batch: word(1),
            batch_max: word(2),
            batch_min: word(3),
            reader: word(4),
            reader_max: word(5),
            reader_min: word(6),
            samples: word(7),
            counted: word(8),
        }
    }
}

/// The timer of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer {
    /// All steps.
    pub all: Sum,
    /// Those after the first [`WARM_UP_STEPS`].
    pub later: Sum,
}

impl Timer {
    /// Adds a step.
    pub fn add(&mut self, batch: u64, reader: u64, samples: u64) {
        if self.all.steps >= WARM_UP_STEPS {
            self.later.add(batch, reader, samples);
        }
        self.all.add(batch, reader, samples);
    }

    /// The sums that say most, and whether the first steps are left out of them.
    pub fn best(&self) -> (&Sum, bool) {
        if self.later.steps > 0 { (&self.later, true) } else { (&self.all, false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_of_the_same_steps() {
        let mut timer = Timer::default();
        (0..12).for_each(|step| timer.add(100 + step, 10 * step, 32));
        let (best, is_later) = timer.best();
        assert!(is_later);
        assert_eq!((best.steps, best.batch, best.samples, best.counted), (2, 110 + 111, 64, 2));
        assert_eq!((best.batch_min, best.batch_max), (110, 111));
        assert_eq!((best.reader_min, best.reader_max), (100, 110));
        assert_eq!((timer.all.steps, timer.all.batch_min, timer.all.reader_min), (12, 100, 0));
        assert_eq!(Sum::from_words(&timer.all.words()), timer.all);
    }

    #[test]
    fn a_growing_series_has_a_smallest_value() {
        let mut timer = Timer::default();
        (1..5).for_each(|step| timer.add(step, 0, 0));
        assert_eq!((timer.best().0.batch_min, timer.best().0.counted), (1, 0));
    }
}
