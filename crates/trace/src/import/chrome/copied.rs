//! The bytes of copies and memsets, which Kineto, Paddle, Ascend's profiler and our own recordings write as
//! an argument of the event.

use crate::import::build::CopiedBytes;
use crate::import::dialect::{self, devices};
use crate::model::copied::unwrapped_bytes;
use crate::model::{Category, Origin};
use proftui_base::intern::StrId;
use proftui_base::saturate::saturate;
use proftui_base::time::{Ns, parse_scaled};

use super::event::Event;
use super::translator::Translator;

impl Translator {
    /// Adds the number of bytes that `event` copies or sets to the builder, if it states one; `(ts, dur)` are
    /// its start and duration, ns.
    pub(super) fn copied(
        &mut self,
        event: &Event<'_>,
        category: Category,
        name: StrId,
        (ts, dur): (Ns, Ns),
        origin: Origin,
    ) {
        let bytes_in = |text: &[u8]| parse_scaled(text, 0).or_else(|| devices::copied_bytes(text));
        let Some(printed) = event.hits.bytes.and_then(|token| bytes_in(token.key()?)) else { return };
        if !dialect::has_copied_bytes(category, self.builder.strings().bytes(name)) {
            return;
        }
        let bandwidth =
            event.hits.bandwidth.and_then(|token| std::str::from_utf8(token.key()?).ok()?.parse().ok());
        let bandwidth = bandwidth.filter(|number: &f64| number.is_finite());
        let bytes = unwrapped_bytes(printed, bandwidth, saturate::<u64>(dur));
        self.builder.copied(CopiedBytes { ts, origin, bytes });
    }
}
