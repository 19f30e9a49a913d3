//! Operator details: the arguments that a framework's profiler records for an operator, and links from
//! operators to their backward.
//!
//! Arguments are kept as text in one buffer. A range refers to its details by its `name`, so plain ranges
//! need no further bytes. Must not know what the texts say.

use proftui_base::saturate::saturate;

/// Flag in a range's `name`: where it is set, the other bits are an index into the list of details.
const DETAILED: u32 = 1 << 31;

/// Where a text stands in [`OperatorDetails`]; the default is the empty text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text {
    offset: u64,
    len: u32,
}

/// Arguments and links of one range, usually an operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OperatorDetail {
    /// The range's name, as an index into the recording's names.
    pub name: u32,
    /// Where the text of the operator's arguments stands.
    pub text: Text,
    /// Number, from 1, of the link from this operator to its backward; 0 for none.
    pub forward_link: u32,
    /// Number, from 1, of the link to this operator from its forward; 0 for none.
    pub backward_link: u32,
}

/// The details of the ranges of a recording, and the stored texts of arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatorDetails {
    all: Vec<OperatorDetail>,
    texts: String,
    /// Number of links so far.
    links: u32,
}

impl OperatorDetails {
    /// Stores a text: members of a JSON object, without its braces. Texts of 4 GiB or more become the empty
    /// text.
    pub fn keep(&mut self, members: &str) -> Text {
        let Ok(len) = u32::try_from(members.len()) else { return Text::default() };
        let offset = self.texts.len() as u64;
        self.texts.push_str(members);
        Text { offset, len }
    }

    /// Adds details, with `members` as the arguments, for a range whose name has the index `name`. Returns
    /// the value for the range's `name`: the same index where the list of details is full.
    pub fn add(&mut self, name: u32, members: &str) -> u32 {
        let Some(index) = u32::try_from(self.all.len()).ok().filter(|&index| index < DETAILED) else {
            return name;
        };
        let text = self.keep(members);
        self.all.push(OperatorDetail { name, text, ..OperatorDetail::default() });
        index | DETAILED
    }

    /// The details that a range's `name` refers to; `None` for a range without details.
    pub fn of(&self, name: u32) -> Option<&OperatorDetail> {
        if name & DETAILED == 0 { None } else { self.all.get((name & !DETAILED) as usize) }
    }

    /// Resolves a range's `name` to an index into the recording's names.
    pub fn name(&self, name: u32) -> u32 {
        self.of(name).map_or(name, |detail| detail.name)
    }

    /// Links an operator to its backward, both given by their ranges' `name`. Does nothing where one of them
    /// has no details.
    pub fn link(&mut self, forward: u32, backward: u32) {
        if self.of(forward).is_none() || self.of(backward).is_none() {
            return;
        }
        self.links += 1;
        self.all[(forward & !DETAILED) as usize].forward_link = self.links;
        self.all[(backward & !DETAILED) as usize].backward_link = self.links;
    }

    /// Returns a stored text; empty where `text` does not lie in the stored texts.
    pub fn text(&self, text: Text) -> &str {
        let offset = saturate::<usize>(text.offset);
        self.texts.get(offset..offset + text.len as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Range;
    use super::*;

    #[test]
    fn a_range_is_no_larger_for_its_details() {
        assert_eq!(size_of::<Range>(), 24);
        let mut details = OperatorDetails::default();
        let (one, two) = (details.add(5, r#""a":1"#), details.add(6, r#""b":2"#));
        details.link(one, two);
        details.link(one, 7);
        assert_eq!((details.name(one), details.name(two), details.name(7)), (5, 6, 7));
        let of = |name| details.of(name).map(|detail| (details.text(detail.text), detail.forward_link));
        assert_eq!((of(one), of(two), of(7)), (Some((r#""a":1"#, 1)), Some((r#""b":2"#, 0)), None));
        assert_eq!(details.of(two).map(|detail| detail.backward_link), Some(1));
        assert_eq!(details.text(Text::default()), "");
    }
}
