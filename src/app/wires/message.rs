//! A message of the footer, and how it is fitted into the lines that it may take.
//!
//! Must not know cells or commands.

use proftui_base::text::SafeText;

/// The most lines that a message takes together with its explanations.
const EXPLAINED: usize = 2;
/// The most lines that a message takes by itself.
const MOST_LINES: usize = 4;

/// A message for the footer, with explanations that are left out where there is no room for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The message without its explanations.
    said: SafeText<'static>,
    /// Explanations, most important first; each begins with its separator, such as `; `.
    more: Vec<SafeText<'static>>,
    /// True if the message holds only until all of the trace is read.
    is_passing: bool,
}

impl Message {
    /// A message without explanations.
    pub fn new(said: impl Into<String>) -> Self {
        Self { said: SafeText::from(said.into()), more: Vec::new(), is_passing: false }
    }

    /// A message without explanations that holds only until all of the trace is read.
    pub fn passing(said: impl Into<String>) -> Self {
        Self { is_passing: true, ..Self::new(said) }
    }

    /// True if the message holds only until all of the trace is read.
    pub fn is_passing(&self) -> bool {
        self.is_passing
    }

    /// The message with one more explanation, less important than those it has; `text` begins with its
    /// separator, such as `; `.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>) -> Self {
        self.more.push(SafeText::from(text.into()));
        self
    }

    /// The message with all its explanations, in one line.
    pub fn full(&self) -> SafeText<'static> {
        self.with(self.more.len())
    }

    fn with(&self, count: usize) -> SafeText<'static> {
        let more: String = self.more[..count].iter().map(SafeText::as_str).collect();
        SafeText::from(format!("{}{more}", self.said.as_str()))
    }

    /// Wraps the message into at most a few lines of `columns` columns on a screen of `height` lines, with as
    /// many explanations as fit into two of them.
    pub fn lines(&self, columns: usize, height: usize) -> Vec<SafeText<'static>> {
        let room = (height / 4).clamp(1, MOST_LINES);
        let owned = |lines: Vec<SafeText<'_>>| lines.into_iter().map(SafeText::into_owned).collect();
        for count in (1..=self.more.len()).rev() {
            let text = self.with(count);
            let lines: Vec<_> = text.wrap_at_spaces(columns).take(EXPLAINED + 1).collect();
            if lines.len() <= EXPLAINED.min(room) {
                return owned(lines);
            }
        }
        owned(self.said.wrap_within(columns, room))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(message: &Message, columns: usize, height: usize) -> Vec<String> {
        message.lines(columns, height).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn explanations_are_left_out_whole_and_the_last_one_first() {
        let message =
            Message::new("sorted by Total").and(": summed duration").and("; nested events count once");
        assert_eq!(lines(&message, 80, 24), ["sorted by Total: summed duration; nested events count once"]);
        assert_eq!(
            lines(&message, 40, 24),
            ["sorted by Total: summed duration; nested", "events count once"]
        );
        assert_eq!(lines(&message, 20, 24), ["sorted by Total:", "summed duration"]);
        assert_eq!(lines(&message, 15, 24), ["sorted by Total"]);
        assert_eq!(lines(&message, 80, 3), ["sorted by Total: summed duration; nested events count once"]);
        assert_eq!(lines(&message, 40, 3), ["sorted by Total: summed duration"]);
    }

    #[test]
    fn what_has_to_be_said_takes_further_lines() {
        let message = Message::new("the first 2 s: raise the limit with --max-memory");
        assert_eq!(lines(&message, 20, 24), ["the first 2 s: raise", "the limit with", "--max-memory"]);
        assert_eq!(lines(&message, 20, 8), ["the first 2 s: raise", "the limit with --ma…"]);
        assert_eq!(lines(&message, 20, 1), ["the first 2 s: rais…"]);
    }

    proptest! {
        #[test]
        fn every_line_fits(words in prop::collection::vec("[a-zé界]{1,12}", 1..40), columns in 2_usize..90, height in 0_usize..60) {
            let message = Message::new(words.join(" ")).and("; more of it").and("; and still more");
            let lines = message.lines(columns, height);
            prop_assert!(lines.len() <= (height / 4).clamp(1, MOST_LINES), "{lines:?}");
            prop_assert!(lines.iter().all(|line| line.width() <= columns), "{lines:?}");
        }
    }
}
