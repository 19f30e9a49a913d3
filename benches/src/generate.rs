//! Deterministic synthetic traces of any size: `workload` invents the run, a dialect (`kineto`, `paddle`)
//! formats its events, and `damage` alters their text before it is written.
//!
//! Beside real traces (HTA's, 190 to 319 bytes and 129 to 415 names; here 300 bytes and 461 names, not
//! counting steps):
//!
//! | share of all events | generated | HTA's `df_index_resolver` |
//! | --- | --- | --- |
//! | operators | 37 % | 26 % (23 to 37 % in others) |
//! | runtime calls | 14 % | 20 % |
//! | flow starts and ends | 23 % | 30 % |
//! | memory instants | 10 % | 13 % |
//! | kernels, copies, memsets | 9 % | 10 % |
//! | Python frames | 7 % | none (more than half of a trace with stacks) |
//!
//! The layout of an event, the arguments and the order (host first, then each kernel, its flow's end, its
//! launch, its flow's start) are Kineto's. Unlike in real traces, host and device alternate step by step,
//! which lets any size be streamed; names are drawn from a skewed distribution without the repetition of real
//! layers; nothing overlaps. Paddle's layout and order are those of its own exporter; its tree is breadth
//! first step by step, not over the whole trace.

#![allow(dead_code, reason = "each bench uses a part of it")]

#[path = "breadth.rs"]
mod breadth;
#[path = "damage.rs"]
mod damage;
#[path = "kineto.rs"]
mod kineto;
#[path = "names.rs"]
mod names;
#[path = "paddle.rs"]
mod paddle;
#[path = "rng.rs"]
pub mod rng;
#[path = "stream.rs"]
mod stream;
#[path = "workload.rs"]
mod workload;

use std::fmt;
use std::io::{self, Write};

/// The producer whose format is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// PyTorch's.
    Kineto,
    /// PaddlePaddle's.
    Paddle,
}

/// Parameters of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Recipe {
    /// The producer whose format is written.
    pub dialect: Dialect,
    /// Least size in bytes; the last step may add up to 1 MB.
    pub bytes: u64,
    /// The same seed gives the same trace.
    pub seed: u64,
    /// Share of the events to damage, from 0 to 1.
    pub damage: f64,
}

/// Counts of what was written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Size of the text.
    pub bytes: u64,
    /// Events, damaged ones included.
    pub events: u64,
    /// Damaged events.
    pub damaged: u64,
    /// Counts of damage by kind, as text.
    damage: String,
}

impl Written {
    fn of<W>(stream: &stream::Stream<W>) -> Self
    where
        W: Write,
    {
        let damage = &stream.damage;
        Self {
            bytes: stream.bytes,
            events: stream.events,
            damaged: damage.total(),
            damage: damage.to_string(),
        }
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.bytes as f64 / self.events as f64;
        write!(f, "{} bytes, {} events, {each:.0} bytes per event", self.bytes, self.events)?;
        if self.damaged > 0 { write!(f, ", {}", self.damage) } else { Ok(()) }
    }
}

/// Writes the trace, step by step.
pub fn write(out: impl Write, recipe: &Recipe) -> io::Result<Written> {
    let stream = stream::Stream::new(out, damage::Damage::new(recipe.seed, recipe.damage));
    let mut run = workload::Run::new(recipe.seed);
    match recipe.dialect {
        Dialect::Kineto => {
            let mut writer = kineto::Kineto::open(stream)?;
            while writer.sheet.out.bytes < recipe.bytes {
                run.step();
                let (host, device) = run.parts();
                host.iter().chain(device).try_for_each(|event| writer.event(event))?;
            }
            writer.close(run.now())?;
            Ok(Written::of(&writer.sheet.out))
        }
        Dialect::Paddle => {
            let mut writer = paddle::Paddle::open(stream)?;
            while writer.out.bytes < recipe.bytes {
                run.step();
                breadth::order(&run).iter().try_for_each(|node| writer.event(node))?;
            }
            writer.close()?;
            Ok(Written::of(&writer.out))
        }
    }
}
