//! What a flame shows: which slices are frames, what its frames weigh, and from which end its trees grow.
//!
//! Must not know how a tree is made.

/// Which slices are frames; the profiler's own span is none. Time in other slices belongs to the frame around
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stacking {
    /// All slices of the host except Python functions: steps, ranges, operators and calls, as they nest.
    #[default]
    Operators,
    /// All slices of the host, Python functions among them, except the frames of our hooks.
    Stack,
    /// Modules, as PyTorch names them among the Python functions (`nn.Module: Linear_0`), and operators.
    Modules,
}

impl Stacking {
    /// Every stacking.
    pub const ALL: [Self; 3] = [Self::Operators, Self::Stack, Self::Modules];

    /// The name of the stacking on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Operators => "operator",
            Self::Stack => "stack",
            Self::Modules => "module",
        }
    }

    /// The name of the stacking for people, to be read after "frames".
    pub fn title(self) -> &'static str {
        match self {
            Self::Operators => "by operator nesting",
            Self::Stack => "by Python stack",
            Self::Modules => "by module",
        }
    }
}

/// What a frame weighs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// The frame's time on the host, ns; device work weighs nothing.
    #[default]
    Host,
    /// The time of the device work launched in it, ns, summed over streams.
    Device,
    /// The bytes of the copies and memsets launched in it.
    Bytes,
    /// The number of slices that begin in the part: calls of the host, and pieces of device work.
    Count,
}

impl Weight {
    /// Every weight.
    pub const ALL: [Self; 4] = [Self::Host, Self::Device, Self::Bytes, Self::Count];

    /// The name of the weight on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }

    /// The name of the weight for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Host => "host time",
            Self::Device => "device time launched",
            Self::Bytes => "bytes copied and set",
            Self::Count => "number of calls",
        }
    }

    /// The next weight; the first one after the last.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }
}

/// From which end the trees grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From the outermost frame to what it calls.
    #[default]
    TopDown,
    /// From the frame that has a weight by itself to its callers.
    BottomUp,
}

impl Direction {
    /// The name of the direction for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::TopDown => "top-down",
            Self::BottomUp => "bottom-up",
        }
    }
}

/// What a flame shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Which slices are frames.
    pub stacking: Stacking,
    /// What the frames weigh; `None` for host time, or device time where the part has no time on the host.
    pub weight: Option<Weight>,
    /// From which end the trees grow.
    pub direction: Direction,
}
