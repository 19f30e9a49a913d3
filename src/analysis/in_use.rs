//! Memory in use over time, by place.
//!
//! Must not know what allocated it.

use std::collections::BTreeMap;

use crate::base::intern::StrId;
use crate::base::time::{Ns, Span};
use crate::model::{MemoryEvent, Trace};

use super::chart::{Chart, ChartKind};
use super::curve::{Curve, Series};
use super::scope::Scope;

/// What a place's events say over time.
#[derive(Default)]
struct Points {
    in_use: Track,
    reserved: Track,
    /// Taken less given back since the first event, for producers that write no totals.
    change: Track,
    sum: i64,
}

/// One number over time.
#[derive(Default)]
struct Track {
    /// The last before the part looked at.
    before: Option<i64>,
    points: Vec<(Ns, i64)>,
}

impl Track {
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

impl Points {
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

    fn curve(self, span: Span) -> Curve {
        let in_use = self.in_use.series("in use", span);
        let in_use = in_use.or_else(|| self.change.series("taken less given back", span));
        // A producer that knows nothing of it writes nought.
        let reserved = self.reserved.series("reserved", span).filter(|series| series.peak.1 > 0);
        Curve { span, series: in_use.into_iter().chain(reserved).collect() }
    }
}

/// The curves of all places that have events in `scope`.
pub(super) fn chart(trace: &Trace, scope: &Scope) -> Option<Chart> {
    let mut places: BTreeMap<StrId, Points> = BTreeMap::new();
    let mut span = scope.span.unwrap_or(trace.main_span);
    // What holds at a place holds whichever thread did it, so events of lanes outside the scope count, too.
    for event in &trace.memory {
        if scope.has_time(event.ts) {
            span = span.union(Span { start: event.ts, end: event.ts.saturating_add(1) });
        }
        places.entry(event.place).or_default().add(scope, event);
    }
    let named = |(place, points): (StrId, Points)| {
        let name = trace.string_or(place, "(no place)").as_str().to_owned();
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
