//! Faults that tests inject into the program: a panic, an abort, an endless computation, or failed
//! allocations from a point of its work on.
//!
//! The environment variable `PROFTUI_FAULT` names one as `KIND@POINT[:NUMBER]`. Without it nothing here has
//! an effect. Must not know what the program does there.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::cancel;

/// Name of the environment variable that names a fault.
const VARIABLE: &str = "PROFTUI_FAULT";

/// A point of the program's work at which a fault may be injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The command line was parsed, and its command is to be run.
    Start,
    /// A trace file is to be read.
    Import,
    /// The index of a trace's slices is to be built.
    Index,
    /// A view's table is to be built.
    View,
    /// The rows of a table in the explorer are to be arranged anew, as the user chose.
    Rows,
    /// A frame of the screen is to be drawn.
    Draw,
    /// A command's text is to be written to standard output.
    Write,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The `number`-th time that any thread comes to the point, that thread panics.
    Panic,
    /// The `number`-th time that any thread comes to the point, the process aborts.
    Abort,
    /// The `number`-th allocation after the point was first passed fails, and no other.
    Allocation,
    /// The `number`-th allocation after the point was first passed fails, and so do all later ones.
    Memory,
    /// As [`Self::Allocation`], but only allocations of [`LARGE_BLOCK`] bytes or more count, and none in
    /// [`withheld`].
    Large,
    /// The `number`-th time that any thread comes to the point, that thread computes there until its work is
    /// cancelled.
    Hang,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fault {
    kind: Kind,
    point: Point,
    number: u64,
}

/// The error that the environment variable `PROFTUI_FAULT` is set and names no fault.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[error("{VARIABLE} names no fault KIND@POINT[:NUMBER]")]
pub struct NotAFault;

/// The size from which on an allocation counts as large, bytes.
const LARGE_BLOCK: usize = 1 << 20;

/// The fault to inject into this process; unset if the environment names none.
static FAULT: OnceLock<Fault> = OnceLock::new();
/// How often threads came to the fault's point.
static PASSES: AtomicU64 = AtomicU64::new(0);
/// Which of the next allocations that count for the fault is to fail: 1 for the first of them; 0 while none
/// is to fail.
static LEFT: AtomicU64 = AtomicU64::new(0);
static WAS_INJECTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// True while this thread is in [`withheld`].
    static IS_WITHHELD: Cell<bool> = const { Cell::new(false) };
}

impl Fault {
    /// Parses `KIND@POINT[:NUMBER]`, where the number is at least 1, and 1 if left out; `None` for any other
    /// text.
    fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('@')?;
        let (point, number) = rest.split_once(':').unwrap_or((rest, "1"));
        let kind = match kind {
            "panic" => Kind::Panic,
            "abort" => Kind::Abort,
            "allocation" => Kind::Allocation,
            "memory" => Kind::Memory,
            "large" => Kind::Large,
            "hang" => Kind::Hang,
            _ => return None,
        };
        let point = match point {
            "start" => Point::Start,
            "import" => Point::Import,
            "index" => Point::Index,
            "view" => Point::View,
            "rows" => Point::Rows,
            "draw" => Point::Draw,
            "write" => Point::Write,
            _ => return None,
        };
        Some(Self { kind, point, number: number.parse().ok().filter(|&number| number > 0)? })
    }
}

/// Reads the fault of this process from the environment variable `PROFTUI_FAULT`, if it is set.
///
/// # Errors
/// When the variable names no fault.
pub fn read_environment() -> Result<(), NotAFault> {
    let Some(text) = std::env::var_os(VARIABLE) else { return Ok(()) };
    let fault = text.to_str().and_then(Fault::parse);
    let _ = FAULT.set(fault.ok_or(NotAFault)?);
    Ok(())
}

/// Notes that the program came to `point`, and has the process's fault take effect if it is due.
///
/// # Panics
/// When the fault is a panic that is due.
pub fn at(point: Point) {
    let Some(fault) = FAULT.get().filter(|fault| fault.point == point) else { return };
    let times = PASSES.fetch_add(1, Ordering::Relaxed) + 1;
    match fault.kind {
        Kind::Allocation | Kind::Memory | Kind::Large if times == 1 => {
            LEFT.store(fault.number, Ordering::Relaxed);
        }
        Kind::Panic | Kind::Abort if times == fault.number => {
            WAS_INJECTED.store(true, Ordering::Relaxed);
            if fault.kind == Kind::Abort {
                std::process::abort();
            }
            panic!("{VARIABLE}");
        }
        Kind::Hang if times == fault.number => {
            WAS_INJECTED.store(true, Ordering::Relaxed);
            loop {
                cancel::check();
                std::hint::spin_loop();
            }
        }
        _ => {}
    }
}

/// True if the process has a fault that was not injected so far.
pub fn is_pending() -> bool {
    FAULT.get().is_some() && !WAS_INJECTED.load(Ordering::Relaxed)
}

/// True if the allocation of `size` bytes that is asked for now is to fail. To be called once for each
/// allocation.
#[inline]
pub(super) fn fails_now(size: usize) -> bool {
    LEFT.load(Ordering::Relaxed) != 0 && is_due(size)
}

/// Runs `work`, in which a fault of large allocations neither counts nor fails those of this thread.
pub(super) fn withheld<T>(work: impl FnOnce() -> T) -> T {
    let before = IS_WITHHELD.replace(true);
    let result = work();
    IS_WITHHELD.set(before);
    result
}

/// Counts an allocation of `size` bytes, if it counts for the fault; true if it is to fail.
#[cold]
fn is_due(size: usize) -> bool {
    let kind = FAULT.get().map(|fault| fault.kind);
    if kind == Some(Kind::Large) && (size < LARGE_BLOCK || IS_WITHHELD.get()) {
        return false;
    }
    let keeps = kind == Some(Kind::Memory);
    let next = |left: u64| match left {
        0 => None,
        1 if keeps => Some(1),
        left => Some(left - 1),
    };
    let is_due = LEFT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) == Ok(1);
    if is_due {
        WAS_INJECTED.store(true, Ordering::Relaxed);
    }
    is_due
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_parsed() {
        let fault = |kind, point, number| Some(Fault { kind, point, number });
        assert_eq!(Fault::parse("panic@draw"), fault(Kind::Panic, Point::Draw, 1));
        assert_eq!(Fault::parse("allocation@import:64"), fault(Kind::Allocation, Point::Import, 64));
        for wrong in ["", "panic", "panic@", "panic@night", "draw@panic", "memory@index:0", "abort@view:x"] {
            assert_eq!(Fault::parse(wrong), None, "{wrong}");
        }
    }
}
