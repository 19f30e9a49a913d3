//! What an event belongs to: the script's line, launches and device work, operators, the slices around it,
//! the frames of Python in which it was called.
//!
//! Must not know how frames are found, nor the screen.

use proftui_base::fmt;
use proftui_base::time::Ns;
use proftui_insight::analysis::vocabulary::script_line::{Frame, line};
use proftui_trace::model::{SliceId, Trace};

use super::script::{SCRIPT_LINE, frame, innermost_line};
use super::{Details, Tone};
use crate::app::pane::links::{self, Link, LinkKind};

/// How many forward links of an event the Details pane lists at most.
const LISTED: usize = 40;

/// How many slices around the selected one, and how many that are open on its thread's Python lane, the
/// Details pane lists at most.
const AROUND: usize = 1_000;

/// The label of a frame in which an event was called.
const CALLED_IN: &str = "called in";

impl Details {
    /// Adds the line of the script that an event is or from which it was called, of its `frames`, innermost
    /// first; nothing without one.
    pub(super) fn add_script_line(&mut self, trace: &Trace, id: SliceId, frames: &[SliceId]) {
        let called = || line(frames.iter().copied(), |id| frame(trace, id));
        if let Some(frame) = innermost_line(trace, id).or_else(called) {
            self.push_link(trace, SCRIPT_LINE, frame, String::new());
        }
    }

    /// Adds the launch of the event, its operator, and what the event launched.
    pub(super) fn links(&mut self, trace: &Trace, id: SliceId) {
        self.links = links::back(trace, id);
        for link in self.links.clone() {
            self.link(trace, &link);
            if link.kind == LinkKind::Launch
                && let Some(operator) = trace.operator_of(link.target)
            {
                self.push_link(trace, "operator", operator, String::new());
            }
        }
        if trace.slices.category(id).is_device_work() && trace.links.launch_of(id).is_none() {
            let (tone, why) = if self.is_snapshot {
                (Tone::Plain, "reading …: the launch is not read so far")
            } else {
                let why = "not known: the launch came before the recording, or was not recorded, \
                    loaded or linked";
                (Tone::Warning, why)
            };
            self.push(tone, "launched by", why.into(), None);
        }
        let forward = links::forward(trace, id);
        let work: Vec<&Link> = forward.iter().filter(|link| link.kind == LinkKind::Work).collect();
        if work.len() > 1 {
            let times = work.iter().map(|link| trace.slices.dur[link.target]);
            let time = times.fold(0, Ns::saturating_add);
            self.plain(
                "device work",
                format!("{} kernels, copies and memsets, lasting {} summed", work.len(), fmt::duration(time)),
            );
        }
        forward.iter().take(LISTED).for_each(|link| self.link(trace, link));
        if forward.len() > LISTED {
            self.plain("", format!("and {} more", forward.len() - LISTED));
        }
        self.links.extend(forward);
    }

    fn link(&mut self, trace: &Trace, link: &Link) {
        let took = fmt::duration(trace.slices.dur[link.target]);
        let delay =
            link.delay.map_or(String::new(), |delay| format!(" · queue delay {}", fmt::duration(delay)));
        self.push_link(trace, link.kind.title(), link.target, format!("{delay} · took {took}"));
    }

    /// Adds lines for the slices that enclose the slice `id` on its lane, outermost first. If they are more
    /// than [`AROUND`], only the innermost are listed, and the others counted.
    pub(super) fn surroundings(&mut self, trace: &Trace, id: SliceId) {
        let mut around: Vec<SliceId> = trace.slices.ancestors(id).take(AROUND).collect();
        around.reverse();
        let listed = around.len();
        if listed == AROUND {
            self.more("inside", trace.slices.ancestors(id).count() - listed);
        }
        for ancestor in around {
            let took = fmt::duration(trace.slices.dur[ancestor]);
            self.push_link(trace, "inside", ancestor, format!(" · {took}"));
        }
    }

    /// Adds lines for the `frames` in which an event was called, innermost first: those of the script, then
    /// those of libraries. Of more than [`AROUND`] of each, only the innermost are listed, the others
    /// counted.
    pub(super) fn frames(&mut self, trace: &Trace, frames: &[SliceId]) {
        let (libraries, own): (Vec<SliceId>, Vec<SliceId>) =
            frames.iter().partition(|&&id| is_of_library(trace, id));
        self.listed(trace, CALLED_IN, &own);
        if !libraries.is_empty() {
            let count = fmt::counted(libraries.len() as u64, "frame");
            self.push(Tone::Heading, "", format!("{count} of libraries"), None);
            self.listed(trace, "library", &libraries);
        }
    }

    fn listed(&mut self, trace: &Trace, label: &str, frames: &[SliceId]) {
        frames.iter().take(AROUND).for_each(|&id| self.push_link(trace, label, id, String::new()));
        self.more(label, frames.len().saturating_sub(AROUND));
    }

    /// Adds a line that says that `count` more events are not listed; nothing if `count` is 0.
    fn more(&mut self, label: &str, count: usize) {
        if count > 0 {
            self.plain(label, format!("{} more, outside of these", fmt::count(count as u64)));
        }
    }
}

/// True for a frame of a library, and for a function that is built in.
fn is_of_library(trace: &Trace, id: SliceId) -> bool {
    frame(trace, id) == Frame::Library || trace.strings.bytes(trace.slices.name[id]).starts_with(b"<")
}

#[cfg(test)]
mod tests {
    use super::super::script::python_stack;
    use super::*;
    use crate::app::session::{Selection, Session};
    use proftui_trace::import::{Progress, Request, load_bytes};
    use proftui_trace::model::LaneKind;

    #[test]
    fn the_line_of_the_script_is_stated_first_and_frames_of_libraries_last() {
        let event = |cat: &str, name: &str, (pid, tid): (u32, u32), (from, dur): (u32, u32), args: &str| {
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":{pid},"tid":{tid},"ts":{from},"dur":{dur},"args":{{{args}}}}}"#
            )
        };
        let stack = [
            "main.py(9): <module>",
            "net.py(5): forward",
            "torch/nn/modules/linear.py(7): forward",
            "<built-in linear>",
        ];
        let mut events: Vec<String> = (0_u32..)
            .zip(stack)
            .map(|(at, name)| event("python_function", name, (1, 1), (at, 90 - 2 * at), ""))
            .collect();
        events.push(event("cpu_op", "aten::linear", (1, 1), (10, 50), ""));
        events.push(event("cuda_runtime", "cudaLaunchKernel", (1, 1), (20, 5), r#""correlation":3"#));
        events.push(event("kernel", "gemm", (0, 7), (30, 9), r#""stream":7,"correlation":3"#));
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let session = Session::new(loaded);
        let lines = |name: &str| -> Vec<String> {
            let ids = session.trace.slices.ids();
            let id = ids.iter().find(|&id| session.trace.name(id).as_str() == name).expect("an event");
            let details = Details::of(&session, Some(Selection::Slice(id)), false);
            assert_eq!(details.script_line(), Some("net.py(5): forward"), "{name}");
            let shown = details.lines.iter().map(|line| format!("{}: {}", line.label, line.value));
            shown.skip_while(|line| !line.starts_with("kind, lane")).skip(1).collect()
        };
        assert_eq!(
            lines("gemm"),
            [
                "script line: net.py(5): forward",
                "launched by: cudaLaunchKernel",
                "operator: aten::linear",
                "called in: net.py(5): forward",
                "called in: main.py(9): <module>",
                ": 2 frames of libraries",
                "library: <built-in linear>",
                "library: torch/nn/modules/linear.py(7): forward",
            ]
        );
        assert_eq!(lines("cudaLaunchKernel")[0], "script line: net.py(5): forward");
        assert_eq!(lines("<built-in linear>")[0], "script line: net.py(5): forward");
    }

    #[test]
    fn of_a_deep_stack_the_innermost_are_shown_and_the_others_counted() {
        const DEEP: usize = AROUND + 50;
        let event = |cat: &str, at: usize| {
            let dur = 4 * (DEEP - at);
            format!(r#"{{"ph":"X","cat":"{cat}","name":"f{at}","pid":1,"tid":1,"ts":{at},"dur":{dur}}}"#)
        };
        let events: Vec<String> =
            ["cpu_op", "python_function"].iter().flat_map(|cat| (0..DEEP).map(|at| event(cat, at))).collect();
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let session = Session::new(loaded);
        let trace = &session.trace;
        let is_innermost = |&id: &SliceId| {
            trace.name(id).as_str() == format!("f{}", DEEP - 1)
                && trace.lanes[trace.lane_of(id)].kind == LaneKind::Thread
        };
        let id = trace.slices.ids().iter().find(is_innermost).expect("the innermost");
        let details = Details::of(&session, Some(Selection::Slice(id)), false);
        let of = |label: &str| -> Vec<String> {
            let lines = details.lines.iter().filter(|line| line.label.as_str() == label);
            lines.map(|line| line.value.to_string()).collect()
        };
        let (inside, called) = (of("inside"), of("called in"));
        assert_eq!((inside.len(), inside[0].as_str()), (AROUND + 1, "49 more, outside of these"));
        assert_eq!((inside[1].as_str(), inside[AROUND].clone()), ("f49", format!("f{}", DEEP - 2)));
        assert_eq!((called.len(), called[AROUND].as_str()), (AROUND + 1, "50 more, outside of these"));
        assert_eq!((called[0].clone(), called[AROUND - 1].as_str()), (format!("f{}", DEEP - 1), "f50"));
    }

    #[test]
    fn of_functions_that_overlap_all_that_are_open_are_shown_the_latest_first() {
        let event = |cat: &str, name: &str, from: u32, dur: u32| {
            format!(r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":1,"ts":{from},"dur":{dur}}}"#)
        };
        let functions = [("a", 0, 10), ("b", 1, 2), ("c", 5, 10)];
        let mut events: Vec<String> =
            functions.iter().map(|&(name, from, dur)| event("python_function", name, from, dur)).collect();
        events.extend([event("cpu_op", "early", 6, 1), event("cpu_op", "late", 12, 1)]);
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        let session = Session::new(loaded);
        let trace = &session.trace;
        let stack_of = |name: &str| -> Vec<String> {
            let id =
                trace.slices.ids().iter().find(|&id| trace.name(id).as_str() == name).expect("the operator");
            python_stack(&session, id).into_iter().map(|frame| trace.name(frame).to_string()).collect()
        };
        assert_eq!(stack_of("early"), ["c", "a"]);
        assert_eq!(stack_of("late"), ["c"]);
    }
}
