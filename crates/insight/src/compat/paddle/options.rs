//! The options of Paddle's summaries: sort key, separate threads, details of operators.

/// The options of PaddlePaddle's `Profiler.summary`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The key by which operators, kernels and user-defined ranges are sorted. If the key is of host time,
    /// kernels are sorted by `GpuTotal` instead.
    pub sorted_by: SortKey,
    /// True to list operators and user-defined ranges thread by thread, false to merge all threads
    /// (`thread_sep`).
    pub by_thread: bool,
    /// True to leave out the rows of inner events and device work below operators (`op_detail=False`).
    pub no_detail: bool,
}

/// Paddle's sort keys: the value by which rows are sorted, the largest first unless the key says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// By total host time.
    #[default]
    CpuTotal,
    /// By average host time of a call.
    CpuAvg,
    /// By host time of the longest call.
    CpuMax,
    /// By host time of the shortest call, the smallest first.
    CpuMin,
    /// By total device time.
    GpuTotal,
    /// By average device time of a call.
    GpuAvg,
    /// By the largest device time of one call.
    GpuMax,
    /// By the smallest device time of one call, the smallest first.
    GpuMin,
}

impl SortKey {
    /// All sort keys, each with its name in Paddle.
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

    /// The sort key with this name, in whatever case; None if no key has the name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, key)| key)
    }
}
