//! How times and colours are shown, as the user switches it.
//!
//! Must not know what is shown.

use proftui_base::fmt::TimeUnit;

use super::color::ColorBy;
use super::timefmt::TimeFormat;

/// The meaning of colours, the form of times, the unit of durations.
#[derive(Clone, Debug, Default)]
pub struct Looks {
    color_by: ColorBy,
    time_format: TimeFormat,
    unit: Option<TimeUnit>,
}

impl Looks {
    /// The default looks, except that colours mean `color_by`.
    pub(crate) fn with(color_by: ColorBy) -> Self {
        Self { color_by, ..Self::default() }
    }

    /// What the colours of events mean.
    pub fn color_by(&self) -> ColorBy {
        self.color_by
    }

    /// The form in which times are shown.
    pub fn time_format(&self) -> TimeFormat {
        self.time_format
    }

    /// The unit of durations in the tables and charts of panes; none if each duration has the unit that suits
    /// it.
    pub fn unit(&self) -> Option<TimeUnit> {
        self.unit
    }

    /// Switches colours to their next meaning, and returns it.
    pub(crate) fn next_colors(&mut self) -> ColorBy {
        self.color_by = self.color_by.next();
        self.color_by
    }

    /// Switches times to their next form, and returns it.
    pub(crate) fn next_times(&mut self) -> TimeFormat {
        self.time_format = self.time_format.next();
        self.time_format
    }

    /// Switches durations in panes to their next unit and returns it; none if each duration has the unit that
    /// suits it.
    pub(crate) fn next_unit(&mut self) -> Option<TimeUnit> {
        self.unit = match self.unit {
            None => Some(TimeUnit::Nano),
            Some(TimeUnit::Nano) => Some(TimeUnit::Micro),
            Some(TimeUnit::Micro) => Some(TimeUnit::Milli),
            Some(TimeUnit::Milli) => Some(TimeUnit::Second),
            Some(TimeUnit::Second) => None,
        };
        self.unit
    }
}
