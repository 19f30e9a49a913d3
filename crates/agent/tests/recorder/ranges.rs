//! Ranges and steps of one process: they are recorded exactly, in the cycles in which they happened.

use proftui_wire::chunk::DEPTH;
use proftui_wire::kinds::{PROCESS, PROCESSOR};
use proftui_wire::live::Word;
use proftui_wire::log::{Event, NoteKind};
use proftui_wire::processor::of_pair;

use crate::rig::{Run, latest, pythons, says};

#[test]
fn ranges_and_steps_arrive() {
    for python in pythons() {
        let run = Run::new("schedule=all\n");
        let said = run.runs(
            python,
            r#"
data, forward, layer = agent.name(1, "next"), agent.name(9, "model"), agent.name(7, "layer \udc80 \u00e9")
assert agent.name(9, "model") == forward != agent.name(10, "model")
for step in range(3):
    agent.begin(data); agent.end()
    agent.begin(forward); agent.begin(layer); agent.end(); agent.end()
    print(agent.step(32), agent.state())
agent.thread("main thread"); agent.note(1, "framework=none"); agent.note(2, "odd")
agent.begin(forward)
agent.close(); agent.close(); agent.end(); agent.begin(forward)
print(agent.open(False))
"#,
        );
        assert_eq!(said, "2 2\n2 2\n2 2\nFalse\n");
        let process = run.process();
        let pid = process.key.pid;
        let expected: Vec<String> = (0..3)
            .flat_map(|step| {
                ["next".into(), "layer \\udc80 é".into(), "model".into(), format!("ProfileStep#{step}")]
            })
            .chain(["proftui: teardown".into()])
            .collect();
        assert_eq!(process.main(1), expected);
        let ended = process.ended(1, pid);
        assert_eq!(ended[..4].iter().map(|range| range.kind).collect::<Vec<_>>(), [1, 7, 9, 2]);
        assert!(ended.iter().all(|range| range.end.is_some_and(|end| end >= range.start)));
        assert!(ended[1].start >= ended[2].start && ended[1].end <= ended[2].end, "nested");
        assert_eq!(ended[3].end, Some(ended[7].start), "a step ends where the next begins");
        assert_eq!(
            process.open(1, pid).iter().map(|range| range.name.as_str()).collect::<Vec<_>>(),
            ["model"]
        );
        assert_eq!((process.kept(), process.lost()), (14, 0));

        let events = process.events();
        assert!(
            matches!(events[0], Event::Hello { leader: None, ppid, .. } if ppid == u64::from(std::process::id()))
        );
        assert_eq!(events[1], Event::Begin { cycle: 1, step: 0 });
        let steps: Vec<_> = events[2..5].iter().collect();
        for (at, (event, range)) in steps.iter().zip([&ended[3], &ended[7], &ended[11]]).enumerate() {
            let Event::Step { step, batch, reader, samples: 32 } = **event else { panic!("{event:?}") };
            assert_eq!((step, batch), (at as u64, range.end.unwrap() - range.start));
            let wait = &ended[4 * at];
            assert_eq!(reader, wait.end.unwrap() - wait.start);
        }
        assert!(matches!(events[5], Event::Thread { tid, .. } if tid == u64::from(pid)));
        assert_eq!(
            process.notes(),
            [(NoteKind::Fact, "framework=none".into()), (NoteKind::Warning, "odd".into())]
        );
        assert_eq!(events[8..], [Event::End { cycle: 1, step: 2, is_whole: true }, Event::Bye]);
        let clocks = process.log.iter().filter(|entry| matches!(entry.event, Event::Clock { .. })).count();
        assert_eq!(clocks, 4, "at the beginnings and ends of the process and its cycle");
        let timer = process.live.timer();
        assert_eq!((timer.all.steps, timer.all.samples, timer.later.steps), (3, 96, 0));
        assert_eq!(process.live.get(Word::Cycle), 0);
    }
}

#[test]
fn steps_have_their_processor_time() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=all\n");
    run.runs(
        python,
        r"
import time
for step in range(3):
    before = time.thread_time_ns()
    if step == 1:
        while time.thread_time_ns() - before < 50_000_000: pass
    else: time.sleep(0.02)
    agent.step(0)
agent.close()
",
    );
    let process = run.process();
    // When step 0 began is not known on this thread.
    let notes = &process.step_notes;
    let found: Vec<(u8, u32)> = notes.iter().map(|note| (note.tag.kind(), note.number)).collect();
    assert_eq!(found, [(PROCESSOR, 1), (PROCESS, 1), (PROCESSOR, 2), (PROCESS, 2)]);
    let steps = process.ended(1, process.key.pid);
    assert_eq!(notes[0].end, steps[1].end, "the step's end");
    let (on, ready) = of_pair(notes[0].start);
    let length = steps[1].end.expect("an end") - steps[1].start;
    let on = on.expect("a time");
    assert!(
        on >= 50_000 && (on + ready.unwrap_or_default()) * 1000 <= length + 10_000_000,
        "{on} of {length}"
    );
    let (sleeping, _) = of_pair(notes[2].start);
    assert!(sleeping < Some(20_000), "{sleeping:?} µs");
    let (others, peak) = of_pair(notes[1].start);
    assert!(others.is_some() && peak > Some(4096), "{others:?} {peak:?} KiB");
}

#[test]
fn cycles_follow_the_schedule() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=1,1,1,2,2\n");
    let said = run.runs(
        python,
        r#"
across = agent.name(7, "across")
for step in range(11):
    tag = agent.name(9, "forward %d" % step)
    agent.begin(tag); agent.end()
    if step == 4: agent.begin(across)
    if step == 6: agent.end()
    print(agent.step(0), end="")
agent.close()
"#,
    );
    assert_eq!(said, "01230123000");
    let process = run.process();
    assert_eq!(process.cycles(), [1, 2]);
    assert_eq!(process.main(1), ["forward 3", "ProfileStep#3", "forward 4", "ProfileStep#4"]);
    assert_eq!(process.main(2), ["forward 7", "ProfileStep#7", "forward 8", "ProfileStep#8"]);
    assert_eq!(process.open(1, process.key.pid).len(), 1, "what is open at the end stands there");
    let cycles: Vec<Event> = process
        .events()
        .into_iter()
        .filter(|event| matches!(event, Event::Begin { .. } | Event::End { .. }))
        .collect();
    assert_eq!(
        cycles,
        [
            Event::Begin { cycle: 1, step: 3 },
            Event::End { cycle: 1, step: 4, is_whole: true },
            Event::Begin { cycle: 2, step: 7 },
            Event::End { cycle: 2, step: 8, is_whole: true },
        ]
    );
}

#[test]
fn cycles_back_to_back_share_nothing() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=0,0,0,1,3\n");
    run.runs(
        python,
        r#"
for step in range(5):
    outer, inner = agent.name(7, "outer %d" % step), agent.name(7, "inner %d" % step)
    agent.begin(outer); agent.begin(inner); agent.end()
    agent.step(1)
    agent.end(); agent.end()
with open("/proc/self/maps") as maps:
    assert "/c3." not in maps.read(), "what is not recorded takes no memory"
agent.close()
"#,
    );
    let process = run.process();
    for (cycle, step) in [(1, 0), (2, 1), (3, 2)] {
        assert_eq!(process.main(cycle), [format!("inner {step}"), format!("ProfileStep#{step}")]);
        assert_eq!(process.open(cycle, process.key.pid)[0].name, format!("outer {step}"));
    }
    assert_eq!(process.cycles(), [1, 2, 3]);
}

#[test]
fn what_is_not_recorded_leaves_no_chunks() {
    let Some(python) = latest() else { return };
    for options in ["schedule=1000,0,0,1,0\n", "timer_only=1\n", "by_time=1\n"] {
        let run = Run::new(options);
        run.runs(
            python,
            r#"
import time
data, forward = agent.name(1, "next"), agent.name(9, "model")
for step in range(12):
    agent.begin(data); agent.begin(forward); agent.begin(data)
    time.sleep(0.002)
    agent.end(); agent.end(); agent.end()
    agent.begin(forward); agent.end(); agent.end()
    assert agent.step(8) == 0
agent.close()
"#,
        );
        let process = run.process();
        assert!(process.cycles().is_empty() && process.kept() + process.lost() == 0, "{options}");
        let has_steps = process.events().into_iter().any(|event| matches!(event, Event::Step { .. }));
        assert!(!has_steps, "the page has their sums, and the log stays short");
        let timer = process.live.timer();
        assert_eq!((timer.all.steps, timer.later.steps, timer.all.samples), (12, 2, 96));
        assert!(
            timer.all.reader_min >= 2_000_000 && timer.all.reader <= timer.all.batch,
            "waiting counts once"
        );
    }
}

#[test]
fn a_wait_across_steps_counts_for_each() {
    let Some(python) = latest() else { return };
    let run = Run::new("");
    run.runs(
        python,
        r#"
import time
agent.begin(agent.name(1, "next"))
for _ in range(3):
    time.sleep(0.002)
    agent.step(1)
agent.end(); agent.step(1)
agent.close()
"#,
    );
    let readers = run.process().events().into_iter().filter_map(|event| match event {
        Event::Step { reader, batch, .. } => Some((reader, batch)),
        _ => None,
    });
    let readers: Vec<(u64, u64)> = readers.collect();
    assert!(
        readers[..3].iter().all(|&(reader, batch)| reader >= 2_000_000 && reader <= batch),
        "{readers:?}"
    );
    assert!(readers[3].0 <= readers[3].1);
}

#[test]
fn a_window_by_time_is_the_parents() {
    let Some(python) = latest() else { return };
    let run = Run::new("by_time=1\n");
    run.runs(
        python,
        r#"
import glob, struct
page = glob.glob(os.environ["PROFTUI_RUN"] + "/*-*/live")[0]
def cycle(number):
    with open(page, "r+b") as file:
        file.write(struct.pack("<Q", number))
tag = agent.name(9, "model")
for step in range(6):
    agent.begin(tag)
    if step == 1: cycle(7)
    if step == 4: cycle(0)
    agent.end()
    agent.begin(tag); agent.end()
    agent.step(1)
agent.close()
"#,
    );
    let process = run.process();
    assert_eq!(process.cycles(), [7]);
    let one = |step: &str| vec!["model".to_string(), "model".into(), step.into()];
    assert_eq!(process.main(7), [vec!["model".into()], one("ProfileStep#2"), one("ProfileStep#3")].concat());
    assert_eq!(process.open(7, process.key.pid).len(), 1);
}

#[test]
fn ends_without_beginnings_and_beginnings_without_ends() {
    for python in pythons() {
        let run = Run::new("");
        run.runs(
            python,
            r#"
tag = agent.name(7, "deep")
for _ in range(100): agent.end()
for _ in range(400): agent.begin(tag)
for _ in range(300): agent.end()
for _ in range(1000): agent.begin(tag)
"#,
        );
        let process = run.process();
        let pid = process.key.pid;
        // 148 of the first 300 ends are those of ranges that were too deep.
        assert_eq!((process.ended(1, pid).len(), process.open(1, pid).len()), (300 - (400 - DEPTH), DEPTH));
        assert_eq!(process.kept() + process.lost(), 1400);
        assert!(!process.events().contains(&Event::Bye), "nobody closed it");
    }
}

#[test]
fn threads_have_chunks_of_their_own() {
    for python in pythons() {
        let run = Run::new("");
        run.runs(
            python,
            r#"
import threading
def work(number):
    agent.thread("worker %d" % number)
    tag = agent.name(7, "work %d" % number)
    for _ in range(20000):
        agent.begin(tag); agent.end()
threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
agent.close()
"#,
        );
        let process = run.process();
        let threads = process.threads(1);
        assert_eq!(threads.len(), 4);
        for tid in threads {
            let ended = process.ended(1, tid);
            assert_eq!(ended.len(), 20_000);
            assert!(ended.iter().all(|range| range.name == ended[0].name));
            assert!(ended.windows(2).all(|pair| pair[0].end <= Some(pair[1].start)));
            let named = process.events().into_iter().find_map(|event| match event {
                Event::Thread { tid: of, name } if of == u64::from(tid) => Some(process.text(name)),
                _ => None,
            });
            assert_eq!(named.map(|name| name.replace("worker", "work")), Some(ended[0].name.clone()));
        }
        // Python does not wait for what its threads do at their very end.
        assert!((4 * 18_602..=80_000).contains(&process.live.get(Word::Ranges)));
    }
}

#[test]
fn wrong_arguments_raise_as_in_python() {
    for python in pythons() {
        let run = Run::new("");
        let said = run.runs(
            python,
            r#"
for wrong in (lambda: agent.begin("x"), lambda: agent.name(1), lambda: agent.name("x", "y"), lambda: agent.name(1, 2),
              lambda: agent.step(None), lambda: agent.begin(), lambda: agent.end(1), lambda: agent.open(1, 2)):
    try: wrong()
    except (TypeError, AttributeError): print("no", end=" ")
"#,
        );
        assert_eq!(said, "no ".repeat(8));
    }
}

#[test]
fn without_a_run_nothing_happens() {
    let Some(python) = latest() else { return };
    let program = r#"
print(agent.open(False), agent.open(True), agent.name(1, "x"), agent.begin(1), agent.end(), agent.step(1), agent.state())
agent.thread("x"); agent.note(1, "x"); agent.close(); agent.close()
"#;
    let silent = "False False 16777216 None None 0 0\n";
    let run = Run::new("");
    for (key, value) in [("PROFTUI_DISABLE", "1"), ("PROFTUI_RUN", ""), ("PROFTUI_RUN", "/nowhere")] {
        assert_eq!(says(run.bare(python, program).env(key, value)), silent);
    }
    assert!(run.processes().is_empty());
}

#[test]
fn cycles_begin_only_while_proftui_runs() {
    let Some(python) = latest() else { return };
    for has_parent in [true, false] {
        let run = Run::new("schedule=0,1,0,1,0\n");
        let parent = std::fs::File::create(run.folder.join(proftui_wire::options::PARENT)).unwrap();
        if has_parent {
            parent.lock().unwrap();
        }
        run.runs(python, "for _ in range(6): agent.step(0)\nagent.close()\n");
        let process = run.process();
        let begun = process.events().into_iter().filter(|event| matches!(event, Event::Begin { .. })).count();
        let warnings = process
            .notes()
            .into_iter()
            .filter(|note| note.1.starts_with("the proftui process has ended"))
            .count();
        assert_eq!((begun, warnings), if has_parent { (3, 0) } else { (0, 1) });
        assert_eq!(process.live.timer().all.steps, 6);
    }
}

#[test]
fn time_between_pause_and_step_belongs_to_no_step() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=1,0,0,2,2\n");
    let said = run.runs(
        python,
        r#"
tag = agent.name(7, "range")
def range_(): agent.begin(tag); agent.end()
agent.pause_step(); range_(); print(agent.step(1), agent.cycle(), os.path.isdir(agent.folder()))
range_(); agent.pause_step(); range_(); print(agent.cycle(), agent.step(1), agent.cycle())
range_(); agent.pause_step(); agent.pause_step(); agent.note(2, "paused"); range_(); print(agent.cycle(), agent.step(1))
agent.note(2, "resumed"); agent.resume_step(0); range_(); agent.step(1)
range_(); agent.pause_step(False); range_()
agent.close(); agent.pause_step(); agent.resume_step(0); print(agent.folder(), agent.cycle())
"#,
    );
    assert_eq!(said, "2 1 True\n0 3 1\n0 2\nNone 0\n");
    let process = run.process();
    let named = |cycle| -> Vec<String> { process.main(cycle) };
    assert_eq!(named(1), ["range", "ProfileStep#1", "range", "ProfileStep#2"], "the cycle went on");
    let last = ["range", "ProfileStep#3", "range", "proftui: teardown"];
    assert_eq!(named(2), last, "the program's end is no step's");
    let notes: Vec<u64> = process
        .log
        .iter()
        .filter(|entry| matches!(entry.event, Event::Note { .. }))
        .map(|entry| entry.time)
        .collect();
    let of = |cycle: u32, name: &str| {
        process.ended(cycle, process.key.pid).into_iter().find(|range| range.name == name).expect("a step")
    };
    let (first, second, last) = (of(1, "ProfileStep#1"), of(1, "ProfileStep#2"), of(2, "ProfileStep#3"));
    assert!(first.end.unwrap() <= second.start && second.end.unwrap() <= notes[0]);
    assert!(notes[1] <= last.start);
    let ends: Vec<Event> =
        process.events().into_iter().filter(|event| matches!(event, Event::End { .. })).collect();
    let end = |cycle, step, is_whole| Event::End { cycle, step, is_whole };
    assert_eq!(ends, [end(1, 2, true), end(2, 3, false)]);
}

#[test]
fn what_the_recorder_takes_between_steps_is_a_slice_of_its_own() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=1,0,0,2,2\n");
    run.runs(
        python,
        r"
import time
agent.step(0); agent.resume_step(0); agent.step(0)
since = time.monotonic_ns(); time.sleep(0.002); agent.resume_step(since); agent.step(0)
agent.resume_step(0)
agent.close()
",
    );
    let process = run.process();
    let slices = process.ended(1, process.key.pid);
    let names: Vec<&str> = slices.iter().map(|slice| slice.name.as_str()).collect();
    assert_eq!(names, ["ProfileStep#1", "proftui: recorder", "ProfileStep#2"], "none before the first step");
    let length = slices[1].end.unwrap() - slices[1].start;
    assert!(length >= 2_000_000, "{length} ns");
    assert!(slices[0].end.unwrap() <= slices[1].start && slices[1].end.unwrap() <= slices[2].start);
    assert_eq!(process.main(2), [] as [&str; 0]);
}

#[test]
fn what_is_no_step_has_slices_of_its_own() {
    let Some(python) = latest() else { return };
    let run = Run::new("");
    run.runs(
        python,
        r"
import time
def now(): return time.monotonic_ns(), agent.waited()
agent.begin_step(*now()); agent.step(0)
first = now(); agent.begin_step(*first)
second = now(); third = now()
agent.step_at(5, *second); agent.step_at(6, *second); agent.step_at(7, *third)
start = now()[0]; agent.validation(start, now()[0]); agent.begin_step(*now())
agent.step(0); agent.close()
",
    );
    let process = run.process();
    let slices = process.ended(1, process.key.pid);
    let names: Vec<&str> = slices.iter().map(|slice| slice.name.as_str()).collect();
    let wanted = [
        "proftui: start-up",
        "ProfileStep#0",
        "ProfileStep#1",
        "ProfileStep#2",
        "proftui: validation",
        "ProfileStep#3",
        "proftui: teardown",
    ];
    assert_eq!(names, wanted, "a second end at the same time is none");
    for pair in slices.windows(2) {
        assert!(pair[0].end.unwrap() <= pair[1].start, "{pair:?}");
    }
    assert_eq!(slices[2].end.unwrap(), slices[3].start);
    assert_eq!(process.live.timer().all.samples, 12);
}

#[test]
fn a_count_that_begins_anew_begins_the_schedule_anew() {
    let Some(python) = latest() else { return };
    for (schedule, restarts, begun) in [
        ("", vec![(1, false)], vec![(1, 0)]),
        ("schedule=0,0,0,1000000,1\n", vec![(1, false)], vec![(1, 0)]),
        ("schedule=0,1,0,2,1\n", vec![(1, true)], vec![(1, 1), (2, 1)]),
        ("schedule=0,1,0,1,1\n", vec![(0, false)], vec![(1, 1), (2, 1)]),
        ("schedule=0,0,0,2,1\n", vec![(0, false)], vec![(1, 0), (2, 0)]),
    ] {
        let run = Run::new(schedule);
        run.runs(python, "for _ in range(2): agent.step(0)\nagent.restart_steps()\nfor _ in range(4): agent.step(0)\nagent.close()\n");
        let process = run.process();
        let events = process.events();
        let restarted: Vec<(u64, bool)> = events
            .iter()
            .filter_map(|event| match *event {
                Event::Restart { cycle, is_dropped, .. } => Some((cycle, is_dropped)),
                _ => None,
            })
            .collect();
        assert_eq!(restarted, restarts, "{schedule}");
        let cycles: Vec<(u64, u64)> = events
            .iter()
            .filter_map(|event| match *event {
                Event::Begin { cycle, step } => Some((cycle, step)),
                _ => None,
            })
            .collect();
        assert_eq!(cycles, begun, "{schedule}");
        assert_eq!(process.live.timer().all.steps, 4, "{schedule}");
    }
}
