//! Groups of what a query found: number, sum and distribution of each.
//!
//! Must not know by what things are grouped.

use std::cmp::Reverse;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use proftui_base::time::{Ns, Span};
use proftui_trace::model::SliceId;

use super::found::{Found, Rows, VIEW};
use super::query::Query;
use super::terms::Order;
use crate::analysis::Piece;
use crate::analysis::table::ColumnKind::{Count, Duration};
use crate::analysis::table::tally::Tally;
use crate::analysis::table::{Column, Table, TableRow, Value};

/// The groups as rows, in order.
pub(super) struct Groups {
    column: Column,
    rows: Vec<TableRow>,
}

impl Groups {
    /// Sums up `items`, each of which has a key, a time and an event ([`SliceId::NONE`] for none), by key.
    /// `value` is the cell of a key, and `column` its column; groups are in `order`.
    pub(super) fn of<K: Hash + Eq>(
        items: impl Iterator<Item = (K, Span, SliceId)>,
        value: impl Fn(&K) -> Value,
        column: Column,
        order: Order,
    ) -> Self {
        let mut found: FxHashMap<K, (Tally, Ns)> = FxHashMap::default();
        for (key, span, id) in items {
            let (tally, first) = found.entry(key).or_insert_with(|| (Tally::default(), Ns::MAX));
            tally.add(Piece { id, span, begins: true, whole: span.len() }, true);
            *first = span.start.min(*first);
        }
        let mut groups: Vec<(Value, Tally, Ns)> =
            found.into_iter().map(|(key, (tally, first))| (value(&key), tally, first)).collect();
        // Of equal ones, the earlier is first.
        groups.sort_by_key(|(_, tally, first)| match order {
            Order::Duration => (Reverse(i128::from(tally.total)), *first),
            Order::Count => (Reverse(i128::from(tally.count())), *first),
            Order::Start => (Reverse(0), *first),
        });
        let row = |(value, mut tally, _): (Value, Tally, Ns)| {
            let [_, _, p50, p99, longest] = tally.spread();
            let first = [value, Value::Count(tally.count()), Value::Duration(tally.total)];
            TableRow {
                cells: first.into_iter().chain([p50, p99, longest]).collect(),
                children: Vec::new(),
                longest: tally.longest().filter(|&id| id != SliceId::NONE),
            }
        };
        Self { column, rows: groups.into_iter().map(row).collect() }
    }

    /// The table of the groups, cut to the rows that are wanted; `all` is what the query found.
    pub(super) fn cut(self, query: &Query, rows: Rows, all: Found) -> Table {
        let Self { column, rows: mut groups } = self;
        let count = groups.len();
        groups.truncate(query.top.or(rows.most).unwrap_or(count));
        let columns = [
            Column::new("count", "Count", Count, "How many were found"),
            Column::new(
                "total",
                "Total",
                Duration,
                "Summed length; what lies in each other counts each time",
            ),
            Column::new("p50", "p50", Duration, "Median length; nearest rank"),
            Column::new("p99", "p99", Duration, "99th percentile of the lengths; nearest rank"),
            Column::new(
                "max",
                "Longest",
                Duration,
                "Length of the longest (in the explorer, Enter goes to it)",
            ),
        ];
        Table {
            view: VIEW,
            title: "Groups of what was found",
            headline: all.headline(Some(count)),
            columns: std::iter::once(column).chain(columns).collect(),
            notes: all.notes(query, (groups.len(), count), "group", rows),
            rows: groups,
            ..Table::default()
        }
    }
}
