//! Curves of the memory in use over time, by place.
//!
//! Must not know which events allocated it.

use std::collections::BTreeMap;

use proftui_base::intern::StrId;
use proftui_base::time::{Ns, Span};
use proftui_trace::model::{MemoryEvent, Trace};

use crate::analysis::part::per_worker;
use crate::analysis::part::scope::Scope;
use crate::analysis::table::chart::{Chart, ChartKind};
use crate::analysis::table::curve::{Curve, Series};

/// The memory in use and the memory reserved at one place over time, in bytes.
#[derive(Default)]
struct PlaceValues {
    /// Bytes in use, from the memory events that record them.
    in_use: Values,
    /// Bytes that the allocator has reserved, from the memory events that record them.
    reserved: Values,
    /// The bytes allocated minus the bytes released, over time; shown only if `in_use` has no value.
    change: Values,
    /// Bytes that the program allocated minus those that it released, in the events added so far.
    sum: i64,
}

/// A number of bytes over time.
#[derive(Default)]
struct Values {
    /// The last value before the time of the scope; `None` if there is none.
    before: Option<i64>,
    /// Times (ns) within the scope, each with the value (bytes) from then on.
    points: Vec<(Ns, i64)>,
}

impl Values {
    /// Adds the value `bytes` at `ts` (ns): to `points` if the scope's time has `ts`, as `before` if it is
    /// earlier, not at all if later. Values must come in order of time.
    fn add(&mut self, scope: &Scope, ts: Ns, bytes: i64) {
        if scope.has_time(ts) {
            self.points.push((ts, bytes));
        } else if scope.span.is_some_and(|span| ts < span.start) {
            self.before = Some(bytes);
        }
    }

    fn series(self, title: &'static str, span: Span) -> Option<Series> {
        Series::new(title, span, self.before, self.points)
    }
}

impl PlaceValues {
    /// Adds a memory event of the place.
    fn add(&mut self, scope: &Scope, event: &MemoryEvent) {
        if let Some(bytes) = event.allocated.get() {
            self.in_use.add(scope, event.ts, bytes);
        }
        if let Some(bytes) = event.reserved.get() {
            self.reserved.add(scope, event.ts, bytes);
        }
        if !event.kind.is_reserved() {
            self.sum = self.sum.saturating_add(event.bytes);
            self.change.add(scope, event.ts, self.sum);
        }
    }

    /// Makes the curve of the place over `span`: memory in use, or allocated minus freed, and reserved
    /// memory, as far as known.
    fn curve(self, span: Span) -> Curve {
        let in_use = self.in_use.series("in use", span);
        let in_use = in_use.or_else(|| self.change.series("allocated minus freed", span));
        // A producer that does not know the reserved memory writes 0.
        let reserved = self.reserved.series("reserved", span).filter(|series| series.peak.1 > 0);
        Curve { span, series: in_use.into_iter().chain(reserved).collect() }
    }
}

/// Builds the chart of the memory in use and reserved over time, with a curve per place; `None` if no values
/// are known.
pub(crate) fn chart(trace: &Trace, scope: &Scope) -> Option<Chart> {
    let mut places: BTreeMap<StrId, PlaceValues> = BTreeMap::new();
    let mut span = scope.extent(trace);
    // The memory in use is that of all threads of a worker, so events of lanes outside the scope count too.
    for event in per_worker::memory(trace, &scope.workers(trace)) {
        if scope.has_time(event.ts) {
            span = span.union(Span { start: event.ts, end: event.ts.saturating_add(1) });
        }
        places.entry(event.place).or_default().add(scope, event);
    }
    let named = |(place, points): (StrId, PlaceValues)| {
        let name = trace.string_or(place, "(device not recorded)").as_str().to_owned();
        (name, points.curve(span))
    };
    let curves = places.into_iter().map(named).filter(|(_, curve)| !curve.series.is_empty());
    let curves: BTreeMap<String, Curve> = curves.collect();
    (!curves.is_empty()).then_some(Chart {
        title: "Memory over time",
        order: None,
        kind: ChartKind::Curves(curves),
    })
}
