//! The numbers by which PyTorch's tools join an operator with the calls in it and with their device work
//! (`External id`): those that the operators' arguments state, else new ones.

use super::super::content::{Range, Recording};
use super::super::enclosing::EnclosingRange;
use super::super::launches::Launches;
use crate::model::nodetree::KIND_NAMES;

/// The argument with the number.
const KEY: &str = "External id";

/// The numbers of a recording's operators, calls and device work; 0 for none. Empty for other forms than
/// PyTorch's.
#[derive(Default)]
pub(super) struct External {
    /// By thread and range, the number of an operator whose arguments state none.
    ranges: Vec<Vec<u64>>,
    /// By thread and call.
    calls: Vec<Vec<u64>>,
    /// By device work.
    work: Vec<u64>,
}

impl External {
    pub(super) fn of(recording: &Recording, launches: &Launches) -> Self {
        let stated = |range: &Range| recording.detail(range).and_then(|(_, members)| stated(members));
        let all = recording.threads.iter().flat_map(|thread| &thread.ranges);
        let mut next = all.filter_map(stated).max().unwrap_or_default();
        let mut external = Self { work: vec![0; recording.devices.work.len()], ..Self::default() };
        for (number, thread) in recording.threads.iter().enumerate() {
            let mut own = vec![0; thread.ranges.len()];
            let (mut operators, mut numbers) = (Vec::new(), Vec::new());
            for (range, own) in thread.ranges.iter().zip(&mut own) {
                if !is_operator(range) {
                    continue;
                }
                operators.push(*range);
                numbers.push(stated(range).unwrap_or_else(|| {
                    next += 1;
                    *own = next;
                    next
                }));
            }
            let mut around = EnclosingRange::new(&operators);
            let mut calls = Vec::with_capacity(thread.calls.len());
            for (at, call) in thread.calls.iter().enumerate() {
                let operator = around.find(call.start, call.end);
                let of = operator.and_then(|at| numbers.get(at as usize)).copied().unwrap_or_default();
                calls.push(of);
                launches.work_of(number, at).iter().for_each(|&work| external.work[work as usize] = of);
            }
            external.ranges.push(own);
            external.calls.push(calls);
        }
        external
    }

    /// Appends the number of a range of a thread, if it has one that its arguments do not state.
    pub(super) fn push_range(&self, text: &mut String, (thread, range): (usize, usize)) {
        push(text, self.ranges.get(thread).and_then(|ranges| ranges.get(range)));
    }

    /// Appends the number of a call of a thread, if it has one.
    pub(super) fn push_call(&self, text: &mut String, (thread, call): (usize, usize)) {
        push(text, self.calls.get(thread).and_then(|calls| calls.get(call)));
    }

    /// Appends the number of device work, if it has one.
    pub(super) fn push_work(&self, text: &mut String, work: usize) {
        push(text, self.work.get(work));
    }
}

fn push(text: &mut String, number: Option<&u64>) {
    if let Some(number) = number.filter(|number| **number > 0) {
        text.push_str(&format!(",\"{KEY}\":{number}"));
    }
}

fn is_operator(range: &Range) -> bool {
    matches!(KIND_NAMES.get(usize::from(range.kind)), Some(&("Operator" | "PythonOp")))
}

/// The number that arguments state, members of a JSON object.
fn stated(members: &str) -> Option<u64> {
    let (_, rest) = members.split_once("\"External id\":")?;
    let digits = rest.trim_start();
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_number_is_found() {
        assert_eq!(stated(r#""Ev Idx":1,"External id": 73,"x":2"#), Some(73));
        assert_eq!((stated(r#""Ev Idx":1"#), stated(r#""External id":"a""#)), (None, None));
    }
}
