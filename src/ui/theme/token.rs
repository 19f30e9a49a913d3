//! The meanings of colours.

use proftui_insight::analysis::ledger::Cause;
use proftui_trace::model::Category;

macro_rules! tokens {
    ($($name:ident = $key:literal),+ $(,)?) => {
        /// A token: the meaning of a colour, to which a theme assigns the colour.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Token { $(#[doc = $key] $name),+ }

        impl Token {
            /// Every token, in the order of their numbers.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The token's name in a theme file.
            pub fn key(self) -> &'static str {
                match self { $(Self::$name => $key),+ }
            }
        }
    };
}

tokens! {
    Text = "text", Title = "title", Dim = "dim", Frame = "frame", Ruler = "ruler",
    Operator = "operator", Runtime = "runtime", Kernel = "kernel", Communication = "communication",
    Copy = "copy", Sync = "sync", Python = "python", User = "user", Step = "step", Dataloader = "dataloader",
    Forward = "forward", Backward = "backward", Optimization = "optimization", Memory = "memory",
    Overhead = "overhead", Other = "other",
    Hue0 = "hue-0", Hue1 = "hue-1", Hue2 = "hue-2", Hue3 = "hue-3", Hue4 = "hue-4", Hue5 = "hue-5",
    Hue6 = "hue-6", Hue7 = "hue-7",
    Heat0 = "heat-0", Heat1 = "heat-1", Heat2 = "heat-2", Heat3 = "heat-3", Heat4 = "heat-4",
    Focus = "focus", Selection = "selection", Cursor = "cursor", Link = "link", Match = "match",
    Mark = "mark", Gap = "gap", Warn = "warn", Damage = "damage", Gain = "gain", Loss = "loss",
}

impl Token {
    /// Tokens without a meaning of their own, which set names, streams or steps apart.
    pub const HUES: [Self; 8] =
        [Self::Hue0, Self::Hue1, Self::Hue2, Self::Hue3, Self::Hue4, Self::Hue5, Self::Hue6, Self::Hue7];
    /// Tokens for amounts, such as durations, from little to much.
    pub const HEAT: [Self; 5] = [Self::Heat0, Self::Heat1, Self::Heat2, Self::Heat3, Self::Heat4];

    /// The token of a category of events.
    pub fn of(category: Category) -> Self {
        match category {
            Category::Operator | Category::OperatorInner => Self::Operator,
            Category::KernelLaunch | Category::CudaRuntime | Category::CudaDriver => Self::Runtime,
            Category::Kernel => Self::Kernel,
            Category::Memcpy | Category::Memset => Self::Copy,
            Category::Synchronization => Self::Sync,
            Category::Communication => Self::Communication,
            Category::UserDefined | Category::PythonUserDefined => Self::User,
            Category::PythonOp | Category::PythonFunction => Self::Python,
            Category::Dataloader => Self::Dataloader,
            Category::Forward => Self::Forward,
            Category::Backward => Self::Backward,
            Category::Optimization => Self::Optimization,
            Category::ProfileStep => Self::Step,
            Category::Memory | Category::UnifiedMemory => Self::Memory,
            Category::Overhead
            | Category::GarbageCollection
            | Category::Compile
            | Category::Checkpoint
            | Category::Import => Self::Overhead,
            Category::Impossible => Self::Damage,
            Category::Other => Self::Other,
        }
    }
}

impl Token {
    /// The token of the colour of a cause of idle time.
    pub fn of_cause(cause: Cause) -> Self {
        match cause {
            Cause::NotRecorded => Self::Damage,
            Cause::Profiler | Cause::Graph | Cause::WithinCall | Cause::LaunchDelay => Self::Overhead,
            Cause::WaitsForStream => Self::Communication,
            Cause::BlockingSync => Self::Sync,
            Cause::BlockingCopy => Self::Copy,
            Cause::Allocator => Self::Memory,
            Cause::GarbageCollection | Cause::HostPython => Self::Python,
            Cause::Compile | Cause::LaunchBound => Self::Runtime,
            Cause::DataLoading | Cause::Checkpoint => Self::Dataloader,
            Cause::CpuOperator => Self::Operator,
            Cause::NotAttributable | Cause::NoRequests => Self::Other,
        }
    }
}
