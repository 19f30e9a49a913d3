//! Sums of doubles as Python makes them, to the last bit.

/// Python's `sum()` of floats: since 3.12 it carries what each addition loses (Neumaier's variant of Kahan's sum).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    total: f64,
    lost: f64,
}

impl Sum {
    /// Adds one more.
    pub(super) fn add(&mut self, value: f64) {
        let total = self.total + value;
        self.lost += if self.total.abs() >= value.abs() {
            (self.total - total) + value
        } else {
            (value - total) + self.total
        };
        self.total = total;
    }

    /// The sum so far.
    pub(super) fn get(self) -> f64 {
        if self.lost != 0.0 && self.lost.is_finite() { self.total + self.lost } else { self.total }
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sum = Self::default();
        values.into_iter().for_each(|value| sum.add(value));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_addition_loses_is_carried() {
        assert_eq!([0.1; 10].into_iter().collect::<Sum>().get(), 1.0);
        assert_eq!([1e100, 1.0, -1e100].into_iter().collect::<Sum>().get(), 1.0);
        assert_eq!(Sum::default().get(), 0.0);
    }
}
