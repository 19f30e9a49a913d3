//! The message about the first trace of a capture, which is held back for a moment: what is printed at the
//! end names the trace, too, if it is the only one.
//!
//! Must not know what the message says, nor print it.

/// How long the message is held back while the program runs, ns.
const HOLDING: u64 = 2_000_000_000;

/// Whether the message about the first trace is held back.
#[derive(Debug, Default)]
pub enum FirstLine {
    /// It is not held back, or not any more.
    #[default]
    Free,
    /// It is to be held back once it is there.
    Awaited,
    /// This message is held back, since this time, ns of the monotonic clock.
    Held(u64, String),
}

impl FirstLine {
    /// Takes the message about a trace at the time `now`, ns of the monotonic clock: holds it back if it is
    /// awaited and `may_wait`. Returns the messages to print now, in order.
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

    /// Takes the message out, if it is held back; `None` if it is not.
    pub fn take(&mut self) -> Option<String> {
        match std::mem::take(self) {
            Self::Held(_, line) => Some(line),
            Self::Free | Self::Awaited => None,
        }
    }

    /// Takes the message out, if it has been held back for more than two seconds at the time `now`, ns of the
    /// monotonic clock; `None` if it has not.
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
