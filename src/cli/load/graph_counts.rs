//! What `proftui info` states of the names of device work inside graphs.
//!
//! Must not know how names are found.

use std::collections::BTreeMap;

use serde::Serialize;

use proftui_base::fmt;
use proftui_trace::model::{GraphLaunch, GraphLevel, GraphNames};

/// Counts of names, as in the JSON; its fields are a contract (see `docs/info.md`).
#[derive(Debug, Serialize)]
pub(crate) struct GraphCounts<'a> {
    /// Device work with a name, by level.
    levels: BTreeMap<&'static str, u64>,
    /// Device work of graphs without a name.
    unnamed: u64,
    /// Launches of graphs.
    launches: u64,
    /// Launches without names, by reason.
    pub(crate) refused: BTreeMap<&'static str, u64>,
    /// Device work with one certain partner (`pairs`), with several possible ones (`ambiguous`), with none
    /// (`without_partner`); and launches in captures for which there is no device work (`left_over`).
    pairs: u64,
    ambiguous: u64,
    without_partner: u64,
    left_over: u64,
    /// Device work after which records are proven to be missing.
    lost_after: usize,
    /// The traces of captures.
    pub(crate) files: &'a [String],
}

impl<'a> GraphCounts<'a> {
    /// The counts of a trace's names; `None` where none were looked for.
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

    /// The counts as a text for people.
    pub(crate) fn title(&self) -> String {
        let counts = |(level, count): (&&str, &u64)| {
            let note =
                if *level == GraphLevel::InOrder.name() { " (by count and order, not verified)" } else { "" };
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

/// A number of launches as text.
pub(crate) fn launches(count: u64) -> String {
    format!("{} launch{}", fmt::count(count), if count == 1 { "" } else { "es" })
}
