//! What calls of runtimes and drivers can launch, by their names.

use crate::model::Category;

/// The device work that a call can launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::import) enum Launches {
    /// The name says nothing about it, or a graph's work of all kinds.
    #[default]
    Anything,
    Kernels,
    Copies,
    Memsets,
    /// The call asks, waits or records an event.
    Nothing,
}

impl Launches {
    /// True if the call can launch device work of this category.
    pub(in crate::import) fn fits(self, work: Category) -> bool {
        match self {
            Self::Anything => true,
            Self::Kernels => work == Category::Kernel,
            Self::Copies => work == Category::Memcpy,
            Self::Memsets => work == Category::Memset,
            Self::Nothing => false,
        }
    }
}

/// Parts of the names of calls that launch nothing, unless the name has a launch, too.
const NO_LAUNCH: [&str; 14] = [
    "Query",
    "GetAttribute",
    "Synchronize",
    "EventRecord",
    "EventCreate",
    "EventDestroy",
    "EventElapsedTime",
    "StreamWaitEvent",
    "IsCapturing",
    "CaptureInfo",
    "Occupancy",
    "LastError",
    "GetDevice",
    "SetDevice",
];

/// True if a call of this name launches graphs.
pub(in crate::import) fn is_graph_launch(name: &[u8]) -> bool {
    memchr::memmem::find(name, b"Graph").is_some() && launches(name) == Launches::Anything
}

/// What a call of this name can launch.
pub(in crate::import) fn launches(name: &[u8]) -> Launches {
    let has = |part: &str| memchr::memmem::find(name, part.as_bytes()).is_some();
    match () {
        () if !has("aunch") && NO_LAUNCH.iter().any(|part| has(part)) => Launches::Nothing,
        () if has("Graph") => Launches::Anything,
        () if has("Memcpy") => Launches::Copies,
        () if has("Memset") => Launches::Memsets,
        () if has("LaunchKernel") => Launches::Kernels,
        () => Launches::Anything,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_calls_launch() {
        for (name, launched) in [
            ("cudaLaunchKernelExC", Launches::Kernels),
            ("hipExtModuleLaunchKernel", Launches::Kernels),
            ("cudaMemcpyAsync", Launches::Copies),
            ("cuMemsetD8Async", Launches::Memsets),
            ("cudaGraphLaunch", Launches::Anything),
            ("urEnqueueKernelLaunch", Launches::Anything),
            ("cudaEventQuery", Launches::Nothing),
            ("cudaDeviceGetAttribute", Launches::Nothing),
            ("hipStreamSynchronize", Launches::Nothing),
        ] {
            assert_eq!(launches(name.as_bytes()), launched, "{name}");
        }
        assert!(Launches::Anything.fits(Category::Memset) && !Launches::Kernels.fits(Category::Memcpy));
    }
}
