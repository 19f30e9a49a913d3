//! Choosing another trace of the directory that was opened.

use proftui_base::fmt;
use proftui_base::text::SafeText;

use crate::app::pane::overlay::{ListItem, Overlay, Target};
use crate::app::state::State;
use crate::app::wires::msg::Effect;

impl State {
    /// Opens the list of all traces of the directory; says so if there is no other trace.
    pub(crate) fn list_traces(&mut self) {
        if !self.source.traces().are_several() {
            return self.say(
                "there is no other trace to choose: proftui open DIRECTORY offers those of a directory",
            );
        }
        let items = self.source.traces().all.iter().enumerate().map(|(at, files)| {
            let length = files.span.map(|span| fmt::duration(span.len()));
            let facts: Vec<String> = [length, files.date()].into_iter().flatten().collect();
            ListItem {
                title: SafeText::from(files.name.clone()),
                note: SafeText::from(facts.join(" · ")),
                target: Target::Trace(at),
            }
        });
        let title = SafeText::from(format!("{} traces", self.source.traces().all.len()));
        let shown = self.source.traces().shown;
        self.dialog.open(Overlay::list_at(title, items.collect(), shown));
    }

    /// Has the trace with this index in the directory loaded; says why not if it is shown already or a trace
    /// is loading.
    pub(crate) fn open_trace(&mut self, at: usize) {
        if self.source.loading().is_some() {
            return self.say("the trace is still loading; choose another one when it is loaded");
        }
        if at == self.source.traces().shown {
            return self.say("this trace is shown already");
        }
        if let Some(files) = self.source.choose(at) {
            self.effects.push(Effect::OpenTrace(Box::new(files)));
        }
    }
}
