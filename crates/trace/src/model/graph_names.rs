//! The names of device work that graphs launched: the operator, module and shapes by which a program created
//! each node of a graph.
//!
//! A replayed graph is one launch on the host, so the operators of its kernels are not in the trace. They are
//! known from a trace of the graph's capture, or from our own recorder. Must not know how names were found.

use std::collections::BTreeMap;

use proftui_base::ids::Ids;
use proftui_base::intern::StrId;

use super::SliceId;

/// How sure it is that the name of a piece of device work is the right one; the surest level first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraphLevel {
    /// The recorder noted the operator when the node was created, and its id when it ran.
    Recorded,
    /// The launch and the capture have the same work in the same order.
    Exact,
    /// The launch and the capture differ in some work; this work has the same partner in all longest
    /// alignments, or is the same one of its name on its stream.
    Aligned,
    /// The partner is one of several; they have the operator and the class of the module in common, and the
    /// shapes if there are any.
    Class,
    /// All work of this name has this operator and this class of module in the capture; the shapes are not
    /// known.
    Name,
    /// The capture has no names of kernels: paired by count and order alone, and not verified.
    InOrder,
}

impl GraphLevel {
    /// All levels, the surest first.
    pub const ALL: [Self; 6] =
        [Self::Recorded, Self::Exact, Self::Aligned, Self::Class, Self::Name, Self::InOrder];

    /// The level's name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recorded => "recorded",
            Self::Exact => "exact",
            Self::Aligned => "aligned",
            Self::Class => "class",
            Self::Name => "name",
            Self::InOrder => "place",
        }
    }
}

/// Why the work of a graph launch has no names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unnamed {
    /// No capture that was read is of this rank.
    NoCapture,
    /// No capture agrees with the launch in at least 95 % of their work.
    Unlike,
    /// Several captures, which differ from each other, are alike in the same degree.
    Ambiguous,
}

impl Unnamed {
    /// The reason as a text for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::NoCapture => "no capture of this rank",
            Self::Unlike => "no capture agrees with 95 % of its work",
            Self::Ambiguous => "several different captures agree equally well",
        }
    }
}

/// What is known of a node of a graph. Texts are numbers in `Trace::strings`; 0, the empty text, where
/// something is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GraphRecord {
    /// The innermost operator around the launch that was captured.
    pub operator: StrId,
    /// The input shapes of the innermost operator around that launch which has some, such as `[[32, 4096],
    /// [4096, 4096]]`.
    pub shapes: StrId,
    /// The innermost module, with its number: `Linear_3`.
    pub module: StrId,
    /// The class of the innermost module: `Linear`.
    pub class: StrId,
    /// The innermost Python function that is no module.
    pub frame: StrId,
    /// The innermost range that the program or a library named.
    pub annotation: StrId,
    /// The trace of the capture, an index into [`GraphNames::files`]; `None` where our own recorder noted it.
    pub file: Option<u32>,
}

/// The name of one piece of device work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphName {
    /// The device work that the name is for.
    pub work: SliceId,
    /// How sure the name is.
    pub level: GraphLevel,
    /// The record of the name, an index into [`GraphNames::records`].
    pub record: u32,
}

/// What was found for one launch of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GraphLaunch {
    /// The launch call; `None` where it is not in the trace.
    pub launch: Option<SliceId>,
    /// The first piece of the launch's device work.
    pub first: SliceId,
    /// How many pieces of device work the launch has.
    pub work: u32,
    /// The level of the whole launch, or why it has no names.
    pub outcome: Result<GraphLevel, Unnamed>,
    /// How many pieces of the work have one certain partner in the capture.
    pub pairs: u32,
    /// How many pieces of the work have several possible partners; such a piece has a name where these agree
    /// in the operator and the class of the module.
    pub ambiguous: u32,
    /// How many pieces of the work have no partner in the capture.
    pub without: u32,
    /// How many nodes of the capture have no device work in this launch: those that the longest alignment (on
    /// several streams or in another order: the counts of names) leaves over. Nodes with several possible
    /// partners are not among them.
    pub left_over: u32,
    /// The trace of the capture, an index into [`GraphNames::files`]; `None` where there is none.
    pub file: Option<u32>,
}

/// The names of all device work that graphs launched, as far as they are known; empty by default.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct GraphNames {
    /// The paths of the traces of captures, safe to show.
    pub files: Vec<String>,
    /// What is known of nodes; device work refers to it by index.
    pub records: Vec<GraphRecord>,
    /// The launches of graphs, in order of their first work.
    pub launches: Vec<GraphLaunch>,
    /// Device work after which at least one record of the same launch is proven to be missing, ascending: the
    /// capture has launches there.
    pub lost_after: Vec<SliceId>,
    /// The names, ascending by the number of their device work.
    names: Vec<GraphName>,
}

impl GraphNames {
    /// Adds `names`, in any order. Of several names of one piece of work the surest is kept; of equally sure
    /// ones, that which was added first.
    pub fn add(&mut self, names: impl IntoIterator<Item = GraphName>) {
        self.names.extend(names);
        self.names.sort_by_key(|name| (name.work, name.level));
        self.names.dedup_by_key(|name| name.work);
    }

    /// True if no work has a name, and `launches` is empty.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty() && self.launches.is_empty()
    }

    /// The number of pieces of work that have a name.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name of a piece of device work; `None` where none is known.
    pub fn of(&self, work: SliceId) -> Option<GraphName> {
        let at = self.names.binary_search_by_key(&work, |name| name.work).ok()?;
        Some(self.names[at])
    }

    /// The level and the record of a piece of device work; `None` where it has no name.
    pub fn record(&self, work: SliceId) -> Option<(GraphLevel, &GraphRecord)> {
        let name = self.of(work)?;
        Some((name.level, self.records.get(name.record as usize)?))
    }

    /// The names of the work with numbers in a range.
    pub fn within(&self, work: Ids<SliceId>) -> &[GraphName] {
        let from = self.names.partition_point(|name| name.work < work.start);
        let to = self.names.partition_point(|name| name.work < work.end);
        &self.names[from..to.max(from)]
    }

    /// What was found for a launch call; `None` for a call that is no launch of a graph, and where no names
    /// were looked for.
    pub fn launch(&self, call: SliceId) -> Option<&GraphLaunch> {
        self.launches.iter().find(|launch| launch.launch == Some(call))
    }

    /// How many pieces of work have a name of each level; levels without any are left out.
    pub fn counts(&self) -> BTreeMap<GraphLevel, u64> {
        let mut counts = BTreeMap::new();
        for name in &self.names {
            *counts.entry(name.level).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(work: u32, level: GraphLevel, record: u32) -> GraphName {
        GraphName { work: SliceId::new(work), level, record }
    }

    #[test]
    fn work_is_found_by_number_and_the_surest_name_stays() {
        let mut names = GraphNames { records: vec![GraphRecord::default(); 3], ..GraphNames::default() };
        assert!(names.is_empty());
        names.add([name(7, GraphLevel::Class, 0), name(3, GraphLevel::Exact, 1)]);
        names.add([name(7, GraphLevel::Recorded, 2)]);
        assert_eq!(names.of(SliceId::new(7)), Some(name(7, GraphLevel::Recorded, 2)));
        assert_eq!((names.of(SliceId::new(4)), names.len(), names.within(Ids::below(4)).len()), (None, 2, 1));
        assert!(names.record(SliceId::new(3)).is_some());
        let counts: Vec<(&str, u64)> = names.counts().into_iter().map(|(l, n)| (l.name(), n)).collect();
        assert_eq!(counts, [("recorded", 1), ("exact", 1)]);
    }
}
