//! The options of the old profiler: state, sort key, detail.

/// The time that the report sums up and compares (`state`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// Host time.
    Cpu,
    /// Device time.
    Gpu,
    /// The sum of host time and device time.
    #[default]
    All,
}

impl State {
    /// The text after `Place:` in the report.
    pub fn place(self) -> &'static str {
        match self {
            Self::Cpu => "CPU",
            Self::Gpu => "CUDA",
            Self::All => "All",
        }
    }
}

/// The sort key of rows (`sorted_key`); largest first unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// The earliest end of a row's events, earliest first, thread by thread.
    #[default]
    Default,
    /// The number of calls.
    Calls,
    /// The total time that [`State`] selects.
    Total,
    /// The time of the longest call, as [`State`] selects it.
    Max,
    /// The time of the shortest call, as [`State`] selects it.
    Min,
    /// The average time of a call, as [`State`] selects it.
    Ave,
    /// The total device time.
    GpuTime,
    /// The total host time.
    CpuTime,
}

impl SortKey {
    /// All keys with their names, such as `gpu_time`.
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

    /// The key with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|&(_, key)| key)
    }

    /// The text after `Sorted by` in the report; `GpuTime` and `CpuTime` have the text of `Ave`.
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

/// Which events the report lists (`tracer_option`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// All events but the inner parts of operators that are named `compute`, `infer_shape` or `prepare_data`,
    /// alone or after `::`.
    #[default]
    Default,
    /// Also the inner parts of operators: `compute`, `infer_shape`, `prepare_data`.
    OpDetail,
    /// As `OpDetail`; a profile recorded with this option also has events for single instances of operators.
    AllOpDetail,
}

/// All options of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The time that the report sums up: of the host, of devices, or both.
    pub state: State,
    /// The key by which sibling rows are sorted.
    pub key: SortKey,
    /// Which events the report lists.
    pub detail: Detail,
}
