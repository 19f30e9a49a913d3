//! The lengths of the last steps, by which a step is found to be slow. Knows neither what a step is nor what
//! follows.

/// How many of the last steps the median is taken of, at most.
const STEPS: usize = 50;
/// The least number of earlier steps with whose median a step is compared.
const FEWEST_STEPS: usize = 10;

/// The lengths of the last steps, ns, at most [`STEPS`].
#[derive(Default)]
pub(super) struct Recent {
    lengths: Vec<u64>,
    /// The index in `lengths` of the oldest length, once there are [`STEPS`] lengths.
    oldest: usize,
}

impl Recent {
    /// Unless `factor` is 0, adds the length of a step, ns. Returns the median of the last steps before, if
    /// they are enough and `length` exceeds `factor` thousandths of it.
    pub(super) fn exceeded(&mut self, length: u64, factor: u64) -> Option<u64> {
        if factor == 0 {
            return None;
        }
        let median = self.median();
        if self.lengths.len() < STEPS {
            self.lengths.push(length);
        } else {
            self.lengths[self.oldest] = length;
            self.oldest = (self.oldest + 1) % STEPS;
        }
        median.filter(|&median| u128::from(length) * 1000 > u128::from(median) * u128::from(factor))
    }

    fn median(&self) -> Option<u64> {
        if self.lengths.len() < FEWEST_STEPS {
            return None;
        }
        let mut lengths = self.lengths.clone();
        let (_, median, _) = lengths.select_nth_unstable(self.lengths.len() / 2);
        Some(*median)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_compared_with_the_fifty_before() {
        let mut recent = Recent::default();
        assert_eq!(recent.exceeded(1_000_000, 1500), None, "the first one");
        for _ in 1..FEWEST_STEPS {
            assert_eq!(recent.exceeded(100, 1500), None);
        }
        assert_eq!((recent.exceeded(150, 1500), recent.exceeded(151, 1500)), (None, Some(100)));
        // After fifty steps of another length, these are the measure.
        let slow = (0..STEPS).filter(|_| recent.exceeded(200, 1500).is_some()).count();
        assert_eq!(slow, 6, "until most of the others are longer, too");
        assert_eq!((recent.exceeded(300, 1500), recent.exceeded(301, 1500)), (None, Some(200)));
        assert_eq!(recent.exceeded(1 << 40, 0), None, "where nobody asks");
    }
}
