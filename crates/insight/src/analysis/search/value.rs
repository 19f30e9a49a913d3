//! The values of a query's fields: bounds, numbers with units, ranges of steps, lines of files.
//!
//! Must not know the fields.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use proftui_base::fmt::size_shift;

/// A comparison with a number, such as `> 5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bound<T> {
    /// How a value has to compare with `than`, unless `is_or_equal` lets it be equal.
    pub side: Ordering,
    /// True if a value may also be `than` itself.
    pub is_or_equal: bool,
    /// What values are compared with.
    pub than: T,
}

impl<T: PartialOrd + Copy> Bound<T> {
    /// True if `value` is on the wanted side.
    pub fn holds(&self, value: T) -> bool {
        let order = value.partial_cmp(&self.than);
        order == Some(self.side) || self.is_or_equal && order == Some(Ordering::Equal)
    }
}

/// A component of a vector such as a grid, which has up to three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The first component.
    X,
    /// The second component.
    Y,
    /// The third component.
    Z,
}

impl Axis {
    /// The axis that a letter names, and no other text.
    pub(super) fn named(letter: &str) -> Option<Self> {
        match letter {
            "x" => Some(Self::X),
            "y" => Some(Self::Y),
            "z" => Some(Self::Z),
            _ => None,
        }
    }
}

/// The number in a text such as `1000`, `0.5` or `4K`; K, M, G and T are powers of 1024, as for sizes.
pub(super) fn number(text: &str) -> Option<f64> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let number: f64 = digits.parse().ok()?;
    Some(number * 2_f64.powi(size_shift(unit)?.cast_signed()))
}

/// The number that an argument's text states; of a vector `[a,b,c]` one component, or the product of all.
/// `None` for a text that is neither, and for a component that the vector lacks.
pub(super) fn stated(text: &str, axis: Option<Axis>) -> Option<f64> {
    let text = text.trim().trim_matches('"');
    let plain = |text: &str| text.trim().parse::<f64>().ok();
    let inner = text.strip_prefix(['[', '(']).and_then(|text| text.strip_suffix([']', ')']));
    let components = inner.map(|inner| inner.split(','));
    match (components, axis) {
        (Some(mut components), Some(axis)) => components.nth(axis as usize).and_then(plain),
        (Some(components), None) => components.map(plain).try_fold(1.0, |all, one| Some(all * one?)),
        (None, Some(Axis::X) | None) => plain(text),
        (None, Some(_)) => None,
    }
}

/// Parses the number of a step, or a range of such numbers with both ends in it: `12`, `#12`, `12..15`,
/// `12..` or `..15`.
pub(super) fn steps(text: &str) -> Option<RangeInclusive<u64>> {
    let number = |text: &str| text.trim_start_matches('#').parse::<u64>().ok();
    let Some((first, last)) = text.split_once("..") else { return number(text).map(|one| one..=one) };
    let first = if first.is_empty() { Some(0) } else { number(first) };
    let last = if last.is_empty() { Some(u64::MAX) } else { number(last) };
    if text == ".." { None } else { Some(first?..=last?) }
}

/// A line of a file, or any line of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The end of the file's path: its last folders and its name, or a part of its name.
    pub file: String,
    /// The number of the line; `None` for all lines.
    pub number: Option<u64>,
}

impl Line {
    /// The line that `train.py:49` or `train.py` names.
    pub(super) fn of(text: &str) -> Self {
        let numbered = text.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
        match numbered {
            Some((file, number)) => Self { file: file.to_owned(), number: Some(number) },
            None => Self { file: text.to_owned(), number: None },
        }
    }

    /// True if the frame `FILE(LINE): FUNCTION` of a Python stack is on the line.
    pub(super) fn has(&self, frame: &str) -> bool {
        let Some((path, rest)) = frame.split_once("): ").and_then(|(line, _)| line.rsplit_once('(')) else {
            return false;
        };
        let is_of_file = path.strip_suffix(self.file.as_str());
        let is_whole = |before: &str| before.is_empty() || before.ends_with('/');
        let is_here = self.number.is_none_or(|number| rest.parse() == Ok(number));
        is_here && is_of_file.is_some_and(is_whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_of_sizes() {
        assert_eq!(number("1000"), Some(1000.0));
        assert_eq!(number("1.5K"), Some(1536.0));
        assert_eq!(number("2MiB"), Some(2_097_152.0));
        assert_eq!(["", "x", "5us", "K"].map(number), [None; 4]);
    }

    #[test]
    fn a_vector_states_its_product_or_a_component() {
        assert_eq!(stated("[80,2,3]", None), Some(480.0));
        assert_eq!(stated("[80, 2, 3]", Some(Axis::Z)), Some(3.0));
        assert_eq!(stated("[80]", Some(Axis::Y)), None);
        assert_eq!(stated("7", None), Some(7.0));
        assert_eq!(stated("\"7\"", Some(Axis::X)), Some(7.0));
        assert_eq!(["", "[]", "[a,1]", "relu"].map(|text| stated(text, None)), [None; 4]);
    }

    #[test]
    fn ranges_of_steps_include_both_ends() {
        assert_eq!(steps("12"), Some(12..=12));
        assert_eq!(steps("#12..15"), Some(12..=15));
        assert_eq!(steps("12.."), Some(12..=u64::MAX));
        assert_eq!(steps("..15"), Some(0..=15));
        assert_eq!(["", "..", "x", "1-2", "1..x"].map(steps), [const { None }; 5]);
    }

    #[test]
    fn a_line_is_of_a_whole_file_name() {
        let has = |line: &str, frame: &str| Line::of(line).has(frame);
        assert!(has("train.py:49", "train.py(49): main"));
        assert!(has("train.py:49", "/a/b/train.py(49): main"));
        assert!(has("b/train.py", "/a/b/train.py(7): main"));
        assert!(!has("train.py:49", "train.py(50): main"));
        assert!(!has("train.py:49", "pretrain.py(49): main"));
        assert!(!has("train.py", "<built-in function train.py>"));
    }

    #[test]
    fn bounds_hold_on_their_side() {
        let bound = |side, is_or_equal| Bound { side, is_or_equal, than: 5 };
        let held = |bound: Bound<i64>| [4, 5, 6].map(|value| bound.holds(value));
        assert_eq!(held(bound(Ordering::Greater, false)), [false, false, true]);
        assert_eq!(held(bound(Ordering::Greater, true)), [false, true, true]);
        assert_eq!(held(bound(Ordering::Less, true)), [true, true, false]);
        assert_eq!(held(bound(Ordering::Equal, true)), [false, true, false]);
        let number = Bound { side: Ordering::Less, is_or_equal: true, than: 5.0 };
        assert!(!number.holds(f64::NAN));
    }
}
