//! Paddle's kernel view: kernels by name.

use crate::analysis::table::Column;
use crate::analysis::{Table, Value};
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::Category;

use super::context::Context;
use super::options::SortKey;
use super::sums::{self, Sums};
use super::tally::Tally;

/// Builds Paddle's table of the kernels that the forest's threads launched: a row per name, sorted by the
/// chosen device key or else by total device time. None if there are no such kernels.
pub(super) fn table(context: &Context<'_>) -> Option<Table> {
    let forest = &context.forest;
    let slices = &forest.trace.slices;
    let mut kernels: Tally<StrId, Sums> = Tally::default();
    let mut at = forest.visit.iter().copied().peekable();
    for thread in 0..forest.threads() {
        let own = std::iter::from_fn(|| at.next_if(|&id| forest.node(id).0.thread == thread));
        for holder in std::iter::once(forest.root(thread)).chain(own) {
            for work in forest.direct_work(holder).filter(|&work| slices.category(work) == Category::Kernel) {
                let sums = kernels.of(slices.name[work]);
                sums.calls += 1;
                sums.device.add(slices.dur[work]);
            }
        }
    }
    if kernels.is_empty() {
        return None;
    }
    let mut kernels = kernels.into_items();
    let all = kernels.iter().fold(0, |sum: Ns, (_, sums)| sum.saturating_add(sums.device.total));
    let key = match context.options.sorted_by {
        key @ (SortKey::GpuAvg | SortKey::GpuMax | SortKey::GpuMin) => key,
        _ => SortKey::GpuTotal,
    };
    kernels.sort_by(|(_, a), (_, b)| sums::order(a, b, key));
    let rows = kernels.into_iter().map(|(name, sums)| {
        let name = Value::Text(forest.trace.string_or(name, "(unnamed)").into_owned());
        let ratio = sums::part(sums.device.total, all);
        sums::row(name, Value::Count(sums.calls), sums::five(&sums.device, sums.calls, ratio))
    });
    let columns: Vec<Column> =
        sums::columns().into_iter().filter(|column| !column.id.starts_with("cpu")).collect();
    Some(Table {
        view: "kernel",
        title: "Kernel Summary",
        columns,
        rows: rows.collect(),
        notes: Vec::new(),
        ..Table::default()
    })
}
