//! The actions of commands in prompts and lists: erasing, choosing, accepting, closing.
//!
//! Must not know which commands there are: the palette's choice is left in the state, and the update runs it.

use proftui_base::fmt;
use proftui_base::time::Ns;

use crate::app::pane::overlay::{Overlay, Prompt, PromptKind, Target};
use crate::app::state::State;
use crate::app::view::timefmt;

impl State {
    /// Opens an empty prompt.
    pub(crate) fn open_prompt(&mut self, kind: PromptKind) {
        self.overlay = Some(Overlay::prompt(kind));
    }

    /// The open prompt, mutable; none if no prompt is open.
    pub(crate) fn prompt_mut(&mut self) -> Option<&mut Prompt> {
        match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => Some(prompt),
            _ => None,
        }
    }

    /// Closes the overlay. If it is the prompt for a filter, all rows of the summary are shown again.
    pub(crate) fn close_overlay(&mut self) {
        if self.prompt().is_some_and(|prompt| prompt.kind == PromptKind::Filter) {
            self.filter_table("");
        }
        if self.prompt().is_some_and(|prompt| prompt.kind == PromptKind::Lanes) {
            self.filter_lanes("");
        }
        self.overlay = None;
    }

    /// Erases the last character of the typed line; closes the prompt or the help if the line is empty.
    pub(crate) fn erase_typed(&mut self) {
        if let Some(Overlay::Help(help)) = &mut self.overlay {
            help.top = 0;
            if help.typed.pop().is_none() {
                self.overlay = None;
            }
            return;
        }
        let Some(prompt) = self.prompt_mut() else { return };
        prompt.is_stale = true;
        if prompt.text.pop().is_none() {
            self.overlay = None;
        }
    }

    /// Erases the typed line.
    pub(crate) fn clear_typed(&mut self) {
        if let Some(prompt) = self.prompt_mut() {
            prompt.text.clear();
            prompt.is_stale = true;
        }
    }

    /// Scrolls the help, which has `len` lines, by `by` lines (negative: up).
    pub(crate) fn scroll_help(&mut self, by: isize, len: usize) {
        if let Some(Overlay::Help(help)) = &mut self.overlay {
            help.top = help.top.saturating_add_signed(by).min(len.saturating_sub(1));
        }
    }

    /// Moves the choice in a prompt or list by `by` items (negative: up).
    pub(crate) fn choose(&mut self, by: isize) {
        let (chosen, len) = match &mut self.overlay {
            Some(Overlay::Prompt(prompt)) => (&mut prompt.chosen, prompt.candidates.len()),
            Some(Overlay::List(list)) => (&mut list.chosen, list.items.len()),
            Some(Overlay::Help(_)) | None => return,
        };
        *chosen = chosen.saturating_add_signed(by).min(len.saturating_sub(1));
    }

    /// Closes the prompt and carries it out: chooses the command, searches for the name, or goes to the time
    /// typed.
    pub(crate) fn accept_prompt(&mut self) {
        let Some(Overlay::Prompt(prompt)) = self.overlay.take() else { return };
        match prompt.kind {
            PromptKind::Palette => {
                let chosen = prompt.candidates.get(prompt.chosen);
                self.chosen_command = chosen.and_then(|candidate| candidate.value);
                if self.chosen_command.is_none() {
                    self.say("no command matches the typed text");
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

    /// Goes to the typed time `t` and says where that is.
    fn go_to_typed(&mut self, t: Ns) {
        self.go_to_time(t);
        let (trace, cursor) = (&self.session.trace, self.timeline.cursor());
        let offset = |t: Ns| fmt::duration(t.saturating_sub(trace.main_span.start));
        let (typed, here) = (offset(t), offset(cursor));
        let end = if t < cursor { "begins" } else { "ends" };
        let said = if t == cursor {
            format!("the cursor is {here} after the trace's start")
        } else {
            format!("the trace {end} at {here}: the cursor is there, not at {typed}")
        };
        let step = timefmt::step_at(trace, self.worker(), cursor);
        let step = step.map_or(String::new(), |step| format!(", in step {}", step.number));
        self.say(said + &step);
    }

    /// Closes the list or the help; goes to the event, opens the trace, or limits summaries to the group of
    /// lanes, that is chosen in a list.
    pub(crate) fn accept_list(&mut self) {
        if let Some(Overlay::List(list)) = self.overlay.take()
            && let Some(item) = list.items.get(list.chosen)
        {
            match item.target {
                Target::Event(id) => self.jump(id),
                Target::Trace(at) => self.open_trace(at),
                Target::Group(choice) => self.choose_group(choice),
                Target::Mark(index) => self.go_to_mark(index),
            }
        }
    }
}
