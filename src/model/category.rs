//! What kind of work an event is. Defined once; every dialect maps into it.
//!
//! Must not know dialects (`import` maps them) nor colours (`ui` maps categories to theme tokens).

use serde::Serialize;

macro_rules! categories {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// What kind of work an event is.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[repr(u8)]
        pub enum Category { $($(#[$doc])* $name),+ }

        impl Category {
            /// Every category, in order.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name in tables and JSON.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

categories! {
    /// A framework operator (`aten::mm`, a Paddle operator).
    Operator,
    /// A stage inside a Paddle operator: infer shape, compute, data transform.
    OperatorInner,
    /// Paddle's own range around the launch of an operator's kernel.
    KernelLaunch,
    /// A call of the CUDA runtime, or its like on HIP, XPU, MTIA, MLU.
    CudaRuntime,
    /// A call of the CUDA driver, or its like.
    CudaDriver,
    /// A kernel on a device.
    Kernel,
    /// A copy on a device.
    Memcpy,
    /// A memory fill on a device.
    Memset,
    /// A wait of the host or of a stream.
    Synchronization,
    /// A collective or point-to-point operation, host side.
    Communication,
    /// A range that the user's script or a library named.
    UserDefined,
    /// A framework operation written in Python.
    PythonOp,
    /// A range that the user's Python named, in Paddle's Python layer.
    PythonUserDefined,
    /// Loading of data.
    Dataloader,
    /// The forward pass.
    Forward,
    /// The backward pass.
    Backward,
    /// The optimizer's step.
    Optimization,
    /// One training step.
    ProfileStep,
    /// A Python function call.
    PythonFunction,
    /// Allocation and release of memory.
    Memory,
    /// Time that the profiler itself took.
    Overhead,
    /// Anything else.
    #[default]
    Other,
}

impl Category {
    /// True for work that a device executes: kernels, copies, fills.
    pub fn is_device_work(self) -> bool {
        matches!(self, Self::Kernel | Self::Memcpy | Self::Memset)
    }

    /// True for host calls that may start device work.
    pub fn is_runtime(self) -> bool {
        matches!(self, Self::CudaRuntime | Self::CudaDriver)
    }

    /// True for a framework operator or what stands for one when a launch looks for its owner.
    pub fn is_operator(self) -> bool {
        matches!(self, Self::Operator | Self::PythonOp)
    }

    /// The category with number `n`, as stored in a column.
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
