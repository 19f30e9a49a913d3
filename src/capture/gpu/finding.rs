//! The result of one check of `proftui doctor`, which prints one line for each.

/// Verdict of a check of `proftui doctor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The check passed.
    Good,
    /// The check found a limitation, with which captures still work.
    Note,
    /// The check failed.
    Bad,
}

/// The result of one check of `proftui doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Verdict of the check.
    pub mark: Mark,
    /// Name of the check, such as `Python`, `GPU driver` or `CUPTI`; several findings may have the same name.
    pub what: &'static str,
    /// The result, and advice, if any.
    pub text: String,
}
