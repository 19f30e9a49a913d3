//! What producers told of operators beyond names and times, kept as text: plain ranges are no larger for it.
//!
//! A range points here by its name, so it takes its 24 bytes in any case. Must not know what the texts say.

/// Names with this bit are places in the list of details.
const DETAILED: u32 = 1 << 31;

/// Members of a JSON object, without its braces: where they stand among all. Empty for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text {
    at: u64,
    len: u32,
}

/// What is told of one range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// The range's name, by its place among the recording's.
    pub name: u32,
    /// Its arguments.
    pub text: Text,
    /// The number of the arrow that leads from it to its backward; 0 for none.
    pub forward_link: u32,
    /// The number of the arrow that leads to it from its forward; 0 for none.
    pub backward_link: u32,
}

/// All details of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    all: Vec<Detail>,
    texts: String,
    links: u32,
}

impl Details {
    /// Keeps a text: members of a JSON object, without its braces.
    pub fn keep(&mut self, members: &str) -> Text {
        let Ok(len) = u32::try_from(members.len()) else { return Text::default() };
        let at = self.texts.len() as u64;
        self.texts.push_str(members);
        Text { at, len }
    }

    /// What a range with this name and these arguments is to have for a name. There is room for two billion.
    pub fn add(&mut self, name: u32, members: &str) -> u32 {
        let Some(place) = u32::try_from(self.all.len()).ok().filter(|&place| place < DETAILED) else {
            return name;
        };
        let text = self.keep(members);
        self.all.push(Detail { name, text, ..Detail::default() });
        place | DETAILED
    }

    /// The details of a range by what it has for a name.
    pub fn of(&self, name: u32) -> Option<&Detail> {
        if name & DETAILED == 0 { None } else { self.all.get((name & !DETAILED) as usize) }
    }

    /// The place among the recording's names that a range's name stands for.
    pub fn name(&self, name: u32) -> u32 {
        self.of(name).map_or(name, |detail| detail.name)
    }

    /// Draws an arrow from an operator to its backward, both by what they have for a name.
    pub fn link(&mut self, forward: u32, backward: u32) {
        if self.of(forward).is_none() || self.of(backward).is_none() {
            return;
        }
        self.links += 1;
        self.all[(forward & !DETAILED) as usize].forward_link = self.links;
        self.all[(backward & !DETAILED) as usize].backward_link = self.links;
    }

    /// A text that was kept.
    pub fn text(&self, text: Text) -> &str {
        let at = text.at as usize;
        self.texts.get(at..at + text.len as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Range;
    use super::*;

    #[test]
    fn a_range_is_no_larger_for_its_details() {
        assert_eq!(size_of::<Range>(), 24);
        let mut details = Details::default();
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
