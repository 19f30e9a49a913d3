//! The lines about work inside graphs: of a piece of device work the operator, module and shapes by which its node was created; of a launch of a
//! graph how many of its pieces have such names.
//!
//! Must not know how names are found.

use crate::base::fmt;
use crate::base::intern::StrId;
use crate::model::{GraphLaunch, GraphLevel, SliceId, Trace};

use super::{Details, Tone};

/// What a level means, after its name.
fn meaning(level: GraphLevel) -> &'static str {
    match level {
        GraphLevel::Recorded => "noted by the recorder when the graph was made",
        GraphLevel::Exact => "the launch and the capture have the same work in the same order",
        GraphLevel::Aligned => "the only partner in the capture",
        GraphLevel::Class => "what all possible partners in the capture have in common",
        GraphLevel::Name => "what all work of this name in the capture has in common",
        GraphLevel::InOrder => "not verified: paired by count and order alone",
    }
}

impl Details {
    /// Adds what is known of a slice that a graph launched, or that launched a graph; nothing for others.
    pub(super) fn graph(&mut self, trace: &Trace, id: SliceId) {
        if trace.graph_names.is_empty() {
            return;
        }
        if let Some(launch) = trace.graph_names.launch(id) {
            self.graph_launch(trace, launch);
        }
        let Some((level, record)) = trace.graph_names.record(id) else { return };
        let heading = if level == GraphLevel::Recorded { "inside the graph" } else { "from the capture" };
        self.push(Tone::Heading, "", heading.to_owned(), None);
        let mut text = |label: &str, id: StrId| {
            if id != 0 {
                self.plain(label, trace.strings.text(id).to_string());
            }
        };
        text("operator", record.operator);
        text("module", if record.module == 0 { record.class } else { record.module });
        text("shapes", record.shapes);
        text("called in", record.frame);
        text("range", record.annotation);
        let tone = if level == GraphLevel::InOrder { Tone::Warning } else { Tone::Plain };
        self.push(tone, "level", format!("{}: {}", level.name(), meaning(level)), None);
        if let Some(file) = record.file.and_then(|file| trace.graph_names.files.get(file as usize)) {
            self.plain("capture", file.clone());
        }
        if trace.graph_names.lost_after.binary_search(&id).is_ok() {
            let what = "the capture has more work after this, of which this launch has no record";
            self.push(Tone::Warning, "note", what.to_owned(), None);
        }
    }

    fn graph_launch(&mut self, trace: &Trace, launch: &GraphLaunch) {
        let counted =
            |count: u32, what: &str| (count > 0).then(|| format!("{} {what}", fmt::count(u64::from(count))));
        match launch.outcome {
            Err(why) => self.push(Tone::Warning, "names inside", format!("none: {}", why.title()), None),
            Ok(level) => {
                let parts = [
                    Some(format!(
                        "{} of {} paired",
                        fmt::count(u64::from(launch.pairs)),
                        fmt::count(u64::from(launch.work))
                    )),
                    counted(launch.ambiguous, "with several possible partners"),
                    counted(launch.without, "without a partner"),
                    counted(launch.left_over, "of the capture left over"),
                ];
                let parts: Vec<String> = parts.into_iter().flatten().collect();
                self.plain("names inside", format!("{}: {}", level.name(), parts.join(", ")));
            }
        }
        if let Some(file) = launch.file.and_then(|file| trace.graph_names.files.get(file as usize)) {
            self.plain("capture", file.clone());
        }
    }
}
