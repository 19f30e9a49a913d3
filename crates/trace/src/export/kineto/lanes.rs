//! Processes and threads in JSON: their numbers, and the metadata events that name and order them.

use std::collections::{BTreeMap, BTreeSet};

use super::text::json;
use crate::model::{Group, GroupId, GroupKind, LaneId, LaneKind, Trace};
use proftui_base::ids::Column;

/// The first number of threads of a device whose own texts have no number.
const FIRST: i64 = 1000;

/// The `pid` and `tid` of each lane, as JSON.
///
/// A device whose text is no number, such as `NPU 0` or `TPU:0 core 1`, gets the number at its end, and its
/// streams theirs, since tools take them for numbers; the texts become the names.
pub(super) struct Lanes {
    lanes: Column<LaneId, (String, String)>,
    groups: Column<GroupId, String>,
}

impl Lanes {
    pub(super) fn of(trace: &Trace) -> Self {
        let mut devices = BTreeSet::new();
        let mut groups: Column<GroupId, String> = Column::default();
        for group in trace.groups.as_slice() {
            let text = trace.strings.bytes(group.pid);
            groups.push(if is_numbered(trace, group) {
                free(last_number(text).unwrap_or_default(), &mut devices).to_string()
            } else {
                number(text)
            });
        }
        let mut streams = BTreeMap::<GroupId, BTreeSet<i64>>::new();
        let mut lanes = Column::default();
        for lane in trace.lanes.as_slice() {
            let text = trace.strings.bytes(lane.tid);
            let tid = match lane.kind {
                // Such lanes are of a process; their text is a category or a counter's name.
                LaneKind::Async | LaneKind::Counter => "0".to_owned(),
                _ if is_numbered(trace, &trace.groups[lane.group]) => {
                    let taken = streams.entry(lane.group).or_default();
                    free(last_number(text).unwrap_or(FIRST), taken).to_string()
                }
                _ => number(text),
            };
            lanes.push((groups[lane.group].clone(), tid));
        }
        Self { lanes, groups }
    }

    /// The `pid` and `tid` of a lane, as JSON.
    pub(super) fn get(&self, lane: LaneId) -> (String, String) {
        self.lanes[lane].clone()
    }

    /// The metadata events: names, labels and order of processes and threads, as JSON; if `is_anonymous`,
    /// without the names of those of the host.
    pub(super) fn metadata(&self, trace: &Trace, is_anonymous: bool) -> Vec<String> {
        let mut rows = Vec::new();
        for (order, (id, group)) in trace.groups.iter_with_ids().enumerate() {
            let pid = &self.groups[id];
            let mut row = |name: &str, tid: &str, key: &str, value: &str| {
                rows.push(format!(
                    "{{\"ph\":\"M\",\"name\":\"{name}\",\"pid\":{pid},\"tid\":{tid},\"ts\":0,\
                     \"args\":{{\"{key}\":{value}}}}}"
                ));
            };
            let is_numbered = is_numbered(trace, group);
            let name = trace.strings.bytes(if is_numbered { group.pid } else { group.name });
            let has_names = !is_anonymous || group.kind == GroupKind::Device;
            if !name.is_empty() && has_names {
                row("process_name", "0", "name", &json(name));
            }
            let label = match group.kind {
                GroupKind::Process => "CPU".to_owned(),
                GroupKind::Device => trace.device_title(group).0,
            };
            row("process_labels", "0", "labels", &json(label.as_bytes()));
            row("process_sort_index", "0", "sort_index", &order.to_string());
            let mut seen = BTreeSet::new();
            for (order, id) in group.lanes.iter().enumerate() {
                let lane = &trace.lanes[id];
                let (_, tid) = &self.lanes[id];
                if matches!(lane.kind, LaneKind::Async | LaneKind::Counter) || !seen.insert(tid) {
                    continue;
                }
                let own = trace.strings.bytes(lane.name);
                let name = if is_numbered && own.is_empty() { trace.strings.bytes(lane.tid) } else { own };
                if !name.is_empty() && has_names {
                    row("thread_name", tid, "name", &json(name));
                }
                row("thread_sort_index", tid, "sort_index", &order.to_string());
            }
        }
        rows
    }
}

/// True for a device whose text is no number: it and its streams get numbers.
fn is_numbered(trace: &Trace, group: &Group) -> bool {
    group.kind == GroupKind::Device && integer(trace.strings.bytes(group.pid)).is_none()
}

/// The number, or the next one that is not taken; takes it.
fn free(number: i64, taken: &mut BTreeSet<i64>) -> i64 {
    let mut number = number;
    while !taken.insert(number) {
        number += 1;
    }
    number
}

/// The last number in a text; `None` without one.
fn last_number(text: &[u8]) -> Option<i64> {
    let end = text.iter().rposition(u8::is_ascii_digit)? + 1;
    let start = text[..end].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    std::str::from_utf8(&text[start..end]).ok()?.parse().ok()
}

/// The number that a text is, as numbers are usually written.
fn integer(text: &[u8]) -> Option<i64> {
    let number: i64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    (number.to_string().as_bytes() == text).then_some(number)
}

/// A process's or thread's text as JSON: a number where it is one.
fn number(text: &[u8]) -> String {
    integer(text).map_or_else(|| json(text), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_numbers() {
        assert_eq!(
            ["7", "-1", "07", "Spans", ""].map(|text| number(text.as_bytes())),
            ["7", "-1", "\"07\"", "\"Spans\"", "\"\""]
        );
    }

    #[test]
    fn streams_have_the_number_in_their_text() {
        let of = |text: &str| last_number(text.as_bytes());
        assert_eq!(
            [of("Stream #13(Compute)"), of("NPU 3"), of("Overlap"), of("7")],
            [Some(13), Some(3), None, Some(7)]
        );
        let mut taken = BTreeSet::new();
        assert_eq!([7, 7, 8].map(|number| free(number, &mut taken)), [7, 8, 9]);
    }
}
