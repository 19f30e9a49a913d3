//! VisualDL's table of the ranges that the user's Python code names.

use crate::analysis::{Table, Value};
use crate::compat::paddle::sums::{self, Sums};
use crate::compat::paddle::tally::Tally;
use proftui_base::intern::StrId;
use proftui_base::time::Ns;
use proftui_trace::model::Category;

use super::context::Context;

/// Builds VisualDL's table of the ranges that the user's Python code names, by name. None if there are no
/// such ranges.
pub(super) fn table(context: &Context<'_>) -> Option<Table> {
    let forest = &context.forest;
    let slices = &forest.trace.slices;
    let mut ranges: Tally<StrId, Sums> = Tally::default();
    for &id in &forest.visit {
        let (node, category) = forest.node(id);
        if category != Category::PythonUserDefined {
            continue;
        }
        let sums = ranges.of(slices.name[node.slice]);
        sums.calls += 1;
        sums.cpu.add(slices.dur[node.slice]);
        sums.device.add(node.device);
    }
    if ranges.is_empty() {
        return None;
    }
    let mut ranges = ranges.into_items();
    let all =
        |time: fn(&Sums) -> Ns| ranges.iter().fold(0, |sum: Ns, (_, sums)| sum.saturating_add(time(sums)));
    let (cpu, device) = (all(|sums| sums.cpu.total), all(|sums| sums.device.total));
    ranges.sort_by_key(|(_, sums)| std::cmp::Reverse(sums.cpu.total));
    let row = |(name, sums): &(StrId, Sums)| {
        let name = Value::Text(forest.trace.string_or(*name, "(unnamed)").into_owned());
        let cells = sums::five(&sums.cpu, sums.calls, sums::part(sums.cpu.total, cpu)).into_iter();
        let cells = cells.chain(sums::five(&sums.device, sums.calls, sums::part(sums.device.total, device)));
        sums::row(name, Value::Count(sums.calls), cells)
    };
    Some(Table {
        view: "userdefined",
        title: "UserDefined Summary",
        columns: sums::columns(),
        rows: ranges.iter().map(row).collect(),
        notes: vec![
            "Ratios are shares of the summed time of all ranges in this table; a nested range and the range \
             around it both count."
                .into(),
        ],
        ..Table::default()
    })
}
