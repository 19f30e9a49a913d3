//! What the old profiler could be asked for: state, sorting, detail.

/// Whose time counts (`state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The host's.
    Cpu,
    /// The device's.
    Gpu,
    /// The sum of both, as that profiler has it.
    #[default]
    All,
}

impl State {
    /// As printed behind `Place:`.
    pub fn place(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "CUDA",
            Self::All => "All",
        }
    }
}

/// What rows are sorted by (`sorted_key`), always downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// When each first ended, upwards.
    #[default]
    Default,
    /// Number of calls.
    Calls,
    /// Total time.
    Total,
    /// Longest call.
    Max,
    /// Shortest call.
    Min,
    /// Average call.
    Ave,
    /// Device time.
    GpuTime,
    /// Host time.
    CpuTime,
}

impl SortKey {
    /// All keys and their names.
    pub const ALL: [(&'static str, Self); 8] = [
        ("default", Self::Default),
        ("calls", Self::Calls),
        ("total", Self::Total),
        ("max", Self::Max),
        ("min", Self::Min),
        ("ave", Self::Ave),
        ("gpu_time", Self::GpuTime),
        ("cpu_time", Self::CpuTime),
    ];

    /// The key of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, key)| key)
    }

    /// As printed behind `Sorted by`; the last two have no words of their own there.
    pub fn domain(self) -> &'static str {
        match self {
            Self::Default => "event first end time",
            Self::Calls => "number of calls",
            Self::Total => "total time",
            Self::Max => "maximum time",
            Self::Min => "minimum time",
            Self::Ave | Self::GpuTime | Self::CpuTime => "average time",
        }
    }
}

/// How much is shown of an operator (`tracer_option`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Operators, and the copies within them.
    #[default]
    Default,
    /// Stages within operators too: compute, infer shape, prepare data.
    OpDetail,
    /// Each instance of an operator too, where it was recorded: only binary profiles (`.prof.pb`) made with this option
    /// have it.
    AllOpDetail,
}

/// All of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whose time counts.
    pub state: State,
    /// What rows are sorted by.
    pub key: SortKey,
    /// How much is shown of an operator.
    pub detail: Detail,
}
