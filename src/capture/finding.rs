//! The result of one check of `proftui doctor`, which prints one line for each.

/// Verdict of a check of `proftui doctor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// What was checked works.
    Good,
    /// What was checked works with a limitation, or is missing and not needed.
    Note,
    /// What was checked does not work.
    Bad,
}

/// The result of one check of `proftui doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Verdict of the check.
    pub mark: Mark,
    /// What was checked: `traces`, `Python`, `CUPTI`.
    pub what: &'static str,
    /// What was found, and what to do about it.
    pub text: String,
}
