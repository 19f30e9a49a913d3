//! The lines of an event that was read again from its file: its arguments, and its other fields as recorded.
//!
//! Made on another thread, as an event may have any number of arguments of any length. Must not know where
//! the lines are inserted.

use proftui_base::saturate::saturate;
use proftui_base::text::SafeText;
use proftui_base::{cancel, fmt};
use proftui_trace::import::{Argument, EventText, Value};
use proftui_trace::model::SliceId;

use super::script::{self, SCRIPT_LINE};
use super::{DetailLine, Details, Tone};
use crate::app::session::Session;

/// How many lines of an event's arguments, and how many of its other fields, the Details pane shows at most.
const MOST_LINES: usize = 10_000;
/// How many bytes of an argument's value, or of its name, are usually shown at most.
const LONGEST_VALUE: usize = 64 << 10;

/// The first [`LONGEST_VALUE`] bytes of a text at most, cut between characters, and how many bytes are left
/// out.
fn start_of(text: SafeText<'static>) -> (SafeText<'static>, usize) {
    if text.as_str().len() <= LONGEST_VALUE {
        return (text, 0);
    }
    let start = text.as_str().floor_char_boundary(LONGEST_VALUE);
    (SafeText::new(&text.as_str()[..start]).into_owned(), text.as_str().len() - start)
}

/// Lines for the Details pane that are made after the selection: an event's arguments and other fields, or
/// what a thread did in a gap.
#[derive(Debug, Default)]
pub(crate) struct EventLines {
    pub(crate) arguments: Vec<DetailLine>,
    pub(crate) fields: Vec<DetailLine>,
}

impl EventLines {
    /// Makes the lines of an event and of its separate end event, if any, from what was read again; may take
    /// long.
    pub(crate) fn of(texts: Vec<EventText>) -> Self {
        let mut details = Details::default();
        let mut fields = Vec::new();
        for (number, text) in texts.into_iter().enumerate() {
            cancel::check();
            if number > 0 {
                details.push(Tone::Heading, "", "arguments of the end event".into(), None);
            }
            fields.push(details.arguments(text));
        }
        let arguments = bounded(std::mem::take(&mut details));
        fields.into_iter().for_each(|fields| details.recorded(fields));
        Self { arguments, fields: bounded(details) }
    }

    /// The lines, with the line of the script before them if only the files have it; reads them.
    pub(crate) fn with_script_line(mut self, session: &Session, id: SliceId) -> Self {
        if let Some(line) = script::of_arguments(session, id) {
            let mut details = Details::default();
            details.plain(SCRIPT_LINE, line);
            self.arguments.splice(0..0, details.lines);
        }
        self
    }
}

/// The first [`MOST_LINES`] lines of `details`, and a line with the number of the others, if any.
fn bounded(mut details: Details) -> Vec<DetailLine> {
    let more = details.lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        details.lines.truncate(MOST_LINES);
        let count = fmt::counted(more as u64, "line");
        details.push(
            Tone::Warning,
            "",
            format!("and {count} more: only the first {MOST_LINES} are listed"),
            None,
        );
    }
    details.lines
}

impl Details {
    /// Adds the lines of an event's arguments, or of why the event could not be read; returns the event's
    /// other fields.
    fn arguments(&mut self, text: EventText) -> Vec<Argument> {
        let members = match text {
            EventText::Members(members) => members,
            EventText::Gone(why) => {
                self.push(Tone::Warning, "arguments", why.to_string(), None);
                return Vec::new();
            }
        };
        let (args, fields): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|member| member.name.as_str() == "args");
        for Argument { value, .. } in args {
            match value {
                Value::Object(members) => members.into_iter().for_each(|member| self.argument(member)),
                other => self.plain("args", other.line().to_string()),
            }
        }
        fields
    }

    /// Adds lines of an event's fields other than the arguments, under a heading; nothing if there are none.
    fn recorded(&mut self, fields: Vec<Argument>) {
        if fields.is_empty() {
            return;
        }
        self.push(Tone::Heading, "", "fields as recorded".into(), None);
        for Argument { name, value } in fields {
            self.value(name, value.line());
        }
    }

    /// Adds a line of `label` and `value`, each cut to at most [`LONGEST_VALUE`] bytes, and notes how many
    /// bytes are cut.
    fn value(&mut self, label: SafeText<'static>, value: SafeText<'static>) {
        let (label, more) = start_of(label);
        let (value, rest) = start_of(value);
        let left = more + rest;
        let more = || format!(" … and {} more", fmt::bytes(saturate::<i64>(left)));
        let note = if left > 0 { SafeText::from(more()) } else { SafeText::default() };
        self.lines.push(DetailLine { tone: Tone::Plain, label, value, note, target: None });
    }

    /// Adds a line for an argument or, for a call stack of several frames, a line for their number and one
    /// for each frame.
    fn argument(&mut self, argument: Argument) {
        let value = argument.value.line();
        let is_stack = argument.name.as_str().to_lowercase().replace(' ', "").contains("callstack");
        let frames: Vec<&str> = value.as_str().split(';').filter(|frame| !frame.trim().is_empty()).collect();
        if is_stack && frames.len() > 1 {
            self.push(
                Tone::Plain,
                argument.name.as_str(),
                format!("{} frames, innermost first", frames.len()),
                None,
            );
            frames.iter().for_each(|frame| self.plain("", format!("  {}", frame.trim())));
        } else {
            self.value(argument.name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> SafeText<'static> {
        SafeText::from(text.to_owned())
    }

    #[test]
    fn of_many_or_long_arguments_the_first_are_shown_and_the_others_counted() {
        let argument = |at: usize| Argument { name: text(&format!("a{at}")), value: Value::Plain(text("1")) };
        let args = Argument {
            name: text("args"),
            value: Value::Object((0..MOST_LINES + 7).map(argument).collect()),
        };
        let long = Argument { name: text("long"), value: Value::Text(text(&"é".repeat(LONGEST_VALUE))) };
        let lines = EventLines::of(vec![EventText::Members(vec![args, long])]);
        assert_eq!(lines.arguments.len(), MOST_LINES + 1);
        let last = lines.arguments.last().expect("a line").text().to_string();
        assert_eq!(last, "and 7 lines more: only the first 10000 are listed");
        let [_, field] = &lines.fields[..] else { panic!("{:?}", lines.fields) };
        assert_eq!(field.value.as_str().len(), LONGEST_VALUE);
        assert_eq!(field.note.as_str(), " … and 64.00 KiB more");
    }
}
