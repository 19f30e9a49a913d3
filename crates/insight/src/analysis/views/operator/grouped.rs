//! Operators by name and by what else distinguishes them: input shapes, Python stacks.

use rustc_hash::FxHashMap;

use crate::analysis::arguments::shapes::Shapes;
use crate::analysis::arguments::stacks::Stacks;
use crate::analysis::part::owner::Owners;
use crate::analysis::{Part, Scope, Table, TableRow, Value};
use proftui_base::intern::{Interner, StrId};
use proftui_trace::model::{SliceId, Trace};

use super::columns::Whole;
use super::no_operator::NoOperator;
use super::own::OwnTimes;
use super::rows::Row;
use super::sums::{Key, Sums, gather};
use super::{charts, sorted, table, title};

/// What distinguishes operators of one name, and how rows show it.
struct Detail<'a> {
    title: &'static str,
    /// The title of rows of operators whose detail is not recorded.
    missing: &'static str,
    /// The distinct texts of the detail, such as input shapes.
    texts: &'a Interner,
    /// The id of an operator's text in `texts`; [`StrId::EMPTY`] for none.
    number: &'a (dyn Fn(SliceId) -> StrId + Sync),
    /// The id in `texts` of the text of an operator inside a graph, by the number of its record in the
    /// trace's graph names; [`StrId::EMPTY`] for none.
    graph_number: &'a (dyn Fn(u32) -> StrId + Sync),
    /// The floating point operations of an operator, 0 if unknown; `None` for a table without their columns.
    flops: Option<&'a (dyn Fn(SliceId) -> u64 + Sync)>,
    /// A further note under the table, if it has rows.
    note: Option<&'static str>,
}

/// Builds the table of operators by name and input shapes, with their floating point operations.
pub fn by_shape(trace: &Trace, scope: &Scope, shapes: &Shapes) -> Table {
    let detail = Detail {
        title: "Operators by name and input shape",
        missing: "(shapes not recorded)",
        texts: shapes.texts(),
        number: &|id| shapes.number(id),
        graph_number: &|record| shapes.graph_number(record),
        flops: Some(&|id| shapes.flops(id)),
        note: None,
    };
    detailed(trace, scope, &detail)
}

/// Builds the table of operators by name and Python stack.
pub fn by_stack(trace: &Trace, scope: &Scope, stacks: &Stacks) -> Table {
    let detail = Detail {
        title: "Operators by name and Python stack",
        missing: "(stack not recorded)",
        texts: stacks.texts(),
        number: &|id| stacks.number(id),
        graph_number: &|_| StrId::EMPTY,
        flops: None,
        note: Some(
            "A stack begins with its innermost frame; each frame after < called the one before it. Operators \
             of a backward pass have the stack of their forward operators, where these are known.",
        ),
    };
    detailed(trace, scope, &detail)
}

/// Builds the table of operators by name, with child rows by `detail`.
fn detailed(trace: &Trace, scope: &Scope, detail: &Detail<'_>) -> Table {
    let part = Part::new(trace, scope);
    let owners = Owners::of(&part);
    let own = OwnTimes::of(&part);
    let name = |id: SliceId| trace.slices.name[id];
    let flops = |id| detail.flops.map_or(0, |flops| flops(id));
    let in_graph = |record: u32| trace.graph_names.records[record as usize].operator;
    let found = gather(
        &owners,
        &own,
        |id| (name(id), StrId::EMPTY),
        |record| (in_graph(record), StrId::EMPTY),
        flops,
    );
    let no_operator = NoOperator::of(&owners);
    let whole = Whole { has_flops: detail.flops.is_some(), ..Whole::of(&found, no_operator.total()) };
    let graph_key = |record: u32| (in_graph(record), (detail.graph_number)(record));
    let by_detail = gather(&owners, &own, |id| (name(id), (detail.number)(id)), graph_key, flops);
    let mut below: FxHashMap<StrId, Vec<TableRow>> = FxHashMap::default();
    for ((name, number), sums) in sorted(trace, by_detail) {
        let text = detail.texts.text(number);
        let text = if text.is_empty() { Value::text(detail.missing) } else { Value::Text(text.into_owned()) };
        let row = Row::with_parts(trace, text, sums, &whole);
        below.entry(name).or_default().push(row.build(&whole));
    }
    let row = |((name, _), sums): (Key, Sums)| {
        let children = below.remove(&name).unwrap_or_default();
        (sums.weight(), Row { title: title(trace, name), sums, children }.build(&whole))
    };
    let rows = sorted(trace, found).into_iter().map(row).collect();
    let mut table = table(detail.title, &whole, no_operator.insert(trace, &whole, rows));
    table.notes.extend(detail.note.filter(|_| !table.rows.is_empty()).map(str::to_owned));
    let charts = charts(&part, &own, &table);
    table.with_charts(charts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Arguments, Needs};
    use proftui_base::time::Span;
    use proftui_trace::import::{Loaded, Progress, Request, load_bytes};

    /// An operator with a shape and a stack, whose kernel runs after it.
    fn loaded() -> Loaded {
        let text = r#"[
            {"ph":"X","cat":"cpu_op","name":"mm","pid":1,"tid":1,"ts":0,"dur":10,"args":{"Input Dims":[[2, 3]],"Call stack":"a.py(1): f"}},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":2,"args":{"correlation":5}},
            {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":40,"dur":9,"args":{"device":0,"stream":7,"correlation":5}}]"#;
        load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace")
    }

    #[test]
    fn operators_that_ended_before_the_part_are_divided_by_their_work() {
        let Loaded { trace, texts } = loaded();
        let scope = Scope { span: Some(Span { start: 30_000, end: 60_000 }), lanes: None };
        let needs = Needs { shapes: true, stack: 5, ..Needs::NOTHING };
        let read = Arguments::read(&trace, &texts, &scope, needs).expect("arguments");
        for (table, detail) in [
            (by_shape(&trace, &scope, &read.shapes), "[[2, 3]]"),
            (by_stack(&trace, &scope, &read.stacks), "a.py(1): f"),
        ] {
            let names = |rows: &[TableRow]| rows.iter().map(|row| row.cells[0].clone()).collect::<Vec<_>>();
            assert_eq!(names(&table.rows), [Value::text("mm")], "{}", table.title);
            assert_eq!(names(&table.rows[0].children), [Value::text(detail)], "{}", table.title);
        }
    }
}
