//! Deterministic synthetic traces of any size: what the run did comes from `workload`, how a producer writes it from a
//! dialect (`kineto`). Another dialect, or damage between the two, is another file beside them and another function here.
//!
//! Beside real traces (HTA's, 190 to 319 bytes and 129 to 415 names; here 300 bytes and 461 names, not counting steps):
//!
//! | part of all events | generated | HTA's `df_index_resolver` |
//! | --- | --- | --- |
//! | operators | 37 % | 26 % (23 to 37 % in others) |
//! | runtime calls | 14 % | 20 % |
//! | flow starts and ends | 23 % | 30 % |
//! | memory instants | 10 % | 13 % |
//! | kernels, copies, fills | 9 % | 10 % |
//! | Python frames | 7 % | none (more than half of a trace with stacks) |
//!
//! The layout of an event, the arguments and the order (host first, then each kernel, its flow's end, its launch, its
//! flow's start) are Kineto's. Unlike the real thing, host and device alternate step by step, so that any size can be
//! streamed; names are drawn skewed but without the rhythm of real layers; nothing overlaps, nothing is damaged.

#[path = "kineto.rs"]
mod kineto;
#[path = "names.rs"]
mod names;
#[path = "rng.rs"]
mod rng;
#[path = "workload.rs"]
mod workload;

use std::io::{self, Write};

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    pub bytes: u64,
    pub events: u64,
}

/// Counts what goes through.
struct Counted<W> {
    out: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.out.write(buf)?;
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes a trace of at least `bytes` bytes, and less than one step (about 1 MB) more, as Kineto does.
pub fn kineto(out: impl Write, bytes: u64) -> io::Result<Written> {
    let mut writer = kineto::Kineto::open(Counted { out, bytes: 0 })?;
    let mut run = workload::Run::new(42);
    loop {
        for event in run.step() {
            writer.event(event)?;
        }
        if writer.sheet.out.bytes >= bytes {
            let events = writer.close(run.now())?;
            return Ok(Written { bytes: writer.sheet.out.bytes, events });
        }
    }
}
