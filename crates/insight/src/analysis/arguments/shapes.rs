//! The input shapes of operators, and the floating point operations computed from them; read from the events'
//! arguments in one pass over the files.
//!
//! Must not know which tables group by them.

use rustc_hash::FxHashMap;

use proftui_base::intern::{Interner, StrId};
use proftui_trace::import::{RawEvent, RawValue, Texts, VisitError};
use proftui_trace::model::{GraphRecord, Origin, SliceId, Trace};

use super::flops::{self, Formula};
use crate::analysis::part::scope::Scope;
use crate::analysis::part::{Part, owner};

/// The input shapes of operators, and their numbers of floating point operations as far as known.
#[derive(Debug, Default)]
pub struct Shapes {
    /// Each distinct text of input shapes.
    texts: Interner,
    /// For each operator that was read, the id of its input shapes in `texts`, and its number of floating
    /// point operations, 0 where that is unknown.
    operators: FxHashMap<SliceId, (StrId, u64)>,
    /// For each record of the trace's `graph_names`, by index, the id of its input shapes in `texts`.
    in_graphs: Vec<StrId>,
}

impl Shapes {
    /// Reads the input shapes of the operators in `scope` and around the launches of its device work, and
    /// computes their floating point operations.
    ///
    /// # Errors
    /// When a file has changed or cannot be read.
    pub fn read(trace: &Trace, texts: &Texts, scope: &Scope) -> Result<Self, VisitError> {
        let slices = &trace.slices;
        let mut wanted = owner::operators(&Part::new(trace, scope));
        wanted.retain(|&id| slices.origin[id] != Origin::NONE);
        wanted.sort_unstable_by_key(|&id| slices.origin[id]);
        let origins: Vec<Origin> = wanted.iter().map(|&id| slices.origin[id]).collect();
        let mut read = Self::default();
        let of_graph = |record: &GraphRecord| read.texts.intern(trace.strings.bytes(record.shapes));
        read.in_graphs = trace.graph_names.records.iter().map(of_graph).collect();
        texts.visit(&origins, |at, event| {
            let id = wanted[at];
            let formula = Formula::of(trace.strings.bytes(slices.name[id]));
            let count = formula.map_or(0, |formula| flops::flops(formula, &flops::Inputs::of(event)));
            let shapes = read.texts.intern(shapes(event).as_bytes());
            read.operators.insert(id, (shapes, count));
        })?;
        Ok(read)
    }

    /// The id of an operator's input shapes in [`texts`](Self::texts); 0, the empty text, if it has none or
    /// was not read.
    pub(crate) fn number(&self, id: SliceId) -> StrId {
        self.operators.get(&id).map_or(StrId::EMPTY, |operator| operator.0)
    }

    /// The id in [`texts`](Self::texts) of the input shapes in a record of the trace's `graph_names`; 0, the
    /// empty text, if there are none or they were not read.
    pub(crate) fn graph_number(&self, record: u32) -> StrId {
        self.in_graphs.get(record as usize).copied().unwrap_or_default()
    }

    /// The number of an operator's floating point operations; 0 if it is not known.
    pub(crate) fn flops(&self, id: SliceId) -> u64 {
        self.operators.get(&id).map_or(0, |operator| operator.1)
    }

    /// The distinct texts of input shapes, by the ids that [`number`](Self::number) and
    /// [`graph_number`](Self::graph_number) return.
    pub(crate) fn texts(&self) -> &Interner {
        &self.texts
    }
}

/// The value of the first argument in `names` that the event has with a value other than Paddle's empty `{}`.
pub(crate) fn argument<'a>(event: &RawEvent<'a, '_>, names: &[&[u8]]) -> Option<RawValue<'a>> {
    names.iter().find_map(|name| event.argument(name).filter(|value| value.text().as_ref() != b"{}"))
}

/// The input shapes in an operator's event as text, such as `X:[[32, 64]] W:[[64, 10], []]` or
/// `[[32, 64], []]`; empty if the event states none.
pub(crate) fn shapes(event: &RawEvent<'_, '_>) -> String {
    let Some(value) = argument(event, &[b"input_shapes", b"Input Dims", b"Input dims"]) else {
        return String::new();
    };
    let text = value.text();
    let text = String::from_utf8_lossy(&text);
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(&text);
    let mut shown = String::new();
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match c {
            '"' => {}
            c if c.is_whitespace() => {}
            ',' if depth > 0 => shown.push_str(", "),
            ',' => shown.push(' '),
            c => shown.push(c),
        }
    }
    shown
}
