//! What `proftui info` states of the names of device work inside graphs.
//!
//! Must not know how names are found.

use std::collections::BTreeMap;

use serde::Serialize;

use proftui_base::fmt;
use proftui_trace::model::{GraphLaunch, GraphLevel, GraphNames};

/// Counts about the names of device work inside graphs, for `proftui info`; the JSON fields are a contract
/// (see `docs/info.md`).
#[derive(Debug, Serialize)]
pub(crate) struct GraphCounts<'a> {
    /// The number of pieces of device work with a name, by level: how sure the name is.
    levels: BTreeMap<&'static str, u64>,
    /// The number of pieces of device work without a name in the launches that `launches` counts; too high
    /// where a launch counts twice.
    unnamed: u64,
    /// The number of launches of graphs for which the recorder noted names or captures were searched; one for
    /// which both is so counts twice.
    launches: u64,
    /// The number of launches of graphs for which captures were searched and none was chosen, by reason.
    pub(crate) refused: BTreeMap<&'static str, u64>,
    /// The number of pieces of device work that are paired with one node of one capture, or have a name that
    /// the recorder noted.
    pairs: u64,
    /// The number of pieces of device work with possible partners in captures, none of which is certain.
    ambiguous: u64,
    /// The number of pieces of device work, in the launches that `launches` counts, for which neither a
    /// partner in a capture nor a name from the recorder was found.
    without_partner: u64,
    /// The number of nodes of the chosen captures without device work in the launch, summed over the launches
    /// of graphs.
    left_over: u64,
    /// The number of pieces of device work after which records of the same launch are proven to be missing.
    lost_after: usize,
    /// The paths of the traces that were searched for captured graphs.
    pub(crate) files: &'a [String],
}

impl<'a> GraphCounts<'a> {
    /// The counts of a trace's names; `None` where names were neither found nor searched for.
    pub(crate) fn of(names: &'a GraphNames) -> Option<Self> {
        if names.is_empty() {
            return None;
        }
        let sum = |of: fn(&GraphLaunch) -> u32| {
            names.launches.iter().map(|launch| u64::from(of(launch))).sum::<u64>()
        };
        let mut refused = BTreeMap::new();
        for why in names.launches.iter().filter_map(|launch| launch.outcome.err()) {
            *refused.entry(why.title()).or_default() += 1;
        }
        Some(Self {
            levels: names.counts().into_iter().map(|(level, count)| (level.name(), count)).collect(),
            unnamed: sum(|launch| launch.work).saturating_sub(names.len() as u64),
            launches: names.launches.len() as u64,
            refused,
            pairs: sum(|launch| launch.pairs),
            ambiguous: sum(|launch| launch.ambiguous),
            without_partner: sum(|launch| launch.without),
            left_over: sum(|launch| launch.left_over),
            lost_after: names.lost_after.len(),
            files: &names.files,
        })
    }

    /// The main counts as one line of text for people.
    pub(crate) fn title(&self) -> String {
        let counts = |(level, count): (&&str, &u64)| {
            let note = if *level == GraphLevel::InOrder.name() {
                " (named by count and order, not verified)"
            } else {
                ""
            };
            format!("{} {level}{note}", fmt::count(*count))
        };
        let mut parts: Vec<String> = self.levels.iter().map(counts).collect();
        if self.unnamed > 0 {
            parts.push(format!("{} without a name", fmt::count(self.unnamed)));
        }
        let lost = match self.lost_after {
            0 => String::new(),
            _ => format!("; {} of captures without a record", launches(self.left_over)),
        };
        format!("{} in {} of graphs{lost}", parts.join(", "), launches(self.launches))
    }
}

/// A number of launches as text, such as `1 launch`.
pub(crate) fn launches(count: u64) -> String {
    format!("{} launch{}", fmt::count(count), if count == 1 { "" } else { "es" })
}
