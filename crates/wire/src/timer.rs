//! Running sums over the durations of steps and over the times for which steps waited for data; they can be
//! read at any time.
//!
//! Averages divide sums by the counts of the same steps. (Paddle's benchmark timer counts one sample too
//! many; its numbers are computed in `compat`, for comparison.)

/// How many of the steps first added to a process's timer [`Timer::later`] leaves out as a warm-up.
pub const WARM_UP_STEPS: u64 = 10;

/// Sums, maxima and minima over steps; times in ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many steps were added.
    pub steps: u64,
    /// Total length of the steps, ns.
    pub batch: u64,
    /// Length of the longest step, ns.
    pub batch_max: u64,
    /// Length of the shortest step, ns; 0 before there is a step.
    pub batch_min: u64,
    /// Total time for which the steps waited for data, ns.
    pub reader: u64,
    /// Longest time for which a step waited for data, ns.
    pub reader_max: u64,
    /// Shortest time for which a step waited for data, ns; 0 before there is a step.
    pub reader_min: u64,
    /// How many samples were processed by the steps whose number of samples is known.
    pub samples: u64,
    /// How many steps have a known number of samples.
    pub counted: u64,
}

impl Sum {
    /// How many numbers a [`Sum`] is encoded as.
    pub const WORDS: usize = 9;

    /// Adds a step of `batch` ns, of which it waited `reader` ns for data, with `samples` samples; 0 if their
    /// number is not known.
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

    /// Adds the steps that `other` sums up, such as those of another process.
    pub fn merge(&mut self, other: &Self) {
        if self.steps == 0 || other.steps == 0 {
            *self = if self.steps == 0 { *other } else { *self };
            return;
        }
        *self = Self {
            steps: self.steps + other.steps,
            batch: self.batch + other.batch,
            batch_max: self.batch_max.max(other.batch_max),
            batch_min: self.batch_min.min(other.batch_min),
            reader: self.reader + other.reader,
            reader_max: self.reader_max.max(other.reader_max),
            reader_min: self.reader_min.min(other.reader_min),
            samples: self.samples + other.samples,
            counted: self.counted + other.counted,
        };
    }

    /// The sums over the steps added since `before`, an earlier value; longest and shortest times remain
    /// those of all steps.
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

    /// Encodes the sums, in the order of the fields.
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

    /// Decodes sums from the numbers that [`Sum::words`] returns; missing numbers are 0.
    pub(crate) fn from_words(words: &[u64]) -> Self {
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

/// The sums over the steps of one or several processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timer {
    /// Sums over all steps, the warm-up included.
    pub all: Sum,
    /// Sums over the steps after the warm-up of [`WARM_UP_STEPS`].
    pub later: Sum,
}

impl Timer {
    /// Adds a step, the first [`WARM_UP_STEPS`] to `all` only; arguments as of [`Sum::add`].
    pub fn add(&mut self, batch: u64, reader: u64, samples: u64) {
        if self.all.steps >= WARM_UP_STEPS {
            self.later.add(batch, reader, samples);
        }
        self.all.add(batch, reader, samples);
    }

    /// Adds the sums of `other`, such as those of another process.
    pub fn merge(&mut self, other: &Self) {
        self.all.merge(&other.all);
        self.later.merge(&other.later);
    }

    /// The sums without the warm-up steps, and true, if there are later steps; else the sums over all steps,
    /// and false.
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
    fn the_steps_of_several_processes_are_summed_up() {
        let (mut both, mut one, mut other) = (Timer::default(), Timer::default(), Timer::default());
        one.add(5, 2, 1);
        other.add(3, 4, 0);
        other.add(9, 1, 1);
        both.merge(&one);
        both.merge(&other);
        both.merge(&Timer::default());
        let Sum { steps, batch, batch_max, batch_min, reader, reader_max, reader_min, samples, counted } =
            both.all;
        assert_eq!((steps, batch, batch_max, batch_min), (3, 17, 9, 3));
        assert_eq!((reader, reader_max, reader_min, samples, counted), (7, 4, 1, 2, 2));
    }

    #[test]
    fn a_growing_series_has_a_smallest_value() {
        let mut timer = Timer::default();
        (1..5).for_each(|step| timer.add(step, 0, 0));
        assert_eq!((timer.best().0.batch_min, timer.best().0.counted), (1, 0));
    }
}
