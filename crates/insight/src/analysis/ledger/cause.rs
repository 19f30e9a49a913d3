//! The causes of idle device time: the one list of their ids, titles and definitions.
//!
//! Must not know how time is charged.

macro_rules! causes {
    ($($name:ident $id:literal $title:literal $meaning:literal;)+) => {
        /// Why a device had no work.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Cause { $(#[doc = $meaning] $name),+ }

        impl Cause {
            /// All causes, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The cause's name in JSON, options and tables of causes; part of the output contract.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id),+ }
            }

            /// The cause in words, of at most 22 columns.
            pub fn title(self) -> &'static str {
                match self { $(Self::$name => $title),+ }
            }

            /// When time is charged to the cause, in one or two sentences.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning),+ }
            }
        }
    };
}

causes! {
    NotRecorded "not_recorded" "not recorded"
        "The host waited for the device for 200 µs or more while no work is recorded: records seem to be \
         missing. Also holes in a graph where its capture proves that records are missing.";
    Profiler "profiler" "profiler's own work"
        "The host was in the profiler's own work, such as flushing its buffers.";
    Graph "graph" "inside a graph"
        "The work before and after the gap is of one launch of a graph.";
    LaunchDelay "launch_delay" "slow start"
        "Up to a bound, idle time in which the next work had been launched, or before work whose launch is \
         not known.";
    WaitsForStream "waits_for_stream" "waits for a stream"
        "The next work waits for an event of another stream; or the host was in a collective of 200 µs or \
         more that launches nothing.";
    BlockingSync "blocking_sync" "synchronization"
        "The host waited for the device (a synchronization, or a copy of up to 1 KiB), or was refilling the \
         queue after that.";
    BlockingCopy "blocking_copy" "copy that waits"
        "The host was in a copy that returns after its data has arrived (known to be of up to 1 KiB, \
         it counts as a synchronization), or was refilling the queue after it.";
    Allocator "allocator" "memory allocation"
        "The host was in a call of the runtime or driver that manages memory.";
    GarbageCollection "garbage_collection" "garbage collection"
        "The host was in a garbage collection of Python.";
    Compile "compile" "compiling, loading"
        "The host compiled, tuned or loaded code, or captured or prepared a graph; also a launching call of \
         1 ms or more, other than of a graph, which loads the code of its kernel.";
    DataLoading "data_loading" "data loading"
        "The host waited for or prepared input data.";
    Checkpoint "checkpoint" "saving a checkpoint"
        "The host saved a checkpoint.";
    CpuOperator "cpu_operator" "operator on the CPU"
        "The host was in an operator of 200 µs or more that launches nothing, or for 200 µs or more in one \
         itself before, between or after its launches.";
    LaunchBound "launch_bound" "dispatch of operators"
        "The host was in operators and calls before the next work, or for less than 100 µs between \
         these or other activities.";
    HostPython "host_python" "script's Python"
        "The host was in Python or a range, outside of operators and calls for 100 µs or more.";
    WithinCall "within_call" "within one call"
        "The work before and after the gap is of one launch that is not known to be of a graph.";
    NoRequests "no_requests" "waits for requests"
        "A thread of a server waited for its next request, and no other thread had anything to do.";
    NotAttributable "not_attributable" "not known"
        "The trace does not say: nothing is recorded on the launching thread for 100 µs or more, the next \
         work was launched long before it began, or its launch is unknown.";
}

impl Cause {
    /// The cause with number `n`; [`Cause::NotAttributable`] for a number that no cause has.
    pub fn from_u8(n: u8) -> Self {
        Self::ALL.get(usize::from(n)).copied().unwrap_or(Self::NotAttributable)
    }

    /// The cause with this id; `None` for another text.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|cause| cause.id() == id)
    }

    /// True if the time is not of the launching thread, so that what the thread did is no reason.
    pub fn is_of_device(self) -> bool {
        matches!(self, Self::Graph | Self::WithinCall | Self::LaunchDelay | Self::WaitsForStream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::index::idle::CAUSES;

    #[test]
    fn causes_are_found_by_number_and_id() {
        assert!(Cause::ALL.len() <= CAUSES);
        for (number, &cause) in Cause::ALL.iter().enumerate() {
            assert_eq!(Cause::from_u8(number as u8), cause);
            assert_eq!(Cause::from_id(cause.id()), Some(cause));
        }
        assert_eq!(Cause::from_id("rain"), None);
    }
}
