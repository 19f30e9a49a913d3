//! Search, in logarithmic time, for the last span that encloses another: a binary tree of the largest ends.

use proftui_base::time::Ns;

/// An index of spans, for finding the last span that encloses a given range of time.
#[derive(Debug)]
pub(super) struct SpanIndex {
    starts: Vec<Ns>,
    /// A binary tree in heap layout, in which nodes hold the largest end of the spans below them.
    tree: Vec<Ns>,
}

impl SpanIndex {
    /// Builds the index from (start, end) pairs sorted by start.
    pub(super) fn new(spans: &[(Ns, Ns)]) -> Self {
        let size = (spans.len() + 1).next_power_of_two();
        let mut tree = vec![Ns::MIN; 2 * size];
        for (leaf, &(_, end)) in tree[size..].iter_mut().zip(spans) {
            *leaf = end;
        }
        for node in (1..size).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        Self { starts: spans.iter().map(|span| span.0).collect(), tree }
    }

    /// The index of the last span that starts at or before `start` and ends at or after `end`; None if no
    /// span does.
    pub(super) fn last_enclosing(&self, start: Ns, end: Ns) -> Option<usize> {
        let size = self.tree.len() / 2;
        let mut node = size + self.starts.partition_point(|&begin| begin <= start);
        while node > 1 {
            if node % 2 == 1 && self.tree[node - 1] >= end {
                node -= 1;
                while node < size {
                    node = 2 * node + usize::from(self.tree[2 * node + 1] >= end);
                }
                return Some(node - size);
            }
            node /= 2;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equals_looking_at_all(mut spans in proptest::collection::vec((0_i64..40, 0_i64..40), 0..30), start in 0_i64..45, end in 1_i64..45) {
            spans.sort_by_key(|span| span.0);
            let want = spans.iter().rposition(|span| span.0 <= start && span.1 >= end);
            prop_assert_eq!(SpanIndex::new(&spans).last_enclosing(start, end), want);
        }
    }
}
