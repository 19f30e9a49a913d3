//! The message about the first trace of a capture, which is held back for a moment: what is printed at the
//! end names the trace, too, if it is the only one.
//!
//! Must not know what the message says, nor print it.

/// About how long the message about the first trace is held back at most, ns.
const HOLDING: u64 = 2_000_000_000;

/// State of the message about a capture's first trace, which may be held back for a moment.
#[derive(Debug, Default)]
pub enum FirstLine {
    /// No message is held back, and none is to be: messages are printed at once.
    #[default]
    Free,
    /// The message about the first trace has not come yet, and may be held back.
    Awaited,
    /// The message is held back: when that began, ns of the monotonic clock, and its text.
    Held(u64, String),
}

impl FirstLine {
    /// Takes a message about a trace at the time `now`, ns of the monotonic clock, and returns the messages
    /// to print now. With `may_wait`, an awaited first message is held back.
    pub fn add(&mut self, line: String, may_wait: bool, now: u64) -> Vec<String> {
        match std::mem::take(self) {
            Self::Awaited if may_wait => {
                *self = Self::Held(now, line);
                Vec::new()
            }
            Self::Held(_, first) => vec![first, line],
            _ => vec![line],
        }
    }

    /// Takes out the message that is held back, if any; from now on no message is held back.
    pub fn take(&mut self) -> Option<String> {
        match std::mem::take(self) {
            Self::Held(_, line) => Some(line),
            Self::Free | Self::Awaited => None,
        }
    }

    /// Takes out the message if it has been held back for more than two seconds at `now`, ns of the monotonic
    /// clock.
    pub fn take_overdue(&mut self, now: u64) -> Option<String> {
        let is_overdue = matches!(self, Self::Held(since, _) if now.saturating_sub(*since) > HOLDING);
        if is_overdue { self.take() } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_waits_for_a_second_one_or_for_long() {
        let line = |text: &str| text.to_owned();
        let mut first = FirstLine::Awaited;
        assert!(first.add(line("a"), true, 5).is_empty());
        assert_eq!(first.add(line("b"), true, 6), ["a", "b"]);
        assert_eq!(first.add(line("c"), true, 7), ["c"]);

        let mut first = FirstLine::Awaited;
        assert!(first.take_overdue(HOLDING).is_none() && first.add(line("a"), true, 5).is_empty());
        assert_eq!(first.take_overdue(HOLDING + 5), None);
        assert_eq!(first.take_overdue(HOLDING + 6).as_deref(), Some("a"));
        assert_eq!(first.take(), None);

        let mut first = FirstLine::Awaited;
        assert_eq!(first.add(line("with losses"), false, 5), ["with losses"]);
        assert_eq!(FirstLine::default().add(line("a"), true, 5), ["a"]);
    }
}
