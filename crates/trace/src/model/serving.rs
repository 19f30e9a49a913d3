//! What a step of a serving engine serves: its kind, requests, tokens and batch size.
//!
//! Must not know the names by which engines annotate their steps.

use std::fmt;

/// The kind of a serving engine's step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ServingKind {
    /// All requests of the step are prefilled: their prompts are read.
    Prefill,
    /// All requests of the step are decoded: each gets its next tokens.
    Decode,
    /// Some requests are prefilled, others decoded.
    Mixed,
    /// Images or videos are made.
    Diffusion,
    /// Any other step, such as one of vLLM without requests.
    Other,
}

impl ServingKind {
    /// The kind's name, such as `prefill`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Decode => "decode",
            Self::Mixed => "mixed",
            Self::Diffusion => "diffusion",
            Self::Other => "other",
        }
    }
}

/// What a step of a serving engine serves, as far as the engine states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Serving {
    /// The kind of the step.
    pub kind: ServingKind,
    /// How many requests the step's batch has; 0 also where the engine states none.
    pub requests: u64,
    /// The batch size after padding; `None` where the engine states none.
    pub padded: Option<u64>,
    /// The tokens that the step computes, of all requests together; `None` where they are not known.
    pub tokens: Option<u64>,
    /// The resolution of the images or videos, as two numbers in the engine's order; `None` where there is
    /// none.
    pub resolution: Option<(u32, u32)>,
}

impl Serving {
    /// The batch size after padding where the engine states it, else the number of requests.
    pub fn batch(&self) -> u64 {
        self.padded.unwrap_or(self.requests)
    }

    /// This description, with what it does not state taken from `inner`.
    #[must_use]
    pub fn or(self, inner: Self) -> Self {
        let Self { kind, requests, padded, tokens, resolution } = self;
        Self {
            kind: if kind == ServingKind::Other { inner.kind } else { kind },
            requests: if requests == 0 { inner.requests } else { requests },
            padded: padded.or(inner.padded),
            tokens: tokens.or(inner.tokens),
            resolution: resolution.or(inner.resolution),
        }
    }
}

/// Writes the kind, number of requests, padded batch size and resolution, such as `decode 117/128` or
/// `diffusion 1 1024x1024`.
impl fmt::Display for Serving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.name(), self.requests)?;
        if let Some(padded) = self.padded {
            write!(f, "/{padded}")?;
        }
        if let Some((one, other)) = self.resolution {
            write!(f, " {one}x{other}")?;
        }
        Ok(())
    }
}
