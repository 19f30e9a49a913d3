//! Rings: however much a program records, the last part is there, whole, in the space that was given to it.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use proftui_wire::device::Record;
use proftui_wire::live::Word;
use proftui_wire::log::{Event, NoteKind};

use crate::fakes::fakes;
use crate::gpu::{program, runs};
use crate::limits::Mount;
use crate::rig::{Named, Process, Run, latest};

/// Records steps of ranges within one outer range, and prints by how much the process's memory grew, KiB.
const STEPS: &str = r#"
def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
outer, tag = agent.name(7, "outer"), agent.name(7, "range")
begin, end = agent.begin, agent.end
begin(outer)
before = resident()
def steps(count, ranges):
    for _ in range(count):
        for _ in range(ranges):
            begin(tag); end()
        agent.step(1)
"#;

/// Total length of the files that rings bound, bytes.
fn disk(run: &Run) -> u64 {
    let process = fs::read_dir(&run.folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let files =
        process.filter(|path| path.is_dir()).flat_map(|folder| fs::read_dir(folder).expect("a folder"));
    files.map(|file| file.expect("an entry").metadata().expect("there").len()).sum()
}

/// The steps that began since nothing is missing, each with the number of ranges in it.
fn whole_steps(process: &Process) -> Vec<(String, usize)> {
    let (since, ended) = (process.live.get(Word::Since), process.ended(1, process.key.pid));
    let ranges: Vec<&Named> = ended.iter().filter(|range| range.name == "range").collect();
    let steps = ended.iter().filter(|range| range.kind == 2 && range.start >= since);
    let within = |step: &Named| {
        let from = ranges.partition_point(|range| range.start < step.start);
        ranges[from..].iter().take_while(|range| range.end <= step.end).count()
    };
    steps.map(|step| (step.name.clone(), within(step))).collect()
}

/// Checks that the whole steps are the last ones up to `last`, each with this many ranges; returns how many
/// there are.
#[track_caller]
fn are_the_last(process: &Process, last: usize, ranges: usize) -> usize {
    let steps = whole_steps(process);
    let first = last + 1 - steps.len();
    let wanted: Vec<(String, usize)> =
        (first..=last).map(|step| (format!("ProfileStep#{step}"), ranges)).collect();
    assert_eq!(steps, wanted);
    steps.len()
}

#[test]
fn of_ten_million_ranges_the_last_steps_are_there() {
    let Some(python) = latest() else { return };
    let most: u64 = 64 << 20;
    let run = Run::new(&format!("ring=1\nmost={most}\n"));
    let said =
        run.runs(python, &format!("{STEPS}steps(1000, 10_000)\nprint(resident() - before)\nagent.close()\n"));
    let (grown, disk) = (said.trim().parse::<u64>().expect("a number"), disk(&run));
    println!("memory: {grown} KiB more; disk: {} KiB", disk >> 10);
    assert!(grown < 16 << 10, "{grown} KiB");
    assert!(disk < most + (64 << 10), "{disk} bytes");
    let process = run.process();
    let steps = are_the_last(&process, 999, 10_000);
    // Of the 279 that would fill the ring, one file may have been removed just now.
    assert!(steps > 265, "{steps} steps");
    let open: Vec<String> = process.open(1, process.key.pid).into_iter().map(|range| range.name).collect();
    assert_eq!(open, ["outer"], "what began long ago is still open");
    // The steps and the teardown are ranges, too.
    assert_eq!(process.kept() + process.live.get(Word::Gone), 10_000_000 + 1000 + 1 + 1);
    assert_eq!((process.lost(), process.stops().len(), process.notes().len()), (0, 0, 0));
    assert!(process.live.get(Word::Taken) <= most);
}

#[test]
fn a_long_run_grows_neither_names_nor_the_log() {
    let Some(python) = latest() else { return };
    let run = Run::new("ring=1\nmost=1048576\n");
    run.runs(python, &format!("{STEPS}steps(20_000, 3)\nagent.close()\n"));
    let process = run.process();
    assert!(process.log.len() < 10, "{} entries", process.log.len());
    assert!(are_the_last(&process, 19_999, 3) > 5000);
    // The log, the names, the page and the program beside the ring.
    assert!(disk(&run) < (1 << 20) + 4096, "{} bytes", disk(&run));
}

#[test]
fn a_ring_of_steps_keeps_as_many() {
    let Some(python) = latest() else { return };
    let run = Run::new("ring=1\nring_steps=5\n");
    let program = "steps(60, 2000)\nimport time\ntime.sleep(3.5)\nsteps(20, 2000)\nagent.close()\n";
    run.runs(python, &format!("{STEPS}{program}"));
    let process = run.process();
    let kept = process.live.get(Word::Kept);
    let steps = process.ended(1, process.key.pid).into_iter();
    let steps: Vec<String> =
        steps.filter(|range| range.kind == 2 && range.start >= kept).map(|step| step.name).collect();
    assert_eq!(steps, (75..80).map(|step| format!("ProfileStep#{step}")).collect::<Vec<_>>());
    assert!(are_the_last(&process, 79, 2000) >= 5);
    // What is in no file of the last three seconds.
    assert!(process.live.get(Word::Gone) > 80_000, "{} were removed", process.live.get(Word::Gone));
}

#[test]
fn a_file_larger_than_the_ring_stays_until_the_next_one() {
    let Some(python) = latest() else { return };
    let run = Run::new("ring=1\nmost=1048576\n");
    let program = r#"
import os
def add(name):
    with open(os.path.join(agent.folder(), name), "wb") as file:
        file.truncate(3 << 20)
    assert agent.add_file(name, 3 << 20, 100)
    print(sorted(file for file in os.listdir(agent.folder()) if file.endswith(".json")))
steps(20, 100)
add("c1.0.kineto.json")
steps(20, 100)
add("c1.1.kineto.json")
steps(20, 100)
agent.close()
"#;
    let said = run.runs(python, &format!("{STEPS}{program}"));
    assert_eq!(said, "['c1.0.kineto.json']\n['c1.1.kineto.json']\n");
    let process = run.process();
    // All since the first file.
    assert!(are_the_last(&process, 59, 100) > 30);
    // The steps and the teardown are ranges, too; and the events of the file that was removed.
    assert_eq!(process.kept() + process.live.get(Word::Gone), 60 * 100 + 60 + 1 + 1 + 100);
    assert!(process.live.get(Word::Taken) <= 1 << 20);
}

#[test]
fn threads_share_a_ring() {
    let Some(python) = latest() else { return };
    let run = Run::new("ring=1\nmost=1048576\n");
    run.runs(
        python,
        &format!(
            r"{STEPS}
import threading
def go():
    for _ in range(5000): begin(tag); end()
for _ in range(12):
    threads = [threading.Thread(target=go) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    steps(1, 1000)
agent.close()
"
        ),
    );
    let process = run.process();
    assert!(disk(&run) < (1 << 20) + 8192, "{} bytes", disk(&run));
    assert_eq!(process.lost(), 0);
    // Of a thread whose last file was removed, nothing is left.
    assert_eq!(process.kept() + process.live.get(Word::Gone), 12 * (4 * 5000 + 1000 + 1) + 1 + 1);
    assert!(are_the_last(&process, 11, 1000) >= 1);
}

#[test]
fn threads_that_fill_all_files_at_once_lose_nothing() {
    let Some(python) = latest() else { return };
    let run = Run::new("ring=1\nmost=4194304\n");
    run.runs(
        python,
        &format!(
            r"{STEPS}
import threading
barrier = threading.Barrier(30)
def go():
    barrier.wait()
    for _ in range(8):
        for _ in range(3000): begin(tag); end()
        barrier.wait()
threads = [threading.Thread(target=go) for _ in range(30)]
for thread in threads: thread.start()
for thread in threads: thread.join()
agent.close()
"
        ),
    );
    let process = run.process();
    assert_eq!((process.lost(), process.stops().len()), (0, 0));
    assert!(process.live.get(Word::Gone) > 0 && disk(&run) < (4 << 20) + 8192, "{} bytes", disk(&run));
}

#[test]
fn a_killed_process_leaves_its_ring() {
    let Some(python) = latest() else { return };
    for at in 0..5 {
        let run = Run::new("ring=1\nmost=1048576\n");
        let program = format!("{STEPS}steps(100, 1000)\nprint('go', flush=True)\nsteps(1 << 40, 1000)\n");
        let mut child = run.program(python, &program).stdout(Stdio::piped()).spawn().expect("python runs");
        child.stdout.take().expect("a pipe").read_exact(&mut [0; 3]).expect("a word");
        std::thread::sleep(Duration::from_micros(1700 * at + 131));
        child.kill().expect("alive");
        assert_eq!(child.wait().expect("an end").signal(), Some(9));
        let process = run.process();
        let last = process.live.get(Word::Step) as usize;
        let steps = whole_steps(&process);
        // The step's slice is there before the page has the next step's number.
        let after = steps.last().is_some_and(|step| step.0 == format!("ProfileStep#{last}"));
        assert!(are_the_last(&process, if after { last } else { last - 1 }, 1000) > 20);
    }
}

#[test]
fn a_full_disk_makes_a_ring_smaller() {
    let Some(python) = latest() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ring-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let Some(_mount) = Mount::new(&folder, "mode=700,size=2m") else {
        crate::skip::excused("a ring on a full disk", "nothing can be mounted here", "run as root");
        return;
    };
    let run = Run::at(folder.clone(), "ring=1\nmost=67108864\n");
    run.runs(python, &format!("{STEPS}steps(1000, 1000)\nagent.close()\n"));
    let process = run.process();
    assert!(are_the_last(&process, 999, 1000) > 20);
    assert_eq!((process.lost(), process.stops().len()), (0, 0));
    let [(NoteKind::Warning, text)] = &process.notes()[..] else { panic!("{:?}", process.notes()) };
    assert!(
        text.starts_with("the last 1 MiB are kept instead of 64 MiB: the disk is full (tmpfs at "),
        "{text}"
    );
}

#[test]
fn device_records_are_in_the_ring_with_what_describes_them() {
    let Some(fakes) = fakes() else { return };
    // A file takes up to a MiB: of several, at least one is kept whole.
    let run = Run::new("ring=1\nmost=4194304\n");
    runs(&mut program(&run, fakes, "12.9", "", "--launches 100000 --streams 3 --threads 3"));
    let (process, disk) = (run.process(), disk(&run));
    let records = process.records(1);
    let of = |which: fn(&Record) -> bool| records.iter().filter(|record| which(record)).count();
    let kept = process.events().into_iter().find_map(|event| match event {
        Event::Device(counts) => Some(counts),
        _ => None,
    });
    let kept = kept.expect("counts");
    assert_eq!((records.len() as u64 + process.live.get(Word::Gone), kept.lost), (kept.kept, 0));
    assert!(process.live.get(Word::Gone) > 60_000 && disk < (4 << 20) + 8192, "{disk} bytes");
    let kernels = of(|record| matches!(record, Record::Kernel(_)));
    println!("{kernels} kernels of {} records, {} gone", records.len(), process.live.get(Word::Gone));
    assert!(kernels > 5000, "{kernels}");
    assert!(of(|record| matches!(record, Record::Device(_))) > 0, "written again");
    assert!(of(|record| matches!(record, Record::Stream(_))) >= 3, "written again");
}

#[test]
fn slow_steps_are_logged() {
    let Some(python) = latest() else { return };
    let run = Run::new("ring=1\nring_steps=20\nslow_step=3000\n");
    run.runs(
        python,
        "import time\nfor step in range(40):\n    time.sleep(0.3 if step in (3, 30) else 0.01)\n    agent.step(1)\nagent.close()\n",
    );
    let slow: Vec<(u64, u64, u64)> = run
        .process()
        .events()
        .into_iter()
        .filter_map(|event| match event {
            Event::Slow { step, batch, median, .. } => Some((step, batch, median)),
            _ => None,
        })
        .collect();
    // A busy machine may make others slow, too; the first steps have none to be compared with.
    let (_, batch, median) = slow.iter().find(|step| step.0 == 30).expect("step 30");
    assert!(batch > &(3 * median) && slow.iter().all(|step| step.0 >= 10), "{slow:?}");
}
