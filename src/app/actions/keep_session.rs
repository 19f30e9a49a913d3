//! Keeping what the user did with a trace for the next time, and restoring it.
//!
//! Must not know where it is kept, nor the table of commands: messages take the names of keys from
//! `bindings`.

use proftui_base::fmt;
use proftui_base::time::Span;
use proftui_trace::model::SliceId;

use crate::app::Selection;
use crate::app::input::bindings;
use crate::app::marking::keeping::{Kept, KeptView, Numbers};
use crate::app::pane::panes::Panes;
use crate::app::pane::topics;
use crate::app::state::State;
use crate::app::view::timeline::Timeline;

impl State {
    /// Stores what an earlier session kept of the trace that is being read, until all of it is there; an
    /// empty [`Kept`] if it kept nothing. Without this call nothing is to be kept.
    pub(crate) fn keep(&mut self, earlier: Kept) {
        self.earlier = Some(earlier);
    }

    /// What is to be kept of the trace, as text; an empty text if the user did nothing that is worth it. None
    /// if nothing is to be written: the user did nothing, not all of the trace is read, or no file keeps it.
    pub(crate) fn to_keep(&self) -> Option<String> {
        if !self.is_kept || !self.is_used || self.source.is_snapshot() {
            return None;
        }
        let first = Timeline::new(&self.session, self.size.1);
        let lines = self.timeline.lines().kept();
        let kept = Kept {
            marks: self.marks.kept(&self.session.trace),
            numbers: Numbers::of(&self.session.trace),
            lines: (lines != first.lines().kept()).then_some(lines),
            view: (!self.shows_the_first(&first)).then(|| self.view()),
        };
        let is_worth_it = !kept.marks.is_empty() || kept.lines.is_some() || kept.view.is_some();
        Some(if is_worth_it { format!("{}\n", serde_json::json!(kept)) } else { String::new() })
    }

    /// True if the screen shows the time, the pane and the selection that it shows at first.
    fn shows_the_first(&self, first: &Timeline) -> bool {
        self.timeline.viewport() == first.viewport()
            && self.selected.selection().is_none()
            && self.panes.shown() == Panes::new(&self.session).shown()
    }

    fn view(&self) -> KeptView {
        let Span { start, end } = self.timeline.viewport();
        KeptView {
            start,
            end,
            cursor: self.timeline.cursor(),
            line: self.timeline.focus(),
            slice: self.selected.slice().map(SliceId::get),
            pane: self.panes.shown().title().to_owned(),
        }
    }

    /// Restores what an earlier session kept, if it was not restored before, and says so: the marks always;
    /// lines and view only if the user has done nothing yet and their numbers are those of this trace. Must
    /// not be called before the whole trace is loaded.
    pub(crate) fn restore_session(&mut self) {
        let Some(kept) = self.earlier.take() else { return };
        self.is_kept = true;
        let mut what = Vec::new();
        let trace = &self.session.trace;
        let is_same = kept.numbers == Numbers::of(trace) && !self.is_used;
        if let Some(lines) = kept.lines.as_ref().filter(|_| is_same)
            && lines.fits(trace.groups.len(), trace.lanes.len())
        {
            self.timeline.restore_lines(&self.session, lines);
            what.push("pins and folds".to_owned());
        }
        if let Some(view) = kept.view.filter(|_| is_same)
            && self.restore_view(&view)
        {
            what.insert(0, "the view".to_owned());
        }
        if !kept.marks.is_empty() {
            what.push(fmt::counted(kept.marks.len() as u64, "mark"));
        }
        self.marks.keep(Some(kept.marks));
        if what.is_empty() {
            return;
        }
        self.settle_rows();
        self.scroll_to_focus();
        self.refresh_table();
        let key = self.keys.label(bindings::WHOLE);
        self.say(format!("as you left it: {}; {key} shows the whole trace", what.join(", ")));
    }

    /// Shows what the screen showed; false if the trace has no such time.
    fn restore_view(&mut self, view: &KeptView) -> bool {
        let all = self.session.trace.span;
        let is_near = |t: i64| {
            let margin = all.len().max(1);
            (all.start.saturating_sub(margin)..=all.end.saturating_add(margin)).contains(&t)
        };
        if view.start >= view.end || !is_near(view.start) || !is_near(view.end) {
            return false;
        }
        let (before, moves) = (self.timeline.here(None), self.timeline.moves());
        self.timeline.show(Span { start: view.start, end: view.end });
        self.timeline.put_cursor(view.cursor);
        self.timeline.focus_on(view.line);
        let slices = self.session.trace.slices.ids();
        let slice = view.slice.map(SliceId::new).filter(|id| slices.contains(*id));
        self.select(slice.map(Selection::Slice));
        let pane = topics::all().find(|pane| pane.title() == view.pane);
        if let Some(pane) = pane.filter(|pane| *pane != self.panes.shown()) {
            self.panes.show(pane);
        }
        self.timeline.leave(before, self.selected.selection(), moves, None);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::session::Session;
    use crate::app::{Key, Msg, update};
    use proftui_trace::import::{Progress, Request, load_bytes};

    fn state(threads: u32) -> State {
        let event = |tid: u32| {
            format!(r#"{{"ph":"X","cat":"cpu_op","name":"op","pid":9,"tid":{tid},"ts":{tid}0,"dur":5}}"#)
        };
        let text = format!("[{}]", (1..=threads).map(event).collect::<Vec<_>>().join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("loads");
        State::new(Session::new(loaded), (80, 24))
    }

    /// A state of which `kept` was kept.
    fn again(threads: u32, kept: &str) -> State {
        let mut state = state(threads);
        state.keep(if kept.is_empty() { Kept::default() } else { serde_json::from_str(kept).expect("kept") });
        state.restore_session();
        state.restore_marks();
        state
    }

    fn press(state: &mut State, keys: &str) {
        for key in keys.chars() {
            update(state, Msg::Key(if key == '\n' { Key::Enter } else { Key::Char(key) }));
        }
    }

    #[test]
    fn what_was_done_is_there_again() {
        let mut first = again(6, "");
        press(&mut first, "jwwdlpmhere\n5");
        let kept = first.to_keep().expect("to be kept");
        let next = again(6, &kept);
        let seen = |state: &State| {
            let timeline = &state.timeline;
            let lines = timeline.lines().list().to_vec();
            (timeline.viewport(), timeline.cursor(), timeline.focus(), lines, state.panes.shown())
        };
        assert_eq!(seen(&next), seen(&first));
        assert_eq!((next.selected.slice(), next.marks.list()), (first.selected.slice(), first.marks.list()));
        let said = next.message.as_ref().map(|said| said.full().to_string()).unwrap_or_default();
        assert_eq!(said, "as you left it: the view, pins and folds, 1 mark; 0 shows the whole trace");
        let mut back = next;
        press(&mut back, "u");
        assert_eq!(back.timeline.viewport(), state(6).timeline.viewport(), "the first view is one step back");
    }

    #[test]
    fn nothing_is_kept_of_nothing() {
        assert_eq!(state(6).to_keep(), None, "no file keeps it");
        assert_eq!(again(6, "").to_keep(), None, "no key was pressed");
        let mut looked = again(6, "");
        press(&mut looked, "?");
        assert_eq!(looked.to_keep().as_deref(), Some(""));
        update(&mut looked, Msg::Key(Key::Esc));
        press(&mut looked, "w");
        assert_ne!(looked.to_keep().as_deref(), Some(""));
    }

    #[test]
    fn of_another_trace_only_marks_are_restored() {
        let mut first = again(6, "");
        press(&mut first, "wwpmhere\n");
        let kept = first.to_keep().expect("to be kept");
        let other = again(7, &kept);
        assert_eq!(other.timeline.viewport(), state(7).timeline.viewport());
        assert_eq!((other.timeline.lines().pinned_len(), other.marks.list().len()), (0, 1));
        let mut broken: Kept = serde_json::from_str(&kept).expect("kept");
        let view = broken.view.as_mut().expect("a view");
        (view.start, view.end) = (i64::MIN, i64::MAX);
        let next = again(6, &serde_json::json!(broken).to_string());
        assert_eq!(next.timeline.viewport(), state(6).timeline.viewport());
    }
}
