//! One line of what `proftui doctor` prints.

/// Result of a check of `proftui doctor`, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It works.
    Good,
    /// It works, or is not needed, with a remark.
    Note,
    /// It does not work.
    Bad,
}

/// The result of one check of `proftui doctor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Whether what was checked works.
    pub mark: Mark,
    /// What was checked: `traces`, `Python`, `CUPTI`.
    pub what: &'static str,
    /// What was found, and what to do about it.
    pub text: String,
}
