//! Operators by name and by what else tells them apart: input shapes, Python stacks.

use rustc_hash::FxHashMap;

use crate::analysis::own_time::own_times;
use crate::analysis::owner::Owners;
use crate::analysis::shapes::Shapes;
use crate::analysis::stacks::Stacks;
use crate::analysis::{Part, Scope, Table, TableRow, Value};
use crate::base::intern::{Interner, StrId};
use crate::model::{SliceId, Trace};

use super::{NoOperator, Whole, charts, gather, row, sorted, work_rows};

/// What tells operators of one name apart, and how rows show it.
struct Detail<'a> {
    title: &'static str,
    /// The title of rows of operators without it.
    missing: &'static str,
    /// The distinct texts.
    texts: &'a Interner,
    /// The id of an operator's text in `texts`; 0 for none.
    number: &'a (dyn Fn(SliceId) -> u32 + Sync),
    /// The floating point operations of an operator, 0 if unknown; none for a table without them.
    flops: Option<&'a (dyn Fn(SliceId) -> u64 + Sync)>,
    /// The note under the table, if the table needs one.
    note: Option<&'static str>,
}

/// Builds the table of operators by name with their floating point operations; below each name a child row per set of input
/// shapes, and below that the device work.
pub fn by_shape(trace: &Trace, scope: &Scope, shapes: &Shapes) -> Table {
    let detail = Detail {
        title: "Operators by name and input shape",
        missing: "(shapes not recorded)",
        texts: shapes.texts(),
        number: &|id| shapes.number(id),
        flops: Some(&|id| shapes.flops(id)),
        note: None,
    };
    detailed(trace, scope, &detail)
}

/// Builds the table of operators by name; below each name a child row per Python stack, and below that the device work.
pub fn by_stack(trace: &Trace, scope: &Scope, stacks: &Stacks) -> Table {
    let detail = Detail {
        title: "Operators by name and Python stack",
        missing: "(stack not recorded)",
        texts: stacks.texts(),
        number: &|id| stacks.number(id),
        flops: None,
        note: Some(
            "A stack begins with its innermost frame; each frame after < called the one before it. Operators of a backward \
             pass have the stack of their forward operators.",
        ),
    };
    detailed(trace, scope, &detail)
}

/// Builds the table of operators by name, with a child row per name and detail, and below that the device work.
fn detailed(trace: &Trace, scope: &Scope, detail: &Detail<'_>) -> Table {
    let part = Part::new(trace, scope);
    let owners = Owners::of(&part);
    let own = own_times(&part);
    let name = |id: SliceId| trace.slices.name[id as usize];
    let flops = |id| detail.flops.map_or(0, |flops| flops(id));
    let found = gather(&owners, &own, |id| (name(id), 0), flops);
    let no_operator = NoOperator::of(&owners);
    let whole = Whole { has_flops: detail.flops.is_some(), ..Whole::of(&found, &no_operator) };
    let by_detail = gather(&owners, &own, |id| (name(id), (detail.number)(id)), flops);
    let mut below: FxHashMap<StrId, Vec<TableRow>> = FxHashMap::default();
    for ((name, number), mut sums) in sorted(trace, &whole, by_detail) {
        let children = work_rows(trace, std::mem::take(&mut sums.work), &whole);
        let text = detail.texts.text(number);
        let text = if text.is_empty() { Value::text(detail.missing) } else { Value::Text(text.into_owned()) };
        below.entry(name).or_default().push(row(text, sums, &whole, children));
    }
    let rows = sorted(trace, &whole, found).into_iter().map(|((name, _), sums)| {
        let children = below.remove(&name).unwrap_or_default();
        row(Value::Text(trace.string_or(name, "(unnamed)").into_owned()), sums, &whole, children)
    });
    let rows = no_operator.insert(trace, &whole, rows.collect());
    let mut table = whole.table(detail.title, rows);
    table.notes.extend(detail.note.filter(|_| !table.rows.is_empty()).map(str::to_owned));
    let charts = charts(&part, &table);
    table.with_charts(charts)
}
