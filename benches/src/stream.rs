//! Writes a trace event by event: counts bytes and events, and applies damage. Knows no format.

use std::io::{self, Write};

use super::damage::Damage;

/// Writes to `out`. The text of an event is buffered until it is complete.
pub(super) struct Stream<W> {
    out: W,
    waiting: Vec<u8>,
    pub damage: Damage,
    pub bytes: u64,
    pub events: u64,
}

impl<W: Write> Stream<W> {
    pub(super) fn new(out: W, damage: Damage) -> Self {
        Self { out, waiting: Vec::new(), damage, bytes: 0, events: 0 }
    }

    /// Passes on the buffered text as an event, which may be damaged.
    pub(super) fn event(&mut self) -> io::Result<()> {
        self.events += 1;
        self.damage.strike(&mut self.waiting);
        self.pass()
    }

    /// Passes on the buffered text unchanged.
    pub(super) fn pass(&mut self) -> io::Result<()> {
        self.out.write_all(&self.waiting)?;
        self.bytes += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }
}

impl<W: Write> Write for Stream<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
