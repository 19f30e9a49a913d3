//! Says what is lost of a cycle.
//!
//! Must not know what else a trace states.

use proftui_base::fmt;

use crate::capture::cycle::CollectedCycle;
use crate::capture::process::Process;

/// Describes that this number of processes may have lost their last device records; `None` for 0.
pub(crate) fn lost_device_records(processes: usize) -> Option<String> {
    Some(match processes {
        0 => return None,
        1 => "the last GPU records of a process may be lost: it ended without running its exit \
              handlers"
            .to_owned(),
        _ => format!(
            "the last GPU records of {processes} processes may be lost: they ended without running their \
             exit handlers"
        ),
    })
}

/// States since which step, and why, one of `processes` no longer records all of cycle `cycle`; `None` if
/// there is no such process. The first of `processes` is the leader.
pub(crate) fn stopped(processes: &[&Process], cycle: u64) -> Option<String> {
    let stops = processes.iter().flat_map(|process| process.stops().map(|stop| (process.pid, stop)));
    let (pid, stop) = stops.into_iter().find(|(_, stop)| stop.cycle == cycle)?;
    let is_leader = processes.first().is_some_and(|leader| leader.pid == pid);
    let whose = if is_leader { String::new() } else { format!("process {pid}: ") };
    Some(format!("{whose}since step {}: {}", stop.step, stop.why))
}

/// Describes the losses and faults of a cycle that is otherwise empty; `None` if it has neither.
pub(crate) fn all_lost(collected: &CollectedCycle) -> Option<String> {
    let of_devices = collected.counts.lost.saturating_add(collected.counts.dropped);
    let counts = [(collected.lost, "range"), (of_devices, "GPU record")];
    let lost = counts.into_iter().filter(|count| count.0 > 0).map(|(count, what)| fmt::counted(count, what));
    let lost = lost.collect::<Vec<_>>().join(" and ");
    let lost = (!lost.is_empty()).then(|| format!("all records were lost: {lost}"));
    let all: Vec<String> = lost.into_iter().chain(collected.faults.iter().cloned()).collect();
    (!all.is_empty()).then(|| all.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::cycle::device::facts::Counts;

    #[test]
    fn a_cycle_of_which_all_was_lost_is_described() {
        assert_eq!(all_lost(&CollectedCycle::default()), None);
        let counts = Counts { lost: 1, dropped: 2, ..Counts::default() };
        let faults = vec!["/x/c1.g0: damaged, 9 bytes not read".to_owned()];
        let all = CollectedCycle { lost: 1, counts, faults, ..CollectedCycle::default() };
        assert_eq!(
            all_lost(&all).as_deref(),
            Some("all records were lost: 1 range and 3 GPU records; /x/c1.g0: damaged, 9 bytes not read")
        );
    }
}
