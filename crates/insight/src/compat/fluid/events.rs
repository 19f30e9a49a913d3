//! Which slices of a trace are events of the old profiler, and the names that it gave them.
//!
//! It recorded operators, inner parts of operators (`compute`, `infer_shape`, `prepare_data`), communication,
//! copies and named ranges, and events of no known kind count, too; but no steps, phases, Python functions,
//! other runtime calls or profiler overhead. Slices that it did not record are skipped: their children count
//! as children of the slice around them. Must not know sums.

use proftui_base::intern::StrId;
use proftui_trace::model::{Category, LaneId, SliceId, Trace};

/// The name of an event in the report of Paddle's old profiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventName {
    /// The event's own name in the trace.
    Own(StrId),
    /// An inner part of an operator, named `compute`, `infer_shape` or `prepare_data`.
    BareInner(StrId),
    /// An inner part of an operator, whose name ends in `::` and one of these, such as `conv2d::compute`.
    FullInner(StrId),
    /// A copy: true if its runtime call is synchronous by name; its direction as printed, such as
    /// `:CPU->GPU`, or empty.
    Copy(bool, &'static str),
}

impl EventName {
    /// The name as text, such as `GpuMemcpySync:CPU->GPU`; `(unnamed)` if it is empty.
    pub fn text(self, trace: &Trace) -> String {
        match self {
            Self::Own(name) | Self::BareInner(name) | Self::FullInner(name) => {
                trace.string_or(name, "(unnamed)").to_string()
            }
            Self::Copy(true, direction) => format!("GpuMemcpySync{direction}"),
            Self::Copy(false, direction) => format!("GpuMemcpyAsync{direction}"),
        }
    }

    /// True for [`BareInner`](Self::BareInner).
    pub(crate) fn is_bare_inner(self) -> bool {
        matches!(self, Self::BareInner(_))
    }

    /// True for the inner parts of operators that [`Detail::Default`](super::Detail::Default) leaves out of
    /// the Event Summary.
    pub fn is_inner(self) -> bool {
        matches!(self, Self::BareInner(_) | Self::FullInner(_))
    }
}

/// The old profiler's text for a copy's direction, from the name of its device work; empty if unknown.
fn direction(name: &[u8]) -> &'static str {
    let has = |part: &[u8]| memchr::memmem::find(name, part).is_some();
    match () {
        () if has(b"HtoD") || has(b"HostToDevice") => ":CPU->GPU",
        () if has(b"DtoH") || has(b"DeviceToHost") => ":GPU->CPU",
        () if has(b"DtoD") || has(b"DeviceToDevice") => "(same_gpu):GPU->GPU",
        () if has(b"PtoP") => ":GPU->GPU",
        () => "",
    }
}

/// The variant of [`EventName`] for the name of an inner part; `None` unless the name is `compute`,
/// `infer_shape` or `prepare_data`, or ends in `::` and one of these.
fn inner(name: &[u8]) -> Option<fn(StrId) -> EventName> {
    let parts: [&[u8]; 3] = [b"compute", b"infer_shape", b"prepare_data"];
    let before = parts.iter().find_map(|part| name.strip_suffix(*part))?;
    match before {
        b"" => Some(EventName::BareInner),
        _ => before.ends_with(b"::").then_some(EventName::FullInner),
    }
}

/// The name of each of a host lane's slices as an event of the old profiler, in order; `None` for a slice
/// that it does not record.
pub fn names(trace: &Trace, lane: LaneId) -> Vec<Option<EventName>> {
    let ids = trace.lanes[lane].slices;
    let first = ids.start;
    // True for slices inside an event that Paddle itself has for copies. A slice has a smaller id than its
    // children.
    let mut is_in_copy = vec![false; ids.len()];
    let named = ids.iter().map(|id| {
        if let Some(around) = trace.slices.parent(id) {
            let is_copy = || trace.strings.bytes(trace.slices.name[around]).starts_with(b"GpuMemcpy");
            is_in_copy[(id - first) as usize] = is_in_copy[(around - first) as usize] || is_copy();
        }
        name(trace, id, is_in_copy[(id - first) as usize])
    });
    named.collect()
}

/// The name of a host slice as an event; `None` if the old profiler does not record it. With `is_in_copy`,
/// true inside Paddle's own event for a copy, no runtime call is an event.
fn name(trace: &Trace, id: SliceId, is_in_copy: bool) -> Option<EventName> {
    let name = trace.slices.name[id];
    match trace.slices.category(id) {
        Category::OperatorInner => {
            let with_name = inner(trace.strings.bytes(name)).unwrap_or(EventName::Own);
            Some(with_name(name))
        }
        Category::Operator
        | Category::Communication
        | Category::UserDefined
        | Category::PythonOp
        | Category::PythonUserDefined
        | Category::Other => Some(EventName::Own(name)),
        category if category.is_runtime() => {
            let call = trace.strings.bytes(name);
            if is_in_copy || memchr::memmem::find(call, b"emcpy").is_none() {
                return None;
            }
            let work = trace.links.work_of(id).next()?;
            let waits = memchr::memmem::find(call, b"Async").is_none();
            Some(EventName::Copy(waits, direction(trace.strings.bytes(trace.slices.name[work]))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_parts_have_two_kinds_of_names() {
        let named = |name: &[u8]| inner(name).map(|with_name| with_name(StrId::new(1)));
        assert_eq!(named(b"compute"), Some(EventName::BareInner(StrId::new(1))));
        assert_eq!(named(b"conv2d::infer_shape"), Some(EventName::FullInner(StrId::new(1))));
        assert_eq!(named(b"conv2d compute"), None, "an event like any other");
    }

    #[test]
    fn copies_have_a_direction() {
        assert_eq!(direction(b"Memcpy HtoD (Pinned -> Device)"), ":CPU->GPU");
        assert_eq!(direction(b"Memcpy DtoD (Device -> Device)"), "(same_gpu):GPU->GPU");
        assert_eq!(direction(b"MEMCPY"), "");
        assert_eq!(EventName::Copy(false, ":CPU->GPU").text(&Trace::default()), "GpuMemcpyAsync:CPU->GPU");
    }
}
