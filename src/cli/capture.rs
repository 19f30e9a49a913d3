//! `proftui capture`: its options, which become the plan of the capture, and what follows the capture. The
//! exit status is that of the captured program.
//!
//! Must not know how a program is recorded.

use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use clap::error::ErrorKind;
use proftui_wire::options::{Ops, Options};
use proftui_wire::schedule::{Cycles, Invalid, Schedule};

use crate::capture::files::output::{Output, OutputFormat};
use crate::capture::system::child;
use crate::capture::{self, CaptureError, Plan};
use proftui_base::{fmt, heap};
use proftui_trace::export::Packing;

use super::gpu::GpuArgs;
use crate::cli::options::functions::functions;
use crate::cli::options::keep_last::{KeepLast, factor, keep_last};
use crate::cli::options::ops::OpsArgs;
use crate::cli::options::values::{ValueError, steps, steps_help, time};
use crate::cli::output::streams::notify;

/// Examples of command lines, at the beginning of the help.
pub(super) const EXAMPLES: &str = "\
proftui capture -- python train.py                 the last steps of the whole run
proftui capture --steps 10:12 -- python train.py   steps 10 and 11
proftui capture --step-on __main__:train_step -- python train.py
                                                   each return of this function ends a step
proftui capture --timer-only -- python train.py    only how long steps take
proftui capture --ops full --with-stack --steps 10:12 -- torchrun train.py
                                                   each operator with its Python stack, for all ranks";

/// Usual default of `--max-mb`, MiB.
const MAX_MB: u64 = 1024;
// Some 2.8 million ranges, which open and are summed up within seconds.
/// Default size of each process's ring, MiB, in a capture without a schedule, `--keep-last` and
/// `--slow-step`.
const RING_MB: u64 = 64;
/// How many last steps a ring keeps at most for `--slow-step` without `--keep-last`.
const SLOW_STEPS: u64 = 50;
/// Options, and groups of options, that conflict with `--keep-last` and `--slow-step`.
const NOT_WITH_A_RING: [&str; 4] = ["cycles", "steps", "window", "timer_only"];

#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools, reason = "switches of a command line")]
#[command(group = clap::ArgGroup::new("cycles").multiple(true))]
#[command(group = clap::ArgGroup::new("traces").multiple(true))]
pub(super) struct CaptureArgs {
    /// Number of steps at the start of each cycle that are not recorded (PyTorch: wait; default: 0)
    #[arg(long, visible_alias = "wait", value_name = "N", group = "cycles", help_heading = "Schedule")]
    closed: Option<u64>,
    /// Number of warm-up steps of each cycle, after the closed steps: recording starts up, nothing is kept
    /// (PyTorch: warmup; default: 0)
    #[arg(long, visible_alias = "warmup", value_name = "N", group = "cycles", help_heading = "Schedule")]
    ready: Option<u64>,
    /// Number of recorded steps at the end of each cycle, written as one trace (PyTorch: active; default: 1
    /// if another option of a cycle is given, else all steps)
    #[arg(long, visible_alias = "active", value_name = "N", group = "cycles", help_heading = "Schedule")]
    record: Option<u64>,
    /// Number of cycles; 0 repeats the cycle until the program ends (default: 0)
    #[arg(long, value_name = "N", group = "cycles", help_heading = "Schedule")]
    repeat: Option<u64>,
    /// Number of steps before the first cycle, which are not recorded (default: 0)
    #[arg(long, value_name = "N", group = "cycles", help_heading = "Schedule")]
    skip_first: Option<u64>,
    // All steps are recorded by default.
    #[arg(
        long,
        value_name = "A:B",
        value_parser = steps,
        conflicts_with = "cycles",
        help_heading = "Schedule",
        help = steps_help("Record only these steps")
    )]
    steps: Option<Range<u64>>,
    /// Record for a length of time instead of whole steps: 30s+5s starts 30 s after the program and records 5
    /// s (default: record steps)
    #[arg(
        long,
        value_name = "WAIT+TIME",
        value_parser = window,
        conflicts_with_all = ["cycles", "steps"],
        help_heading = "Schedule"
    )]
    window: Option<(Duration, Duration)>,
    /// Keep the last steps, in a ring: a number of them (50), or the size of their data in each process (64M)
    /// (default: 64M without a schedule)
    #[arg(
        long,
        value_name = "N|SIZE",
        value_parser = keep_last,
        conflicts_with_all = NOT_WITH_A_RING,
        help_heading = "Schedule"
    )]
    keep_last: Option<KeepLast>,
    /// Write a trace of the ring for a step that takes longer than this factor times the median of up to 50
    /// steps before it; keeps 50 steps without --keep-last (default: none)
    #[arg(
        long,
        value_name = "FACTOR",
        value_parser = factor,
        conflicts_with_all = NOT_WITH_A_RING,
        help_heading = "Schedule"
    )]
    slow_step: Option<u64>,
    /// Event that ends a step: auto, optimizer, loop, annotation, dataloader, forward, fit, profiler, or the
    /// return of a function, given as module:function
    ///
    /// optimizer: a step of the optimizer. loop: an iteration of a library that runs the loop itself (Keras,
    /// fastai, XGBoost, LightGBM). annotation: the end of a range by which a serving engine, such as vLLM,
    /// marks a step. dataloader: the data loader's next batch. forward: the end of the outermost module's
    /// forward, or a run of an ONNX session. fit: the return of the outermost fit of a scikit-learn
    /// estimator. profiler: a step of the profiler in the script. auto: the best of these that the program
    /// has had so far, in the order profiler, loop, optimizer, annotation, dataloader, forward, fit. Where
    /// the main thread infers with several modules one after the other, such as an encoder and a decoder,
    /// auto takes a request, from one call of the first module to the next, as a step.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "auto",
        value_parser = step_on,
        help_heading = "Schedule"
    )]
    step_on: String,
    /// Only measure the time of steps and of data loading, at almost no cost, and print a summary; write no
    /// trace
    #[arg(long, conflicts_with_all = ["cycles", "steps", "window", "traces"])]
    timer_only: bool,
    /// Number of samples per step, from which samples per second are computed (default: counted in the loaded
    /// data)
    #[arg(long, value_name = "N")]
    batch_size: Option<u64>,
    /// Record the calls of these Python functions, by patterns of their module and qualified name, such as
    /// __main__:* or mypkg.*:Trainer.*; may be given several times (default: none)
    #[arg(
        long,
        value_name = "MODULE:NAME",
        value_parser = functions,
        conflicts_with = "with_stack",
        group = "traces",
        help_heading = "Operators"
    )]
    functions: Vec<String>,
    /// Folder for the traces; it is created if it does not exist
    #[arg(
        long,
        value_name = "DIR",
        default_value = "profiler_log",
        group = "traces",
        help_heading = "Output"
    )]
    out: PathBuf,
    /// File format of the traces
    #[arg(long, value_enum, default_value_t, group = "traces", help_heading = "Output")]
    format: TraceFormat,
    /// Overwrite existing traces of the same name
    #[arg(long, group = "traces", help_heading = "Output")]
    force: bool,
    /// Shell command to run, as CMD "$1", for each trace once the trace is written; $1 is the trace's path
    /// (default: none)
    #[arg(long, value_name = "CMD", group = "traces", help_heading = "Output")]
    on_trace_ready: Option<String>,
    /// Open the traces in the explorer after the program has ended
    #[arg(long, group = "traces", help_heading = "Output")]
    open: bool,
    /// Print the summary tables of the traces after the program has ended
    #[arg(long, group = "traces", help_heading = "Output")]
    summary: bool,
    /// Limit on each process's recorded data in a cycle, MiB; what is beyond it is counted, not recorded; a
    /// ring loses its oldest data (default: 1024; 64 for a ring without --keep-last and --slow-step)
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..),
        group = "traces",
        help_heading = "Output"
    )]
    max_mb: Option<u64>,
    /// Folder for the capture's temporary files; it must exist (default: $TMPDIR, or /tmp)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    spool: Option<PathBuf>,
    /// Folder for the recorder's files, which captured programs load; no user but you and root may be able to
    /// replace them (default: `$PROFTUI_CACHE`, else usually your cache, see docs/capture.md)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    cache: Option<PathBuf>,
    /// Print only errors and what was asked for: no status line at the bottom of the terminal, no line per
    /// written trace
    #[arg(long, short, help_heading = "Output")]
    quiet: bool,
    #[command(flatten)]
    gpu: GpuArgs,
    #[command(flatten)]
    ops: OpsArgs,
    /// Keep the folder of the capture's temporary files, to debug proftui
    #[arg(long, hide = true)]
    keep_spool: bool,
    /// Program to run, and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum TraceFormat {
    /// As kineto for programs that import `PyTorch`, as json for others
    #[default]
    Auto,
    /// Chrome Trace Event JSON
    Json,
    /// Chrome Trace Event JSON, compressed by gzip
    #[value(name = "json.gz")]
    JsonGz,
    /// Chrome Trace Event JSON, compressed by zstd
    #[value(name = "json.zst")]
    JsonZst,
    /// JSON in the form that PyTorch's profiler writes, for HTA, `TensorBoard` and others
    Kineto,
    /// As kineto, compressed by gzip
    #[value(name = "kineto.gz")]
    KinetoGz,
    /// Chrome Trace Event JSON in the form that Paddle's profiler writes, for VisualDL
    #[value(name = "paddle.json")]
    PaddleJson,
    /// Protobuf, in the form that Paddle's profiler writes
    Pb,
}

/// Why a text is no value of `--window` or `--step-on`.
#[derive(Debug, thiserror::Error)]
enum CaptureValueError {
    /// The text has no `+` between a delay and a recording time.
    #[error("expected a delay and a recording time, such as 30s+5s")]
    NoWindow,
    /// The delay or the recording time is no valid time.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The recording time of `--window` is 0.
    #[error("the recording time must be longer than 0, such as 5s in 30s+5s")]
    NoLength,
    /// The text is no valid value of `--step-on`.
    #[error(
        "expected auto, optimizer, loop, annotation, dataloader, forward, fit, profiler, or a function as \
         module:function"
    )]
    StepOn,
}

/// Parses the value of `--window`, such as `30s+5s`, into the delay before recording and the length of
/// recording.
fn window(text: &str) -> Result<(Duration, Duration), CaptureValueError> {
    let (wait, length) = text.split_once('+').ok_or(CaptureValueError::NoWindow)?;
    let duration = |text: &str| time(text).map(|ns| Duration::from_nanos(ns.unsigned_abs()));
    match (duration(wait)?, duration(length)?) {
        (_, Duration::ZERO) => Err(CaptureValueError::NoLength),
        window => Ok(window),
    }
}

/// Returns the value of `--step-on` unchanged if it is valid.
fn step_on(text: &str) -> Result<String, CaptureValueError> {
    let known = ["auto", "optimizer", "loop", "annotation", "dataloader", "forward", "fit", "profiler"];
    let is_known = known.contains(&text);
    let is_function =
        text.split_once(':').is_some_and(|(module, name)| !module.is_empty() && !name.is_empty());
    let is_line = !text.contains(['\n', '\r']);
    if is_line && (is_known || is_function) { Ok(text.to_owned()) } else { Err(CaptureValueError::StepOn) }
}

impl CaptureArgs {
    /// The schedule of steps that the command line asks for; by default, all steps are recorded.
    ///
    /// # Errors
    /// When no step would be recorded, or a cycle has too many steps.
    fn schedule(&self) -> Result<Schedule, Invalid> {
        match self.steps {
            Some(Range { start, end: u64::MAX }) => return Ok(Schedule::from_step(start)),
            Some(Range { start, end }) => return Schedule::steps(start, end),
            None => {}
        }
        if [self.closed, self.ready, self.record, self.repeat, self.skip_first].iter().all(Option::is_none) {
            return Ok(Schedule::All);
        }
        let or_none = Option::unwrap_or_default;
        Schedule::cycles(Cycles {
            skip_first: or_none(self.skip_first),
            closed: or_none(self.closed),
            ready: or_none(self.ready),
            record: self.record.unwrap_or(1),
            repeat: or_none(self.repeat),
        })
    }

    /// True if each process keeps only its newest records, in a ring.
    fn is_ring(&self) -> bool {
        let is_part = self.steps.is_some() || self.window.is_some() || self.timer_only;
        !is_part && self.schedule() == Ok(Schedule::All)
    }

    /// How many of the last steps a ring keeps if they fit, 0 for as many as fit or without a ring; and a
    /// limit on each process's data in a cycle, bytes.
    fn kept(&self) -> (u64, u64) {
        let most = self.max_mb.unwrap_or(MAX_MB).saturating_mul(1 << 20);
        match self.keep_last {
            Some(KeepLast::Steps(steps)) => (steps, most),
            Some(KeepLast::Bytes(bytes)) => (0, bytes),
            None if self.slow_step.is_some() => (SLOW_STEPS, most),
            None if self.is_ring() => (0, self.ring_mb().saturating_mul(1 << 20)),
            None => (0, most),
        }
    }

    /// The size of each process's ring, MiB, if `--keep-last` and `--slow-step` are not given.
    fn ring_mb(&self) -> u64 {
        self.max_mb.unwrap_or(RING_MB)
    }

    /// The message at the start of a capture that keeps a ring by default; `None` for other captures.
    fn opening(&self) -> Option<String> {
        let is_said = self.is_ring() && self.keep_last.is_none() && self.slow_step.is_none();
        is_said.then(|| {
            let size = fmt::count(self.ring_mb());
            format!(
                "no schedule was given: the last {size} MiB of records of each process are kept \
                (--keep-last; --steps records only some steps)"
            )
        })
    }

    /// How operators are recorded: as the options ask, but not at all with `--timer-only`, and at most
    /// [`Ops::Light`] with `--window`.
    fn how(&self) -> Ops {
        match self.ops.how(&self.ops.options(self.gpu.has_memory())) {
            _ if self.timer_only => Ops::Off,
            Ops::Full if self.window.is_some() => Ops::Light,
            how => how,
        }
    }

    /// The plan of the capture that the options ask for.
    ///
    /// # Errors
    /// When the options do not make a valid schedule.
    fn plan(&self) -> Result<Plan, Invalid> {
        let ops_options = self.ops.options(self.gpu.has_memory());
        let (ring_steps, max_bytes) = self.kept();
        let options = Options {
            schedule: self.schedule()?,
            step_on: self.step_on.clone(),
            is_timer_only: self.timer_only,
            by_time: self.window.is_some(),
            batch_size: self.batch_size.unwrap_or_default(),
            functions: self.functions.clone(),
            max_bytes,
            is_ring: self.is_ring(),
            ring_steps,
            slow_step: self.slow_step.unwrap_or_default(),
            device: self.gpu.device_options(),
            gpu_wait: self.gpu.wait_ms(),
            gpu_memory: self.gpu.memory(),
            ops: self.how(),
            ops_options,
        };
        let format = match self.format {
            TraceFormat::Auto => OutputFormat::ByFramework,
            TraceFormat::Json => OutputFormat::Json(Packing::None),
            TraceFormat::JsonGz => OutputFormat::Json(Packing::Gzip),
            TraceFormat::JsonZst => OutputFormat::Json(Packing::Zstd),
            TraceFormat::Kineto => OutputFormat::Kineto(Packing::None),
            TraceFormat::KinetoGz => OutputFormat::Kineto(Packing::Gzip),
            TraceFormat::PaddleJson => OutputFormat::PaddleJson(Packing::None),
            TraceFormat::Pb => OutputFormat::Protobuf,
        };
        Ok(Plan {
            command: self.command.clone(),
            options,
            window: self.window,
            output: Output { folder: self.out.clone(), format, may_replace: self.force },
            spool: self.spool.clone(),
            cache: self.cache.clone(),
            keeps_run_folder: self.keep_spool,
            on_trace_ready: self.on_trace_ready.clone(),
            is_quiet: self.quiet,
            opening: self.opening(),
            gpu: self.gpu.parent_options(self.timer_only),
        })
    }
}

/// Captures the program, then shows the traces as the options ask. Returns the exit status to end with, or
/// ends this process itself.
pub(super) fn run(args: &CaptureArgs) -> u8 {
    heap::advise(
        "what was recorded stays: after the program's end, proftui recover --max-memory SIZE (and --spool, \
         if the capture had it) writes it",
    );
    args.gpu.check();
    let plan = args.plan().unwrap_or_else(|invalid| {
        clap::Error::raw(ErrorKind::InvalidValue, format!("{invalid}\n")).exit();
    });
    if !args.quiet && args.schedule().is_ok_and(|schedule| schedule.is_abrupt()) {
        notify(
            "the schedule has no warm-up step: the first recorded step of a cycle may take longer than usual",
        );
    }
    if args.how() != args.ops.how(&plan.options.ops_options) && !args.timer_only && !args.quiet {
        notify("--ops full acts as --ops light here: it cannot start within a step, as --window may");
    }
    let outcome = match capture::run(&plan) {
        Ok(outcome) => outcome,
        Err(error) => {
            notify(&error.to_string());
            return match error {
                CaptureError::NotStarted(why) => why.status,
                _ => 1,
            };
        }
    };
    if !outcome.traces.is_empty() {
        // A failure here does not change the exit status, which is the program's.
        let next = |command: &[&str]| {
            let this = std::env::current_exe()?;
            std::process::Command::new(this).args(command).arg("--").args(&outcome.traces).status()
        };
        let wanted = [(args.summary, &["summary", "--skip-empty"][..]), (args.open, &["open"])];
        for (_, command) in wanted.iter().filter(|(is_wanted, _)| *is_wanted) {
            if let Err(why) = next(command) {
                notify(&format!("cannot run proftui {}: {why}", command[0]));
            }
        }
    }
    child::end_like(outcome.status)
}
