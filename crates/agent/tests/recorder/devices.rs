//! Tests that the device records of a program on the fake GPU are on disk, complete and each once; where
//! there are none, the reason is.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use proftui_wire::device::{Reason, Record, reason};
use proftui_wire::live::{Live, Word};
use proftui_wire::log::{DeviceCounts, Event, NoteKind};

use crate::fakes::{GENERATIONS, fakes};
use crate::gpu::{delivered, program, runs, with_gpu};
use crate::rig::{Process, Run, latest, says};

/// Options of a program that does everything, on several threads and streams.
const ALL: &str = "--launches 9000 --copies 200 --sets 100 --allocs 50 --graphs 20 --streams 3 --threads 3";

fn count(records: &[Record], which: impl Fn(&Record) -> bool) -> usize {
    records.iter().filter(|record| which(record)).count()
}

/// The counts that the process reported, cycle by cycle.
fn reported(process: &Process) -> Vec<DeviceCounts> {
    let counts = process.events().into_iter().filter_map(|event| match event {
        Event::Device(device) => Some(device),
        _ => None,
    });
    counts.collect()
}

/// The last reason that the process reported for missing records.
fn reason(process: &Process) -> Option<(Reason, String)> {
    let facts = process.notes().into_iter().filter(|note| note.0 == NoteKind::Fact);
    let mut values =
        facts.filter_map(|note| Some(note.1.strip_prefix(reason::KEY)?.strip_prefix('=')?.to_owned()));
    let last = values.next_back()?;
    let (reason, detail) = Reason::read(&last).expect("a known reason");
    Some((reason, detail.to_owned()))
}

#[test]
fn all_that_was_delivered_is_on_disk() {
    let Some(fakes) = fakes() else { return };
    let scripts =
        ["", "delivery launch\n", "delivery flush\n", "api both\n", "thread-buffers on\n", "empty-buffer\n"];
    for (generation, script) in
        GENERATIONS.iter().flat_map(|generation| scripts.map(|script| (*generation, script)))
    {
        let run = Run::new("device=memory,waits\n");
        runs(&mut program(&run, fakes, generation, script, ALL));
        let process = run.process();
        let (records, delivered) = (process.records(1), delivered(&run, process.key.pid));
        let of = |kind: u32| delivered.get(&kind).copied().unwrap_or_default();
        let what = format!("{generation}, {script}: {delivered:?}");
        assert_eq!(count(&records, |record| matches!(record, Record::Kernel(_))), of(10), "{what}");
        assert_eq!(count(&records, |record| matches!(record, Record::Memcpy(_))), of(1) + of(22), "{what}");
        assert_eq!(count(&records, |record| matches!(record, Record::Memset(_))), of(2), "{what}");
        assert_eq!(count(&records, |record| matches!(record, Record::Memory(_))), of(49), "{what}");
        assert_eq!(count(&records, |record| matches!(record, Record::Device(_))), 1, "{what}");
        assert!(count(&records, |record| matches!(record, Record::Stream(_))) >= 3, "{what}");
        assert!(of(10) >= 9000, "{what}");
        let counts = reported(&process);
        let expected = DeviceCounts { cycle: 1, kept: records.len() as u64, ..DeviceCounts::default() };
        assert_eq!(counts, [expected], "{what}: nothing is lost");
        assert_eq!(reason(&process), None, "{what}");
        assert_eq!((process.live.get(Word::Device), process.live.get(Word::Flushed)), (1, 1));
    }
}

#[test]
fn launches_and_kernels_belong_together() {
    let Some(fakes) = fakes() else { return };
    let run = Run::new("");
    runs(&mut program(&run, fakes, "12.9", "answer cuptiActivityRegisterTimestampCallback 27\n", ALL));
    let process = run.process();
    let (begin, end) = (process.log[0].time, process.log.last().expect("an end").time);
    let mut launches = BTreeSet::new();
    for record in process.records(1) {
        if let Record::Api(call) = record {
            assert!(
                begin <= call.start && call.start <= call.end && call.end <= end,
                "on our clock: {call:?}"
            );
            launches.insert(call.correlation);
        }
    }
    for record in process.records(1) {
        if let Record::Kernel(kernel) = record {
            assert!(launches.contains(&kernel.correlation));
            let name = process.text(kernel.name);
            assert!(
                name.starts_with("_ZN2at") || name.starts_with("nccl") || name.starts_with("kernel \""),
                "{name}"
            );
        }
    }
}

/// The beginning of Python programs: `launch` launches a kernel by its name.
const LAUNCHING: &str = r#"
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
def launch(name):
    function = ctypes.c_void_p()
    assert cuda.cuModuleGetFunction(ctypes.byref(function), None, name.encode()) == 0
    assert cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, None, None) == 0
def wait():
    assert cuda.cuCtxSynchronize() == 0
"#;

#[test]
fn each_cycle_has_its_own_kernels() {
    let (Some(fakes), Some(python)) = (fakes(), latest()) else { return };
    for generation in GENERATIONS {
        // One step closed, one to get ready, two recorded; then two cycles back to back.
        for (schedule, expected) in [
            ("0,1,1,2,2", vec![(1, vec!["k2", "k3"]), (2, vec!["k6", "k7"])]),
            ("0,0,0,2,2", vec![(1, vec!["k0", "k1"]), (2, vec!["k2", "k3"])]),
        ] {
            let run = Run::new(&format!("schedule={schedule}\n"));
            let steps = "for step in range(9):\n    launch('k%d' % step)\n    wait()\n    agent.step(0)\n";
            let mut command = run.program(python, &format!("{LAUNCHING}{steps}"));
            with_gpu(&mut command, &run, fakes, generation, "");
            says(&mut command);
            let process = run.process();
            for (cycle, names) in expected {
                let records = process.records(cycle);
                let kernels = records.iter().filter_map(|record| match record {
                    Record::Kernel(kernel) => Some(process.text(kernel.name)),
                    _ => None,
                });
                assert_eq!(kernels.collect::<Vec<_>>(), names, "{generation}, {schedule}, cycle {cycle}");
                let things =
                    count(&records, |record| matches!(record, Record::Device(_) | Record::Context(_)));
                assert_eq!(things, 2, "described in every cycle");
            }
            let order = process.events().into_iter().filter_map(|event| match event {
                Event::Device(device) => Some(("device", device.cycle)),
                Event::End { cycle, .. } => Some(("end", cycle)),
                _ => None,
            });
            let order: Vec<_> = order.collect();
            assert_eq!(order, [("device", 1), ("end", 1), ("device", 2), ("end", 2)]);
        }
    }
}

#[test]
fn work_launched_after_a_pause_is_not_in_the_cycle() {
    let (Some(fakes), Some(python)) = (fakes(), latest()) else { return };
    let run = Run::new("schedule=0,1,1,2,2\n");
    let steps = "for step in range(9):\n    launch('k%d' % step)\n    wait()\n    if agent.state() == 3: agent.pause_step(); launch('late'); wait()\n    agent.step(0)\n";
    let mut command = run.program(python, &format!("{LAUNCHING}{steps}"));
    with_gpu(&mut command, &run, fakes, "12.9", "");
    says(&mut command);
    let process = run.process();
    for (cycle, names) in [(1, ["k2", "k3"]), (2, ["k6", "k7"])] {
        let records = process.records(cycle);
        let kernels = records.iter().filter_map(|record| match record {
            Record::Kernel(kernel) => Some(process.text(kernel.name)),
            _ => None,
        });
        assert_eq!(kernels.collect::<Vec<_>>(), names);
    }
    let outside: Vec<u64> = reported(&process).iter().map(|device| device.outside).collect();
    // That of the step to get ready, and the late one; kinds are disabled beside the program, so that of the
    // closed step may be there, too.
    assert!(outside[0] == 2 && matches!(outside[1..], [2 | 3]), "{outside:?}");
}

#[test]
fn a_lagging_device_is_synchronized() {
    let (Some(fakes), Some(python)) = (fakes(), latest()) else { return };
    let run = Run::new("schedule=0,1,1,2,1\n");
    let steps = "for step in range(9):\n    launch('k%d' % step)\n    agent.step(0)\n";
    let mut command = run.program(python, &format!("{LAUNCHING}{steps}"));
    with_gpu(&mut command, &run, fakes, "12.9", "kernel-ns 20000000\n");
    says(&mut command);
    let process = run.process();
    let names = process.records(1).into_iter().filter_map(|record| match record {
        Record::Kernel(kernel) => Some(process.text(kernel.name)),
        _ => None,
    });
    // Those of the steps before ran on into the cycle.
    assert!(names.collect::<Vec<_>>().ends_with(&["k2".into(), "k3".into()]));
    let mut ends = process.log.iter().filter(|entry| matches!(entry.event, Event::End { .. }));
    let end = ends.next_back().expect("an end").time;
    let is_over = |record: &Record| matches!(record, Record::Kernel(kernel) if kernel.end <= end);
    assert!(count(&process.records(1), is_over) >= 2, "the cycle's end is after its work");
}

#[test]
fn work_outside_of_the_cycle_is_counted() {
    let (Some(fakes), Some(python)) = (fakes(), latest()) else { return };
    let run = Run::new("schedule=0,1,1,1,1\n");
    let steps = "for step in range(5):\n    if step == 1: launch('early'); wait()\n    agent.step(0)\n";
    let mut command = run.program(python, &format!("{LAUNCHING}{steps}"));
    with_gpu(&mut command, &run, fakes, "12.9", "");
    says(&mut command);
    let process = run.process();
    assert_eq!(reported(&process)[0].outside, 1);
    assert_eq!(reason(&process).map(|reason| reason.0), Some(Reason::OutsideWindow));
}

#[test]
fn where_there_is_nothing_there_is_a_reason() {
    let Some(fakes) = fakes() else { return };
    for (generation, script, expected) in [
        ("11.8", "version 17\n", Reason::Version),
        ("12.4", "answer * 999\n", Reason::CuptiError),
        ("13.5", "answer cuptiSubscribe 15\n", Reason::Version),
        ("13.5", "other-subscriber nsys\n", Reason::OtherSubscriber),
        ("12.9", "answer cuptiSubscribe 35\n", Reason::NoPermission),
        ("12.9", "refuse-kind 10 35\n", Reason::NoPermission),
        ("12.9", "drop 7\n", Reason::Dropped),
        // NVIDIA's own, without a driver.
        ("real/11.8", "", Reason::Version),
        ("real/12.4", "", Reason::Version),
        ("real/12.9", "", Reason::Version),
        ("real/13.5", "", Reason::CuptiError),
    ] {
        let run = Run::new("");
        runs(&mut program(&run, fakes, generation, script, "--launches 100"));
        let process = run.process();
        let (reason, detail) = reason(&process).unwrap_or_else(|| panic!("{generation}, {script}"));
        assert_eq!(reason, expected, "{generation}, {script}: {detail}");
        assert!(matches!(process.events().last(), Some(Event::Bye)));
    }
    let run = Run::new("");
    runs(program(&run, fakes, "12.9", "", "--launches 1").env("PROFTUI_CUPTI", "/nowhere/libcupti.so.9"));
    let (reason, detail) = reason(&run.process()).expect("a reason");
    assert_eq!(
        (reason, detail.as_str()),
        (Reason::NoCupti, "tried /nowhere/libcupti.so.9: No such file or directory (os error 2)")
    );
}

#[test]
fn a_loaded_copy_is_used() {
    let Some(fakes) = fakes() else { return };
    let run = Run::new("");
    let library = crate::fakes::cupti(fakes, "12.4");
    let options = format!("--launches 10 --preload {}", library.display());
    runs(program(&run, fakes, "13.5", "", &options).env_remove("PROFTUI_CUPTI"));
    let expected = format!("{}={} (API 22)", reason::LIBRARY, library.display());
    assert!(run.process().notes().contains(&(NoteKind::Fact, expected)));
}

#[test]
fn one_kind_refused_leaves_the_others() {
    let Some(fakes) = fakes() else { return };
    let run = Run::new("");
    runs(&mut program(&run, fakes, "12.9", "refuse-kind 5 21\nrefuse-kind 17 21\n", "--launches 50"));
    let process = run.process();
    assert_eq!(count(&process.records(1), |record| matches!(record, Record::Kernel(_))), 50);
    assert_eq!(process.notes().iter().filter(|note| note.0 == NoteKind::Warning).count(), 2);
    assert_eq!(reason(&process), None);
}

#[test]
fn records_without_room_are_counted() {
    let Some(fakes) = fakes() else { return };
    let run = Run::new("most=200000\n");
    runs(&mut program(&run, fakes, "12.9", "", "--launches 5000"));
    let process = run.process();
    let DeviceCounts { kept, lost, .. } = reported(&process)[0];
    let whole = Run::new("");
    runs(&mut program(&whole, fakes, "12.9", "", "--launches 5000"));
    assert_eq!(kept + lost, reported(&whole.process())[0].kept);
    assert!(kept == process.records(1).len() as u64 && kept > 1000 && lost > 1000, "{kept} {lost}");
    assert_eq!(reason(&process).map(|reason| reason.0), Some(Reason::Dropped));
}

#[test]
fn damage_in_a_buffer_is_reported() {
    let Some(fakes) = fakes() else { return };
    let run = Run::new("");
    runs(&mut program(&run, fakes, "12.9", "unknown-kind 100\n", "--launches 1000"));
    let counts = reported(&run.process());
    assert_eq!((counts[0].unknown, counts[0].lost), (10, 0));
    let run = Run::new("");
    runs(&mut program(&run, fakes, "12.9", "broken-record 100\n", "--launches 1000"));
    assert!(run.process().notes().iter().any(|note| note.1.contains("could not be read")));
}

#[test]
fn every_end_leaves_what_was_delivered() {
    let Some(fakes) = fakes() else { return };
    // At once: each sleeps for five seconds.
    let ends = [("_exit", None), ("kill", Some(9)), ("abort", Some(6)), ("segv", Some(11))];
    let started = ends.map(|(end, signal)| {
        let run = Run::new("");
        let options = format!("--launches 300 --rounds 2 --sleep 2500 --end {end}");
        let mut command = program(&run, fakes, "12.9", "", &options);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
        (end, signal, run, child)
    });
    for (end, signal, run, child) in started {
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!((output.status.signal(), output.stderr.is_empty()), (signal, true), "{end}");
        let kernels = count(&run.process().records(1), |record| matches!(record, Record::Kernel(_)));
        assert!(kernels >= 300, "{end}: those of the first round, {kernels}");
    }
    let run = Run::new("");
    runs(&mut program(&run, fakes, "12.9", "deliver-after-exit\n", "--launches 300 --end exit"));
    assert_eq!(count(&run.process().records(1), |record| matches!(record, Record::Kernel(_))), 300);
}

#[test]
fn a_forked_process_makes_no_call() {
    let Some(fakes) = fakes() else { return };
    // The fakes end a process that does.
    for how in ["child", "exec"] {
        let run = Run::new("");
        runs(&mut program(&run, fakes, "12.9", "", &format!("--launches 100 --fork {how}")));
        assert_eq!(count(&run.process().records(1), |record| matches!(record, Record::Kernel(_))), 100);
    }
    let run = Run::new("");
    runs(&mut program(&run, fakes, "12.9", "", "--launches 100 --fork early"));
    let processes = run.processes();
    let kernels = processes
        .iter()
        .map(|process| count(&process.records(1), |record| matches!(record, Record::Kernel(_))));
    assert_eq!(kernels.collect::<Vec<_>>(), [100, 100], "each for itself");
}

#[test]
fn a_cycle_by_time_is_flushed_before_it_is_reported() {
    let Some(fakes) = fakes() else { return };
    let run = Run::new("by_time=1\n");
    let mut command = program(&run, fakes, "12.9", "", "--launches 2000 --rate 1000 --rounds 30");
    let mut child = command.stdout(Stdio::null()).spawn().expect("the program runs");
    let page = wait_for(|| {
        let process =
            fs::read_dir(&run.folder).ok()?.flatten().find(|entry| entry.path().join("live").exists())?;
        let page = process.path().join("live");
        (Live::read(&fs::read(&page).ok()?).get(Word::Device) == 1).then_some(page)
    });
    let write = |cycle: u64| {
        let mut file = fs::OpenOptions::new().write(true).open(&page).expect("a page");
        file.seek(SeekFrom::Start(Word::Cycle as u64 * 8)).expect("an offset");
        file.write_all(&cycle.to_le_bytes()).expect("written");
    };
    write(1);
    thread::sleep(Duration::from_millis(300));
    write(0);
    wait_for(|| (Live::read(&fs::read(&page).ok()?).get(Word::Flushed) == 1).then_some(()));
    let during = run.process().records(1);
    child.kill().expect("alive");
    child.wait().expect("an end");
    let process = run.process();
    assert_eq!(process.records(1), during, "nothing comes after");
    let kernels = count(&during, |record| matches!(record, Record::Kernel(_)));
    assert!(kernels > 0 && reported(&process)[0].kept == during.len() as u64, "{kernels}");
}

fn wait_for<R>(mut body: impl FnMut() -> Option<R>) -> R {
    let begun = Instant::now();
    loop {
        if let Some(found) = body() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "it does not come");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn it_can_be_switched_off() {
    let Some(fakes) = fakes() else { return };
    for (variable, value) in [("PROFTUI_DISABLE", "1"), ("PROFTUI_RUN", "")] {
        let run = Run::new("");
        runs(program(&run, fakes, "12.9", "", "--launches 10").env(variable, value));
        assert!(run.processes().is_empty(), "{variable}");
    }
}
