//! Searches in a sorted list from where the result should be: near there they read less of the list than one
//! that begins in its middle.

/// How many items at the beginning of `list` fulfil `is_before`, as [`slice::partition_point`] finds. The
/// nearer `guess` is to the result, the shorter the search.
pub fn partition_point_near<T>(list: &[T], guess: usize, is_before: impl Fn(&T) -> bool) -> usize {
    // The result is in `low..=high`, a range that grows until that is so.
    let (mut low, mut high, mut width) = (guess.min(list.len()), guess.min(list.len()), 1);
    while low > 0 && !is_before(&list[low - 1]) {
        high = low - 1;
        low = high.saturating_sub(width);
        width *= 2;
    }
    while high < list.len() && is_before(&list[high]) {
        low = high + 1;
        high = (low + width).min(list.len());
        width *= 2;
    }
    low + list[low..high].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_guess_finds_the_result(mut list in prop::collection::vec(0_u8..40, 0..200), guess in 0_usize..300, at in 0_u8..41) {
            list.sort_unstable();
            let found = partition_point_near(&list, guess, |&item| item < at);
            prop_assert_eq!(found, list.partition_point(|&item| item < at));
        }
    }
}
