//! The Python stack of an operator, from the Python functions that the profiler recorded around it on its
//! thread.
//!
//! It gets the form that PyTorch's profiler itself writes with its option `verbose`, which takes gigabytes in
//! the captured program. Must not know files.

use proftui_insight::analysis::part::python_functions::PythonFunctions;
use proftui_trace::import::{RawEvent, push_text};
use proftui_trace::model::{SliceId, Trace};

/// Key of the argument that has an operator's Python stack.
const CALL_STACK: &str = "Call stack";

/// The Python stacks of a trace's operators.
pub(super) struct Stacks<'a> {
    trace: &'a Trace,
    functions: PythonFunctions<'a>,
    /// The innermost Python function around the last operator that got a stack; `None` at first.
    innermost: Option<SliceId>,
    /// The stack from `innermost` outwards, as a member of a JSON object.
    member: String,
}

impl<'a> Stacks<'a> {
    pub(super) fn of(trace: &'a Trace) -> Self {
        Self { trace, functions: PythonFunctions::of(trace), innermost: None, member: String::new() }
    }

    /// Adds an operator's Python stack to `members`, the members of its arguments, unless the event states
    /// the stack itself or no Python function is around the operator.
    pub(super) fn add(&mut self, operator: SliceId, event: &RawEvent<'_, '_>, members: &mut String) {
        let Some(innermost) = self.functions.innermost(operator) else { return };
        if event.argument(CALL_STACK.as_bytes()).is_some() {
            return;
        }
        if self.innermost != Some(innermost) {
            let mut frames = Vec::new();
            for function in self.functions.outwards(innermost) {
                let name = self.trace.slices.name[function];
                frames.extend_from_slice(self.trace.strings.bytes(name));
                frames.push(b';');
            }
            self.innermost = Some(innermost);
            self.member.clear();
            push_text(CALL_STACK.as_bytes(), &mut self.member);
            self.member.push(':');
            push_text(&frames, &mut self.member);
        }
        if !members.is_empty() {
            members.push(',');
        }
        members.push_str(&self.member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::import::{Progress, Request, load_bytes};
    use proftui_trace::model::{Category, Origin};

    /// What is added to the arguments of each operator, in the order of the file.
    fn added(events: &[&str]) -> Vec<String> {
        let text = format!("[{}]", events.join(","));
        let loaded = load_bytes(text.as_bytes(), &Request::default(), &Progress::default()).expect("a trace");
        let trace = &loaded.trace;
        let is_operator = |id: &SliceId| trace.slices.category(*id) == Category::Operator;
        let ids: Vec<SliceId> = trace.slices.ids().iter().filter(is_operator).collect();
        let origins: Vec<Origin> = ids.iter().map(|&id| trace.slices.origin[id]).collect();
        let (mut stacks, mut found) = (Stacks::of(trace), Vec::new());
        let visited = loaded.texts.visit(&origins, |at, event| {
            let mut members = String::from(if found.is_empty() { "" } else { r#""Ev Idx":1"# });
            stacks.add(ids[at], event, &mut members);
            found.push(members);
        });
        assert_eq!(visited.expect("read"), 0);
        found
    }

    #[test]
    fn the_functions_around_an_operator_are_its_stack() {
        let event = |cat: &str, name: &str, tid: u64, start: u64, length: u64, args: &str| {
            format!(
                r#"{{"ph":"X","cat":"{cat}","name":"{name}","pid":1,"tid":{tid},"ts":{start},"dur":{length},"args":{{{args}}}}}"#
            )
        };
        let events = [
            event("python_function", "train.py(3): main", 1, 0, 100, ""),
            event("python_function", r#"a \"b\""#, 1, 10, 40, ""),
            event("cpu_op", "aten::linear", 1, 12, 20, ""),
            event("cpu_op", "aten::addmm", 1, 14, 10, ""),
            event("cpu_op", "aten::relu", 1, 60, 10, ""),
            event("cpu_op", "aten::add", 1, 80, 10, r#""Call stack":"its own""#),
            event("cpu_op", "aten::mm", 2, 20, 10, ""),
        ];
        let found = added(&events.iter().map(String::as_str).collect::<Vec<_>>());
        let inner = r#""Call stack":"a \"b\";train.py(3): main;""#;
        let expected = [
            inner.to_owned(),
            format!(r#""Ev Idx":1,{inner}"#),
            r#""Ev Idx":1,"Call stack":"train.py(3): main;""#.to_owned(),
            r#""Ev Idx":1"#.to_owned(),
            r#""Ev Idx":1"#.to_owned(),
        ];
        assert_eq!(found, expected);
    }
}
