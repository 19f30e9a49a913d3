//! The options of Paddle's summaries: sort key, separate threads, details of operators.

/// The options of `Profiler.summary`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The sort key of operators, kernels and named ranges.
    pub sorted_by: SortKey,
    /// True to list operators and named ranges thread by thread (`thread_sep`).
    pub by_thread: bool,
    /// True to leave out the inner events and device work of operators (`op_detail=False`).
    pub no_detail: bool,
}

/// Paddle's sort keys: the value that rows are sorted by, largest first unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// Total host time.
    #[default]
    CpuTotal,
    /// Average host time of a call.
    CpuAvg,
    /// Host time of the longest call.
    CpuMax,
    /// Host time of the shortest call, smallest first.
    CpuMin,
    /// Total device time.
    GpuTotal,
    /// Average device time of a call.
    GpuAvg,
    /// Largest device time of a call.
    GpuMax,
    /// Smallest device time of a call, smallest first.
    GpuMin,
}

impl SortKey {
    /// All keys with their names in Paddle.
    pub const ALL: &[(&str, Self)] = &[
        ("CPUTotal", Self::CpuTotal),
        ("CPUAvg", Self::CpuAvg),
        ("CPUMax", Self::CpuMax),
        ("CPUMin", Self::CpuMin),
        ("GPUTotal", Self::GpuTotal),
        ("GPUAvg", Self::GpuAvg),
        ("GPUMax", Self::GpuMax),
        ("GPUMin", Self::GpuMin),
    ];

    /// The key with this name, in whatever case; None if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, key)| key)
    }
}
