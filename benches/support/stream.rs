//! A trace on its way out, one event at a time: counts bytes and events, and lets damage have its turn. Knows no format.

use std::io::{self, Write};

use super::damage::Damage;

/// Writes to `out`. What was written since the last event waits until it is passed on.
pub struct Stream<W> {
    out: W,
    waiting: Vec<u8>,
    pub damage: Damage,
    pub bytes: u64,
    pub events: u64,
}

impl<W: Write> Stream<W> {
    pub fn new(out: W, damage: Damage) -> Self {
        Self { out, waiting: Vec::new(), damage, bytes: 0, events: 0 }
    }

    /// What waits is an event, which may be damaged.
    pub fn event(&mut self) -> io::Result<()> {
        self.events += 1;
        self.damage.strike(&mut self.waiting);
        self.pass()
    }

    /// What waits must arrive as it is.
    pub fn pass(&mut self) -> io::Result<()> {
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
