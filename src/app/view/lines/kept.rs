//! The choices of lines in a form that can be written down: numbers of groups and lanes.
//!
//! Must not know where it is written, nor whether the numbers still hold.

use serde::{Deserialize, Serialize};

use proftui_trace::model::{GroupId, LaneId};

use super::build::Choices;
use crate::app::view::line::Track;

/// What is folded, merged, pinned and hidden, by the numbers of groups and lanes of one trace as one version
/// of the program reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptLines {
    folded_groups: Vec<u32>,
    folded_lanes: Vec<u32>,
    hidden: Vec<KeptTrack>,
    pinned: Vec<KeptTrack>,
    /// Devices whose streams are merged, with how many of the first keep a line of their own.
    merged: Vec<(u32, usize)>,
    /// Devices whose lanes of ranges and counters are folded.
    less: Vec<u32>,
    has_others: bool,
}

/// A [`Track`] by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum KeptTrack {
    Idle(u32),
    Lane(u32),
}

impl From<&Track> for KeptTrack {
    fn from(track: &Track) -> Self {
        match *track {
            Track::Idle(group) => Self::Idle(group.get()),
            Track::Lane(lane) => Self::Lane(lane.get()),
        }
    }
}

impl From<&KeptTrack> for Track {
    fn from(track: &KeptTrack) -> Self {
        match *track {
            KeptTrack::Idle(group) => Self::Idle(GroupId::new(group)),
            KeptTrack::Lane(lane) => Self::Lane(LaneId::new(lane)),
        }
    }
}

impl Choices {
    /// The choices in a form that can be written down; those in `passing` are left out of what is pinned.
    pub(super) fn kept(&self, passing: Option<Track>) -> KeptLines {
        let pinned = self.pinned.iter().filter(|track| Some(**track) != passing);
        KeptLines {
            folded_groups: sorted(self.folded_groups.iter().map(|group| group.get())),
            folded_lanes: sorted(self.folded_lanes.iter().map(|lane| lane.get())),
            hidden: sorted(self.hidden.iter().map(KeptTrack::from)),
            pinned: sorted(pinned.map(KeptTrack::from)),
            merged: sorted(self.apart.iter().map(|(group, &apart)| (group.get(), apart))),
            less: sorted(self.less.iter().map(|group| group.get())),
            has_others: self.has_others,
        }
    }

    /// Takes over what `kept` says; the numbers must be of this trace.
    pub(super) fn restore(&mut self, kept: &KeptLines) {
        self.folded_groups = kept.folded_groups.iter().copied().map(GroupId::new).collect();
        self.folded_lanes = kept.folded_lanes.iter().copied().map(LaneId::new).collect();
        self.hidden = kept.hidden.iter().map(Track::from).collect();
        self.pinned = kept.pinned.iter().map(Track::from).collect();
        self.apart = kept.merged.iter().map(|&(group, apart)| (GroupId::new(group), apart)).collect();
        self.less = kept.less.iter().copied().map(GroupId::new).collect();
        self.has_others = kept.has_others;
    }
}

impl KeptLines {
    /// True if every number is one of a trace with so many groups and lanes.
    pub(crate) fn fits(&self, groups: usize, lanes: usize) -> bool {
        let is_group = |number: u32| (number as usize) < groups;
        let is_lane = |number: u32| (number as usize) < lanes;
        let is_track = |track: &KeptTrack| match *track {
            KeptTrack::Idle(group) => is_group(group),
            KeptTrack::Lane(lane) => is_lane(lane),
        };
        let all_groups = self.folded_groups.iter().chain(&self.less).copied();
        all_groups.chain(self.merged.iter().map(|(group, _)| *group)).all(is_group)
            && self.folded_lanes.iter().copied().all(is_lane)
            && self.hidden.iter().chain(&self.pinned).all(is_track)
    }
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items
}
