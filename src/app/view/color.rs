//! What the colours of events mean, as the user chooses it.
//!
//! Must not know colours.

/// What the colour of an event states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorBy {
    /// The event's category.
    #[default]
    Category,
    /// The event's name: events of one name have one colour.
    Name,
    /// How long the event took.
    Duration,
    /// The lane, such as a stream or thread, that the event is on.
    Stream,
    /// The step of the event's launch or, if none is known, of the event, by the step's kind or number.
    Step,
    /// The last cause of the idle time that the event ended; for events that ended none, the category.
    Cause,
}

impl ColorBy {
    /// Every choice in the order of [`Self::next`], with its name in files and options, and its meaning for
    /// people.
    pub const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Category, "category", "category"),
        (Self::Name, "name", "name"),
        (Self::Duration, "duration", "duration: under 10 us, 100 us, 1 ms, 10 ms, longer"),
        (Self::Stream, "stream", "stream or thread"),
        (Self::Step, "step", "step of their launch, if known, else of their start (kind or number)"),
        (Self::Cause, "cause", "last cause of the device's idle time right before them, else category"),
    ];

    fn at(self) -> usize {
        Self::ALL.iter().position(|(choice, ..)| *choice == self).unwrap_or_default()
    }

    /// The choice's name in files and options.
    pub fn name(self) -> &'static str {
        Self::ALL[self.at()].1
    }

    /// What the colours mean, for people.
    pub fn title(self) -> &'static str {
        Self::ALL[self.at()].2
    }

    /// The choice of this name; none if no choice has it.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, own, _)| *own == name).map(|(choice, ..)| *choice)
    }

    /// The next choice; the first one after the last.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL[(self.at() + 1) % Self::ALL.len()].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_choices_follow_each_other_and_have_names() {
        let mut choice = ColorBy::default();
        for (expected, name, _) in ColorBy::ALL {
            assert_eq!((choice, choice.name()), (expected, name));
            assert_eq!(ColorBy::parse(name), Some(choice));
            choice = choice.next();
        }
        assert_eq!(choice, ColorBy::default());
        assert_eq!(ColorBy::parse("hue"), None);
    }
}
