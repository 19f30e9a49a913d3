//! Which slices of a trace are events of the old profiler, and what that profiler would call them.
//!
//! It knew operators, stages within them, copies and named ranges; steps, Python, runtime calls and the profiler's own time
//! it did not. What it did not know is passed over: what lies within counts as within what lies around. Must not know sums.

use crate::base::intern::StrId;
use crate::model::{Category, SliceId, Trace};

/// An event's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventName {
    /// As it stands in the trace.
    Own(StrId),
    /// A stage within an operator, whose name does not say the operator's.
    Inner(StrId),
    /// A stage within an operator, with the operator's name: `conv2d::compute`.
    Stage(StrId),
    /// A copy, from the runtime call that starts it: whether the call waits, and from where to where.
    Copy(bool, &'static str),
}

impl EventName {
    /// The last part of its path, safe to show.
    pub fn text(self, trace: &Trace) -> String {
        match self {
            Self::Own(name) | Self::Inner(name) | Self::Stage(name) => {
                trace.string_or(name, "(unnamed)").to_string()
            }
            Self::Copy(true, way) => format!("GpuMemcpySync{way}"),
            Self::Copy(false, way) => format!("GpuMemcpyAsync{way}"),
        }
    }

    /// True for a stage that is printed behind the operator's name.
    pub fn is_inner(self) -> bool {
        matches!(self, Self::Inner(_))
    }

    /// True for a stage that only details show.
    pub fn is_detail(self) -> bool {
        matches!(self, Self::Inner(_) | Self::Stage(_))
    }
}

/// From where to where a copy goes, as `GpuMemcpyAsync` was named.
fn way(name: &[u8]) -> &'static str {
    let has = |word: &[u8]| memchr::memmem::find(name, word).is_some();
    match () {
        () if has(b"HtoD") || has(b"HostToDevice") => ":CPU->GPU",
        () if has(b"DtoH") || has(b"DeviceToHost") => ":GPU->CPU",
        () if has(b"DtoD") || has(b"DeviceToDevice") => "(same_gpu):GPU->GPU",
        () if has(b"PtoP") => ":GPU->GPU",
        () => "",
    }
}

/// What a stage of this name is, one of those that only details show.
fn stage(name: &[u8]) -> Option<fn(StrId) -> EventName> {
    let words: [&[u8]; 3] = [b"compute", b"infer_shape", b"prepare_data"];
    let before = words.iter().find_map(|word| name.strip_suffix(*word))?;
    match before {
        b"" => Some(EventName::Inner),
        _ => before.ends_with(b"::").then_some(EventName::Stage),
    }
}

/// The event that a slice of a thread is; none when it is passed over.
pub fn event(trace: &Trace, id: SliceId) -> Option<EventName> {
    let name = trace.slices.name[id as usize];
    match trace.slices.category(id) {
        Category::OperatorInner => {
            let named = stage(trace.strings.bytes(name)).unwrap_or(EventName::Own);
            Some(named(name))
        }
        Category::Operator
        | Category::Communication
        | Category::UserDefined
        | Category::PythonOp
        | Category::PythonUserDefined
        | Category::Other => Some(EventName::Own(name)),
        category if category.is_runtime() => {
            let call = trace.strings.bytes(name);
            let is_copy = memchr::memmem::find(call, b"emcpy").is_some();
            // Paddle has a range of its own around the call.
            let is_named =
                |around| trace.strings.bytes(trace.slices.name[around as usize]).starts_with(b"GpuMemcpy");
            if !is_copy || trace.slices.ancestors(id).any(is_named) {
                return None;
            }
            let work = trace.links.work_of(id).next()?;
            let waits = memchr::memmem::find(call, b"Async").is_none();
            Some(EventName::Copy(waits, way(trace.strings.bytes(trace.slices.name[work as usize]))))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_have_two_ways_of_names() {
        let named = |name: &[u8]| stage(name).map(|named| named(1));
        assert_eq!(named(b"compute"), Some(EventName::Inner(1)));
        assert_eq!(named(b"conv2d::infer_shape"), Some(EventName::Stage(1)));
        assert_eq!(named(b"conv2d compute"), None, "an event like any other");
    }

    #[test]
    fn copies_say_their_way() {
        assert_eq!(way(b"Memcpy HtoD (Pinned -> Device)"), ":CPU->GPU");
        assert_eq!(way(b"Memcpy DtoD (Device -> Device)"), "(same_gpu):GPU->GPU");
        assert_eq!(way(b"MEMCPY"), "");
        assert_eq!(EventName::Copy(false, ":CPU->GPU").text(&Trace::default()), "GpuMemcpyAsync:CPU->GPU");
    }
}
