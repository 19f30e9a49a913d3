//! The actions of commands in prompts and lists: accepting, closing.
//!
//! Must not know which commands there are: the palette's choice is left in the dialog, and the update runs
//! it.

use proftui_base::fmt;
use proftui_base::time::Ns;

use crate::app::finding::typed::{Typed, no_command};
use crate::app::pane::overlay::{Prompt, PromptKind, Target};
use crate::app::state::State;
use crate::app::view::timefmt;

impl State {
    /// Closes the open prompt, list or help; if it is a prompt that filters rows or lanes, also ends the
    /// filter.
    pub(crate) fn close_overlay(&mut self) {
        match self.dialog.prompt().map(|prompt| prompt.kind) {
            Some(PromptKind::Filter) => self.filter_table(""),
            Some(PromptKind::Lanes) => self.filter_lanes(""),
            _ => {}
        }
        self.dialog.close();
    }

    /// Closes the open prompt and does what it is for, such as searching for events or going to a time.
    pub(crate) fn accept_prompt(&mut self) {
        let Some(prompt) = self.dialog.accept_prompt() else { return };
        match prompt.kind {
            PromptKind::Palette => self.accept_palette(&prompt),
            PromptKind::Search => self.accept_search(&prompt),
            PromptKind::Mark => self.set_mark(&prompt.text),
            // The rows were filtered during typing.
            PromptKind::Filter => {}
            PromptKind::Lanes => self.say_lane_filter(),
            PromptKind::Export => self.export_to(&prompt.text),
            PromptKind::CopyTo => self.copy_to(&prompt.text),
            PromptKind::SaveMarks => self.save_marks_to(&prompt.text),
            PromptKind::Time => self.go_to_typed(&prompt.text),
        }
    }

    /// Runs the chosen command, or does what the typed line asks for.
    fn accept_palette(&mut self, prompt: &Prompt) {
        match Typed::of(&prompt.text) {
            Some(Typed::Write(path)) => return self.export_to(path),
            Some(Typed::Sort(column)) => return self.sort_by_title(column),
            Some(Typed::Time(time)) => return self.go_to_typed(time),
            None => {}
        }
        match prompt.candidates.get(prompt.chosen).and_then(|candidate| candidate.value) {
            Some(command) => self.dialog.choose_command(command),
            None => self.say(no_command(&prompt.text)),
        }
    }

    /// Goes to the time or step that is typed; selects a step, and zooms to it. Says where the cursor is
    /// then, or why the text is no time.
    fn go_to_typed(&mut self, text: &str) {
        let (trace, worker) = (&self.session.trace, self.worker());
        match timefmt::parse(trace, worker, self.timeline.cursor(), text) {
            Ok(t) => {
                let step = timefmt::typed_step(trace, worker, text).copied();
                self.go_to_time_and_say(t);
                if let Some(step) = step {
                    // Whatever line has the focus: the step itself is asked for.
                    self.show_step(step);
                }
            }
            Err(why) => self.say(why.to_string()),
        }
    }

    /// Goes to the typed time `t`, ns, or to the nearest time of the trace, and says where the cursor is
    /// then.
    fn go_to_time_and_say(&mut self, t: Ns) {
        self.go_to_time(t);
        let (trace, cursor) = (&self.session.trace, self.timeline.cursor());
        let here = fmt::duration(cursor.saturating_sub(trace.main_span.start));
        let end = if t < cursor { "begins" } else { "ends" };
        let said = if t == cursor {
            format!("the cursor is {here} after the trace's start")
        } else {
            format!("the trace {end} at {here}: the cursor is there")
        };
        let step = timefmt::step_at(trace, self.worker(), cursor);
        let step = step.map_or(String::new(), |step| format!(", in step {}", step.number));
        self.say(said + &step);
    }

    /// Closes the open list and does what its chosen item is for, such as going to an event.
    pub(crate) fn accept_list(&mut self) {
        match self.dialog.accept_list() {
            Some(Target::Event(id)) => self.jump(id),
            Some(Target::Trace(at)) => self.open_trace(at),
            Some(Target::Group(choice)) => self.choose_group(choice),
            Some(Target::Mark(index)) => self.go_to_mark(index),
            None => {}
        }
    }
}
