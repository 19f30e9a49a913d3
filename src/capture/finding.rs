//! One line of what `proftui doctor` prints.

/// Whether something works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It works.
    Good,
    /// It works, or is not needed, with a remark.
    Note,
    /// It does not work.
    Bad,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether it works.
    pub mark: Mark,
    /// What was checked: `traces`, `Python`, `CUPTI`.
    pub what: &'static str,
    /// What was found, and what to do about it.
    pub text: String,
}
