//! The categories of events, into which the vocabulary of every producer is mapped.
//!
//! Must not know the producers' vocabularies (`import` maps them) nor colours (`ui` maps categories to theme
//! tokens).

use serde::Serialize;

macro_rules! categories {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// The category of a slice: the kind of activity that it stands for, whoever the producer.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[repr(u8)]
        pub enum Category { $($(#[$doc])* $name),+ }

        impl Category {
            /// All categories, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The category's name in tables and JSON: that of the variant, such as `CudaRuntime`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

categories! {
    /// A framework operator (`aten::mm`, a Paddle operator).
    Operator,
    /// A range inside a Paddle operator, such as inferring shapes or computing.
    OperatorInner,
    /// Paddle's own range around the launch of an operator's kernel.
    KernelLaunch,
    /// A call of a device's runtime API, such as CUDA's; in some recordings also of the driver API.
    CudaRuntime,
    /// A call of the CUDA driver API, or of its counterpart on another platform.
    CudaDriver,
    /// A kernel on a device.
    Kernel,
    /// A copy of memory by a device.
    Memcpy,
    /// A memset: a device sets memory to a value.
    Memset,
    /// A synchronization of host and device, or of streams.
    Synchronization,
    /// A collective or point-to-point operation between workers, on the host.
    Communication,
    /// A range that the program or a library named (`record_function`, NVTX).
    UserDefined,
    /// A framework operation written in Python.
    PythonOp,
    /// A range that Python code named (Paddle's `PythonUserDefined`).
    PythonUserDefined,
    /// The phase in which input data is loaded.
    Dataloader,
    /// The phase of the forward pass.
    Forward,
    /// The phase of the backward pass.
    Backward,
    /// The phase in which the optimizer updates the parameters.
    Optimization,
    /// One step: an iteration of training or inference, or a request.
    ProfileStep,
    /// A Python function call.
    PythonFunction,
    /// A garbage collection of Python.
    GarbageCollection,
    /// Compiling code for a device or for a framework, or measuring which variant of it is fastest.
    Compile,
    /// Writing a checkpoint.
    Checkpoint,
    /// Importing a Python module.
    Import,
    /// An allocation or a release of memory, as a slice; no reader gives a slice this category.
    Memory,
    /// Overhead as the producer counts it, such as time of the profiler.
    Overhead,
    /// Any slice that no other category fits.
    #[default]
    Other,
    /// An event of unified memory, such as a migration or a page fault; not counted as device work.
    UnifiedMemory,
    /// A kernel, copy or memset that cannot be as it is recorded; not counted as device work.
    Impossible,
}

impl Category {
    /// True for device work: kernels, copies, memsets.
    pub fn is_device_work(self) -> bool {
        matches!(self, Self::Kernel | Self::Memcpy | Self::Memset)
    }

    /// True for calls of the CUDA runtime or driver (or their counterparts), which may launch device work.
    pub fn is_runtime(self) -> bool {
        matches!(self, Self::CudaRuntime | Self::CudaDriver)
    }

    /// True for an operator of a framework, whether native or written in Python.
    pub fn is_operator(self) -> bool {
        matches!(self, Self::Operator | Self::PythonOp)
    }

    /// The category with number `n`, as columns store it; [`Category::Other`] for a number that no category
    /// has.
    pub fn from_u8(n: u8) -> Self {
        Self::ALL.get(n as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_round_trip() {
        for (i, &category) in Category::ALL.iter().enumerate() {
            assert_eq!(category as usize, i);
            assert_eq!(Category::from_u8(i as u8), category);
        }
        assert_eq!(Category::from_u8(255), Category::Other);
    }
}
