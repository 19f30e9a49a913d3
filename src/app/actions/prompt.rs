//! The actions of commands in prompts and lists: accepting, closing.
//!
//! Must not know which commands there are: the palette's choice is left in the dialog, and the update runs
//! it.

use proftui_base::fmt;
use proftui_base::time::Ns;

use crate::app::pane::overlay::{PromptKind, Target};
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
            PromptKind::Palette => {
                let chosen = prompt.candidates.get(prompt.chosen);
                match chosen.and_then(|candidate| candidate.value) {
                    Some(command) => self.dialog.choose_command(command),
                    None => self.say("no command matches the typed text"),
                }
            }
            PromptKind::Search => self.accept_search(&prompt),
            PromptKind::Mark => self.set_mark(&prompt.text),
            // The rows were filtered during typing.
            PromptKind::Filter => {}
            PromptKind::Lanes => self.say_lane_filter(),
            PromptKind::Export => self.export_to(&prompt.text),
            PromptKind::CopyTo => self.copy_to(&prompt.text),
            PromptKind::SaveMarks => self.save_marks_to(&prompt.text),
            PromptKind::Time => {
                match timefmt::parse(&self.session.trace, self.worker(), self.timeline.cursor(), &prompt.text)
                {
                    Ok(t) => {
                        let step = timefmt::typed_step(&self.session.trace, self.worker(), &prompt.text);
                        let slice = step.map(|step| step.slice);
                        self.go_to_typed(t);
                        if let Some(slice) = slice {
                            // Whatever line has the focus: the step itself is asked for.
                            self.go_to_slice(slice);
                            self.timeline.put_cursor(t);
                        }
                    }
                    Err(why) => self.say(why.to_string()),
                }
            }
        }
    }

    /// Goes to the typed time `t`, ns, or to the nearest time of the trace, and says where the cursor is
    /// then.
    fn go_to_typed(&mut self, t: Ns) {
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
