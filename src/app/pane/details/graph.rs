//! The lines about work inside graphs: of a piece of device work the operator, module and shapes by which its
//! node was created; of a launch of a graph how many of its pieces have such names.
//!
//! Must not know how names are found.

use proftui_base::fmt;
use proftui_base::intern::StrId;
use proftui_trace::model::{GraphLaunch, GraphLevel, SliceId, Trace};

use super::{Details, Tone};

/// What a level means, in words to be read after its name.
fn meaning(level: GraphLevel) -> &'static str {
    match level {
        GraphLevel::Recorded => "what the recorder noted when the graph was made",
        GraphLevel::Exact => "the launch and the captured graph have the same work in the same order",
        GraphLevel::Aligned => "this work has one certain partner in the captured graph",
        GraphLevel::Class => "what holds for each captured graph node that this work may be",
        GraphLevel::Name => "what holds for all work of this name in the graphs this launch may replay",
        GraphLevel::InOrder => "not verified: paired with the captured graph by count and order",
    }
}

impl Details {
    /// Adds what is known of device work inside a graph, or of the launch of a graph; nothing for other
    /// slices.
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
            if id != StrId::EMPTY {
                self.plain(label, trace.strings.text(id).to_string());
            }
        };
        text("operator", record.operator);
        text("module", if record.module == StrId::EMPTY { record.class } else { record.module });
        text("shapes", record.shapes);
        text("called in", record.frame);
        text("range", record.annotation);
        let tone = if level == GraphLevel::InOrder { Tone::Warning } else { Tone::Plain };
        self.push(tone, "level", format!("{}: {}", level.name(), meaning(level)), None);
        if let Some(file) = record.file.and_then(|file| trace.graph_names.files.get(file as usize)) {
            self.plain("capture", file.clone());
        }
        if trace.graph_names.lost_after.binary_search(&id).is_ok() {
            let what = "the captured graph has work right after this, of which this launch has no record";
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
                    counted(launch.left_over, "of the capture's graph nodes without work in this launch"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::session::{Selection, Session};
    use proftui_trace::import::{Progress, Request, load_bytes};
    use proftui_trace::model::{GraphName, GraphNames, GraphRecord, Unnamed};

    /// A session of a launch and its kernel, which has a name of this level; and the numbers of both.
    fn session(level: GraphLevel, outcome: Result<GraphLevel, Unnamed>) -> (Session, [SliceId; 2]) {
        let text = r#"[
            {"ph":"X","cat":"cuda_runtime","name":"hipGraphLaunch","pid":1,"tid":1,"ts":1,"dur":2,"args":{"correlation":5}},
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":9,"dur":5,"args":{"stream":7,"correlation":5}}]"#;
        let mut loaded =
            load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let trace = &mut loaded.trace;
        let &[(launch, work)] = trace.links.all() else { panic!("one link") };
        let mut text = |text: &str| trace.strings.intern(text.as_bytes());
        let record = GraphRecord {
            operator: text("aten::mm"),
            shapes: text("[[8, 4]]"),
            module: text("Linear_3"),
            class: text("Linear"),
            frame: StrId::EMPTY,
            annotation: StrId::EMPTY,
            file: Some(0),
        };
        let found = GraphLaunch {
            launch: Some(launch),
            first: work,
            work: 1,
            outcome,
            pairs: 1,
            ambiguous: 0,
            without: 0,
            left_over: 2,
            file: Some(0),
        };
        let mut names = GraphNames::default();
        names.files.push("capture.json".into());
        names.records.push(record);
        names.launches.push(found);
        names.lost_after.push(work);
        names.add([GraphName { work, level, record: 0 }]);
        trace.graph_names = names;
        (Session::new(loaded), [launch, work])
    }

    /// The lines of an event, as `label: value`.
    fn lines(session: &Session, id: SliceId) -> Vec<String> {
        let details = Details::of(session, Some(Selection::Slice(id)), false);
        details.lines.iter().map(|line| format!("{}: {}", line.label, line.value)).collect()
    }

    #[test]
    fn a_kernel_states_what_the_capture_has_of_it() {
        let (session, [_, work]) = session(GraphLevel::Aligned, Ok(GraphLevel::Aligned));
        let lines = lines(&session, work);
        let from = lines.iter().position(|line| line == ": from the capture").expect("a heading");
        assert_eq!(lines[from + 1..from + 4], ["operator: aten::mm", "module: Linear_3", "shapes: [[8, 4]]"]);
        assert_eq!(
            lines[from + 4],
            "level: aligned: this work has one certain partner in the captured graph"
        );
        assert_eq!(lines[from + 5], "capture: capture.json");
        assert!(
            lines[from + 6].starts_with("note: the captured graph has work right after this"),
            "{lines:?}"
        );
    }

    #[test]
    fn pairs_by_count_and_order_are_marked() {
        let (session, [_, work]) = session(GraphLevel::InOrder, Ok(GraphLevel::InOrder));
        let details = Details::of(&session, Some(Selection::Slice(work)), false);
        let level = details.lines.iter().find(|line| line.label.as_str() == "level").expect("a level");
        assert!(level.tone == Tone::Warning && level.value.as_str().contains("not verified"), "{level:?}");
    }

    #[test]
    fn a_launch_states_how_much_was_paired_or_why_nothing() {
        let (named, [launch, _]) = session(GraphLevel::Aligned, Ok(GraphLevel::Aligned));
        let wanted = "names inside: aligned: 1 of 1 paired, 2 of the capture's graph nodes without work in \
            this launch";
        assert!(lines(&named, launch).iter().any(|line| line == wanted), "{:?}", lines(&named, launch));
        let (refused, [launch, _]) = session(GraphLevel::Aligned, Err(Unnamed::Unlike));
        let wanted = "names inside: none: no capture agrees with its work closely enough";
        assert!(lines(&refused, launch).iter().any(|line| line == wanted), "{:?}", lines(&refused, launch));
    }
}
