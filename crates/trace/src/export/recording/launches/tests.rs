//! Matching of device work with calls: hand-written cases, and any correlation numbers.

use proptest::prelude::*;

use super::*;
use crate::export::recording::device::{DeviceWork, Devices, WorkKind};

const NAMES: [&str; 5] =
    ["cudaLaunchKernel", "cuLaunchKernel", "cudaGraphLaunch", "cudaMalloc", "cudaLaunchHostFunc"];

fn call(name: u32, correlation: u32, start: u64, end: u64) -> Call {
    Call { start, end, name, correlation, ..Call::default() }
}

fn work(correlation: u32, start: u64) -> DeviceWork {
    DeviceWork {
        start,
        end: start + 1,
        queued: 0,
        submitted: 0,
        graph_node: 0,
        graph: 0,
        name: 0,
        stream: 0,
        correlation,
        kind: WorkKind::Graph,
        is_cut: false,
    }
}

fn recording(threads: Vec<Vec<Call>>, work: Vec<DeviceWork>) -> Recording {
    let threads = threads.into_iter().map(|calls| Thread { calls, ..Thread::default() }).collect();
    let names = NAMES.map(|name| name.as_bytes().to_vec()).to_vec();
    Recording { names, threads, devices: Devices { work, ..Devices::default() }, ..Recording::default() }
}

#[test]
fn the_outer_call_is_the_launch_and_a_graph_has_many() {
    let first = vec![call(0, 5, 10, 20), call(1, 5, 12, 18), call(2, 7, 30, 40), call(3, 8, 50, 60)];
    let second = vec![call(0, 9, 10, 20), call(4, 10, 30, 40)];
    let all = vec![work(7, 50), work(5, 15), work(7, 45), work(6, 1), work(0, 2)];
    let recording = recording(vec![first, second], all);
    let launches = Launches::of(&recording);
    assert_eq!((launches.work_of(0, 0), launches.work_of(0, 1)), (&[1][..], &[][..]));
    assert_eq!(launches.work_of(0, 2), [2, 0], "by start");
    assert_eq!(launches.orphans, [3, 4]);
    let counts = launches.counts(&recording);
    assert_eq!((counts.work, counts.calls, counts.orphans), (5, 6, 2));
    assert_eq!((counts.idle_launches, counts.graph_launches, counts.graph_work), (1, 1, 2));
}

#[test]
fn calls_inside_a_launch_do_not_hide_it() {
    let calls = vec![call(0, 5, 10, 20), call(3, 6, 11, 12), call(1, 5, 13, 18), call(0, 7, 20, 30)];
    let recording = recording(vec![calls], vec![work(5, 15)]);
    let counts = Launches::of(&recording).counts(&recording);
    assert_eq!(counts.idle_launches, 1, "the last one, not what is within the first");
}

proptest! {
    #[test]
    fn each_piece_of_device_work_is_listed_once(
        calls in prop::collection::vec(prop::collection::vec((0_u32..5, 0_u32..8, 0_u64..50), 0..20), 0..4),
        device_work in prop::collection::vec((0_u32..10, 0_u64..100), 0..40),
    ) {
        let threads = calls.into_iter().map(|calls| {
            calls.into_iter().map(|(name, number, start)| call(name, number, start, start + 5)).collect()
        });
        let all = device_work.into_iter().map(|(number, start)| work(number, start)).collect();
        let recording = recording(threads.collect(), all);
        let launches = Launches::of(&recording);
        let mut seen = launches.orphans.clone();
        for (number, thread) in recording.threads.iter().enumerate() {
            for (at, call) in thread.calls.iter().enumerate() {
                for &index in launches.work_of(number, at) {
                    prop_assert_eq!(recording.devices.work[index as usize].correlation, call.correlation);
                    seen.push(index);
                }
            }
        }
        seen.sort_unstable();
        prop_assert_eq!(seen, (0..recording.devices.work.len() as u32).collect::<Vec<_>>());
    }
}
