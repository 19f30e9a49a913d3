//! Call stacks that a file states for its memory events, each once.
//!
//! A frame is named as functions of Python on the timeline are: `train.py(18): step`. Must not know which
//! events have a stack.

use proftui_base::heap::{self, NoMemory};
use proftui_base::intern::{Interner, StrId};
use proftui_base::saturate::saturate;

/// The number of a call stack in [`Stacks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(u32);

impl StackId {
    /// The value that stands for no stack.
    pub const NONE: Self = Self(u32::MAX);

    /// The number of the stack that has this number after `before` other stacks; [`Self::NONE`] stays.
    #[must_use]
    pub fn behind(self, before: u32) -> Self {
        if self == Self::NONE { self } else { Self(self.0.saturating_add(before)) }
    }
}

/// Call stacks, as lists of frames, the innermost first.
#[derive(Clone, Debug, Default)]
pub struct Stacks {
    /// The names of frames.
    names: Interner,
    frames: Vec<StrId>,
    /// For each stack the index in `frames` behind its last frame.
    ends: Vec<u32>,
}

impl Stacks {
    /// How many stacks there are.
    pub fn len(&self) -> u32 {
        saturate::<u32>(self.ends.len())
    }

    /// True if there is no stack.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Estimated bytes that the stacks take.
    pub fn size(&self) -> u64 {
        (self.names.size() + 4 * (self.frames.len() + self.ends.len())) as u64
    }

    /// The number of a frame's name, which is added if it is new.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn name(&mut self, name: &[u8]) -> Result<StrId, NoMemory> {
        self.names.try_intern(name)
    }

    /// Adds a stack of frames whose names [`Self::name`] numbered, the innermost first.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn push(&mut self, frames: impl IntoIterator<Item = StrId>) -> Result<StackId, NoMemory> {
        let id = StackId(self.len());
        for frame in frames {
            heap::try_push(&mut self.frames, frame)?;
        }
        heap::try_push(&mut self.ends, saturate::<u32>(self.frames.len()))?;
        Ok(id)
    }

    /// Adds all stacks of `other` behind those of this, and returns how many stacks were there before.
    ///
    /// # Errors
    /// When there is no memory for them.
    pub fn append(&mut self, other: Self) -> Result<u32, NoMemory> {
        let before = self.len();
        if before == 0 {
            *self = other;
            return Ok(before);
        }
        for id in 0..other.len() {
            let frames: Vec<StrId> =
                other.frames(StackId(id)).map(|name| self.name(name)).collect::<Result<_, _>>()?;
            self.push(frames)?;
        }
        Ok(before)
    }

    /// Removes the stacks from number `from` on.
    pub fn truncate(&mut self, from: u32) {
        self.ends.truncate(from as usize);
        self.frames.truncate(self.ends.last().map_or(0, |&end| end as usize));
    }

    /// The names of a stack's frames, the innermost first; none for [`StackId::NONE`] and unknown numbers.
    pub fn frames(&self, id: StackId) -> impl Iterator<Item = &[u8]> {
        self.ids(id).iter().map(|&name| self.names.bytes(name))
    }

    /// The name of a frame, which [`Self::ids`] numbers.
    pub fn bytes(&self, frame: StrId) -> &[u8] {
        self.names.bytes(frame)
    }

    /// The numbers of a stack's frames, the innermost first; none for [`StackId::NONE`] and unknown numbers.
    pub fn ids(&self, id: StackId) -> &[StrId] {
        let at = id.0 as usize;
        let end = self.ends.get(at).copied().unwrap_or_default() as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, |&end| end as usize);
        &self.frames[start.min(end)..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(stacks: &Stacks, id: StackId) -> Vec<String> {
        stacks.frames(id).map(|name| String::from_utf8_lossy(name).into_owned()).collect()
    }

    fn stacks(lists: &[&[&str]]) -> (Stacks, Vec<StackId>) {
        let mut stacks = Stacks::default();
        let mut push = |list: &&[&str]| {
            let names: Vec<StrId> =
                list.iter().map(|name| stacks.name(name.as_bytes()).expect("memory")).collect();
            stacks.push(names).expect("memory")
        };
        let ids = lists.iter().map(&mut push).collect();
        (stacks, ids)
    }

    #[test]
    fn stacks_of_several_files_are_kept_apart() {
        let (mut one, of_one) = stacks(&[&["a", "b"], &[], &["b"]]);
        let (other, of_other) = stacks(&[&["c", "a"], &["c"]]);
        let before = one.append(other).expect("memory");
        assert_eq!(texts(&one, of_one[0]), ["a", "b"]);
        assert!(texts(&one, of_one[1]).is_empty());
        assert_eq!(texts(&one, of_other[0].behind(before)), ["c", "a"]);
        assert_eq!(texts(&one, of_other[1].behind(before)), ["c"]);
        assert!(texts(&one, StackId::NONE.behind(before)).is_empty());
        one.truncate(before);
        assert_eq!((one.len(), texts(&one, of_one[2])), (3, vec!["b".to_owned()]));
        assert!(texts(&one, of_other[0].behind(before)).is_empty(), "gone");
    }
}
