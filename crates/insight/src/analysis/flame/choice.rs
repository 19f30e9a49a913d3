//! What a flame shows: which slices are frames, what its frames weigh, and from which end its trees grow.
//!
//! Must not know how a tree is made.

/// Which slices of the host are frames of a flame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stacking {
    /// Slices of the program on the host, such as steps, ranges, operators and calls; no Python functions.
    #[default]
    Operators,
    /// Slices of the program on the host, Python functions among them, without the frames of proftui's hooks.
    Stack,
    /// Modules, as PyTorch names them among the Python functions (`nn.Module: Linear_0`), and operators.
    Modules,
}

impl Stacking {
    /// Every stacking.
    pub const ALL: [Self; 3] = [Self::Operators, Self::Stack, Self::Modules];

    /// The name of the stacking on the command line, such as `operator`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Operators => "operator",
            Self::Stack => "stack",
            Self::Modules => "module",
        }
    }

    /// The name of the stacking for people, to be read after "frames", such as `by module`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Operators => "by operator nesting",
            Self::Stack => "by Python stack",
            Self::Modules => "by module",
        }
    }
}

/// What the frames of a flame weigh, by which they are sorted and drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weight {
    /// The time on the host, ns; device work weighs nothing.
    #[default]
    Host,
    /// The time of the device work launched in a frame, ns, summed over streams.
    Device,
    /// The bytes of the copies and memsets launched in a frame, as far as the trace states them.
    Bytes,
    /// The number of a frame's slices that begin in the part: slices of the host, and pieces of device work.
    Count,
}

impl Weight {
    /// Every weight.
    pub const ALL: [Self; 4] = [Self::Host, Self::Device, Self::Bytes, Self::Count];

    /// The name of the weight on the command line, such as `host`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Device => "device",
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }

    /// The name of the weight for people, such as `host time`.
    pub fn title(self) -> &'static str {
        match self {
            Self::Host => "host time",
            Self::Device => "device time launched",
            Self::Bytes => "bytes copied and set",
            Self::Count => "number of calls",
        }
    }

    /// The weight after this one in [`Self::ALL`]; after the last weight the first again.
    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }
}

/// From which end the trees of a flame grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// From the outermost frames to what they call.
    #[default]
    TopDown,
    /// From each frame that weighs something by itself to its callers.
    BottomUp,
}

impl Direction {
    /// The name of the direction for people, such as `top-down`.
    pub fn title(self) -> &'static str {
        match self {
            Self::TopDown => "top-down",
            Self::BottomUp => "bottom-up",
        }
    }
}

/// What a flame is to show: which slices are frames, what these weigh, and from which end its trees grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Which slices of the host are frames.
    pub stacking: Stacking,
    /// What the frames weigh; `None` for host time, or for device time where no frame has time on the host.
    pub weight: Option<Weight>,
    /// From which end the trees of the flame grow.
    pub direction: Direction,
}
