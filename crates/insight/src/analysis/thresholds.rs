//! The numbers with which causes and findings are decided, in one table, which `proftui insights --explain`
//! prints and `docs/insights.md` repeats.
//!
//! Must not know who compares with them.

use proftui_base::time::Ns;

/// A number by which causes and findings are decided, such as a bound.
#[derive(Clone, Copy, Debug)]
pub struct Threshold {
    /// The id of a rule or cause that uses the threshold; `severity`, `verdict` or `when` if it belongs to
    /// no single rule.
    pub rule: &'static str,
    /// How the value is used, as text for users.
    pub what: &'static str,
    /// The number itself, in `unit`.
    pub value: f64,
    /// The unit of the value: `share`, `ns`, `bytes`, `count`.
    pub unit: &'static str,
}

macro_rules! thresholds {
    ($($name:ident: $kind:ty = $value:literal $unit:literal, $rule:literal: $what:literal;)+) => {
        $(#[doc = $what] pub const $name: $kind = $value;)+

        /// All thresholds.
        pub(crate) const THRESHOLDS: &[Threshold] =
            &[$(Threshold { rule: $rule, what: $what, value: $value as f64, unit: $unit }),+];
    };
}

thresholds! {
    NOTE: f64 = 0.05 "share", "severity": "A finding with at least this share of the run is \
        at least a note. With less it is not shown, except for findings of `memory_growth` and \
        `allocator_retries`.";
    WARNING: f64 = 0.10 "share", "severity": "A finding with at least this share of the run \
        is at least a warning.";
    CRITICAL: f64 = 0.20 "share", "severity": "A finding with at least this share of the run \
        is critical.";
    NAMED: f64 = 0.80 "share", "severity": "A name stands without its share as the reason only if it has at \
        least this share of the idle times that were looked at.";
    SAMPLED: usize = 256 "count", "severity": "Where the 64 longest idle times of a cause have less than 80 \
        % of its time, its reason is taken from so many points of it instead, chosen evenly over its time.";
    MENTIONED: f64 = 0.10 "share", "severity": "Where no name is the reason, names with at least this share \
        of the idle times that were looked at are listed, three at most.";
    SPANNING: f64 = 0.90 "share", "severity": "A slice that lasts at least this share of the run is around \
        everything, and is not the reason of a finding.";
    // The demo traces have 1 to 3 % outside of their steps, an import or a warm-up 20 % and more.
    OUTSIDE: f64 = 0.05 "share", "verdict": "From this share of the recording on, the verdict says how much \
        is outside of the steps.";
    SPREAD: f64 = 0.10 "share", "verdict": "From this difference on, the verdict states the busy shares of \
        several devices as a range, not only their average.";
    MOSTLY_BUSY: f64 = 0.50 "share", "verdict": "From this share on the verdict begins with how busy the \
        devices are, unless a finding is a warning.";
    // Evidence for the next five: labelled runs with a pause in one step, in every third, and with a loader,
    // a compiler or an allocator that is slow in the first step only.
    MOST_OF_TIME: f64 = 0.80 "share", "when": "A finding shows in the fewest steps that have at least this \
        share of its time, and in all steps with at least half the time of the least of them.";
    ALIKE: f64 = 0.60 "share", "when": "A finding also shows in the steps of which it has at least this part \
        of the share that it has of all steps, and, if less than half of the steps have most of the \
        time, a fifth of the most of a step.";
    MANY_STEPS: f64 = 0.70 "share", "when": "A finding that shows in at least this share of the steps shows \
        in every step.";
    ONCE: f64 = 3.0 "count", "when": "A cause comes once, at the start, if the first recorded step has more \
        than this many times the median of the other steps; that time is then a finding of its own.";
    START: f64 = 0.50 "share", "when": "In a trace without steps, a cause comes once if at least this share \
        of its time is before the device has done a twentieth of its work.";
    UNRECORDED_WAIT: Ns = 200_000 "ns", "not_recorded": "The least wait of the host, for a device without \
        recorded work, by which records count as missing.";
    QUEUED_START: Ns = 10_000 "ns", "launch_delay": "Before work that was queued, or whose launch is not \
        known, at least this time of a gap may count as launch delay; also the least bound of a delay.";
    FEW_DELAY: Ns = 25_000 "ns", "launch_delay": "The least bound of a delay, up to which it counts as \
        launch delay, where fewer than 20 launches of that kind of work returned in the gap before it.";
    DELAYS: usize = 20 "count", "launch_delay": "The least number of launches of a kind of work that \
        returned in the gap before it, from which the bound is computed: at least twice the median of their \
        delays.";
    GRAPH_DELAY: Ns = 50_000 "ns", "launch_delay": "The bound of the delay between the launch of a graph \
        and its work is at least this.";
    FOLLOWING: Ns = 100_000 "ns", "launch_delay": "The longest distance at which a device follows its \
        thread, unless the bound of the delay is longer; beyond it, work launched before the gap was queued.";
    LONG_OPERATOR: Ns = 200_000 "ns", "cpu_operator": "The least length from which an operator, or a \
        collective on the host, that launches nothing is a cause of its own; also the least time that an \
        operator itself computes before, between or after its launches.";
    // The first launch of a kernel loads its module: 3.06 s of cudaLaunchKernel in a trace of nsys-ai, while
    // later launches take 5 to 20 µs, and up to some 100 µs with stacks.
    FIRST_LAUNCH: Ns = 1_000_000 "ns", "compile": "The least length of a launching call, other than of a \
        graph, that counts as loading the code of a kernel where the device has nothing to do meanwhile.";
    // Matrix products have 30 to 50 % of the operators' time of usual models on a CPU.
    ONE_OPERATOR: f64 = 0.60 "share", "cpu_operator": "In a part without devices, an operator with at least \
        this share of the time of all operators is a warning or critical, by its share of the run, unless it \
        is a matrix product, a convolution or attention; others are notes.";
    BETWEEN: Ns = 100_000 "ns", "host_python": "Python and ranges between a thread's other activities count \
        only where these are at least this far apart.";
    // Optimizer.zero_grad of a GPU trace: 94 % of a gap was called dispatch, though it is Python that frees
    // gradients, with few operators; operators cover a fifth of sparse_data_dist of DLRM.
    SPARSE: f64 = 0.50 "share", "host_python": "Where operators and calls have less than this share of some \
        100 µs of a range, outside of the ranges within it, the time between them is the script's.";
    LONG_FUNCTION: Ns = 100_000_000 "ns", "blocking_sync": "A Python function of at least this length that \
        begins after a wait and launches nothing is no refilling of the queue.";
    SHARED_LOCK: f64 = 0.50 "share", "host_python": "In a part without devices, the finding says that \
        threads share the interpreter's lock from this share of the time on in which another one runs \
        Python, too.";
    // A replay takes some 50 ns for each piece of work and cause.
    REPLAYED: usize = 200_000 "count", "replay": "With more pieces of device work than this there is no \
        replay, and only the most that a finding saves is known.";
    REPLAY_ERROR: f64 = 0.02 "share", "replay": "Where the replay of everything differs from the recording \
        by more than this share, it predicts nothing.";
    DIFFERS: f64 = 0.10 "share", "replay": "What a finding likely saves is stated where it differs from the \
        most by more than this share.";
    READ_VALUE: u64 = 1024 "bytes", "blocking_sync": "Copies for which the host waits count as \
        synchronizations only up to this size.";
    HIDDEN: f64 = 0.70 "share", "communication": "Communication of which at least this share is hidden is no \
        finding.";
    // A trace of timesformer has one on each side; scaling, biases, masks, casts and dropout may add some.
    WITHIN_ATTENTION: usize = 8 "count", "unfused_attention": "The most kernels, copies and memsets between \
        a product and the softmax.";
    // The guide on control flow of Paddle: 1,200 copies of 30 ms; a training step reads one or two losses.
    SMALL_COPIES: f64 = 100.0 "count", "small_copies": "The least number of copies of at most 1 KiB.";
    // Of 885 calls of ns_resolution_trace (HTA) with the device 99 % busy, 102 take 100 to 601 µs, and their
    // copies begin 80 ms later; the other calls take 11 µs.
    FULL_QUEUE: Ns = 100_000 "ns", "small_copies": "A call of at least this length that returns before its \
        copy begins waits for room in the queue of the device, and does not count.";
    SMALL: f64 = 10_000.0 "ns", "small_kernels": "Kernels are small below this mean duration; also those of \
        an unfused optimizer.";
    SMALL_LEAST: f64 = 100.0 "count", "small_kernels": "With fewer kernels than this the rule reports \
        nothing.";
    OPTIMIZER_LAUNCHES: f64 = 200.0 "count", "unfused_optimizer": "The least number of kernels that \
        optimizers launch per step, on average; with fewer the rule reports nothing.";
    SIMT: f64 = 0.15 "share", "no_tensor_cores": "The least share of the kernels' time that float32 matrix \
        products and convolutions without tensor cores have; with less the rule reports nothing.";
    ROOF: f64 = 0.50 "share", "under_the_roof": "Only operators of the same name, shapes and type that \
        together get less than this share of what the device can achieve are reported.";
    JUDGED: Ns = 10_000 "ns", "under_the_roof": "The least time of an operator's kernels; an operator whose \
        kernels took less is not judged.";
    KERNEL_START: f64 = 5_000.0 "ns", "under_the_roof": "The time granted to each kernel to start and to \
        end; it is added to the least time that the device can achieve.";
    IMPOSSIBLE: f64 = 1.10 "share", "under_the_roof": "Where operators of the same name, shapes and type \
        together got more than this share of the peak, other than from the cache, no operator is judged.";
    CACHED: f64 = 4.0 "count", "under_the_roof": "Tensors of an operator that together have less than this \
        many times the cache may be in it: the operator may get more than the peak bandwidth of memory.";
    OCCUPIED: f64 = 0.25 "share", "low_occupancy": "The occupancy below which kernels that `under_the_roof` \
        reports have few warps.";
    OCCUPIED_LEAST: f64 = 0.50 "share", "low_occupancy": "The rule reports kernels with few warps only if \
        they have at least this share of the time of all kernels that `under_the_roof` reports. It names few \
        blocks as the reason if kernels with few blocks have at least this share of the time of the kernels \
        with few warps.";
    FILLED: f64 = 1.0 "count", "serial_streams": "Blocks per multiprocessor below which a kernel leaves room \
        for another.";
    BACK_TO_BACK: Ns = 10_000 "ns", "serial_streams": "The longest idle time between two kernels that could \
        overlap.";
    OUTLIER_STEPS: f64 = 5.0 "count", "outlier_step": "Of a process with fewer steps than this (its first \
        one in the part does not count) the rule reports nothing; `memory_growth` abstains with fewer steps, \
        those of all processes and first ones included.";
    DEVIATIONS: Ns = 3 "count", "outlier_step": "Median absolute deviations above the median beyond which a \
        step is an outlier, or may be one of the warm-up.";
    GROWTH: f64 = 32_000_000.0 "bytes", "memory_growth": "The least growth of the memory in use from \
        the end of the third step in which it is known to that of the last one; with less the rule reports \
        nothing.";
    LATE_SHARE: f64 = 0.50 "share", "late_rank": "The least share of the collectives to which a rank comes \
        last; with less the rule reports nothing.";
    LEAST_LATE: Ns = 10_000 "ns", "late_rank": "A rank is late to a collective from this time after the \
        second to last on, and from three times the spread of the aligned clocks.";
    CLOCK_SPREAD: Ns = 20_000 "ns", "late_rank": "The largest spread of the ends of collectives with which \
        clocks count as aligned; with more the rule abstains.";
    SHARED_COLLECTIVES: usize = 3 "count", "late_rank": "The least number of collectives that a rank has in \
        common with others; with fewer the rule abstains.";
    RETRIES: f64 = 2.0 "count", "allocator_retries": "The least number of operators, ranges or frames with \
        retried allocations; with fewer the rule reports nothing.";
    // Two memsets on a second GPU made "2 GPUs 50 % busy" of one that was busy throughout; a rank that waits
    // for another one has kernels of its collectives.
    USED: f64 = 0.001 "share", "verdict": "A device whose work lasts less than this share of that of the \
        device with most, and has less than a twentieth of its kernels, copies and memsets, is not used.";
}
