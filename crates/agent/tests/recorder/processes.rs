//! Child processes of every kind: each has a folder of its own, and records its leader's cycles until it ends
//! steps itself.

use std::fs;

use proftui_wire::log::Event;
use proftui_wire::process_key::ProcessKey;

use crate::rig::{Process, Run, latest, pythons};

/// The leader of a process; none if it is one.
fn leader(process: &Process) -> Option<ProcessKey> {
    process.events().into_iter().find_map(|event| match event {
        Event::Hello { leader, .. } => leader,
        _ => None,
    })
}

#[test]
fn a_fork_follows() {
    for python in pythons() {
        let run = Run::new("schedule=0,1,0,2,0\n");
        run.runs(
            python,
            r#"
import struct
before, both = agent.name(7, "before"), agent.name(7, "both")
def go():
    agent.begin(both); agent.end()
def word(pipe):
    assert os.read(pipe, 1)
def fork(child):
    there, back = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        child(lambda: (os.write(back[1], b"."), word(there[0])))
        os._exit(0)
    return pid, lambda: word(back[0]), lambda: os.write(there[1], b".")
def child(sync):
    go()                      # Nothing is recorded yet.
    sync()
    go(); go()
    agent.begin(agent.name(9, "the child's")); agent.end()
    agent.begin(before)
    sync()
    agent.end(); go()         # Nothing is recorded any more.
    sync()
pid, wait, answer = fork(child)
agent.begin(before)
idle = fork(lambda sync: agent.close())  # It has nothing to say.
agent.end()
wait(); assert agent.step(1) == 2; go(); answer()
wait(); agent.step(1); agent.step(1); go(); answer()
wait(); answer()
assert os.waitpid(pid, 0)[1] == 0 and os.waitpid(idle[0], 0)[1] == 0
agent.close()
"#,
        );
        let processes = run.processes();
        let [first, second] = &processes[..] else { panic!("{} processes", processes.len()) };
        assert_eq!((leader(first), leader(second)), (None, Some(first.key)));
        assert_eq!(first.main(1), ["both", "ProfileStep#1", "ProfileStep#2"]);
        assert_eq!(second.main(1), ["both", "both", "the child's"]);
        assert_eq!(second.open(1, second.key.pid)[0].name, "before");
        assert_eq!(second.cycles(), [1]);
    }
}

#[test]
fn a_fork_has_none_of_its_parents_open_ranges() {
    for python in pythons() {
        let run = Run::new("");
        run.runs(
            python,
            r#"
tag, own = agent.name(7, "parent"), agent.name(7, "child")
agent.begin(tag)
pid = os.fork()
if pid == 0:
    agent.end()
    with open("/proc/self/maps") as maps:
        assert "/c1.t" not in maps.read(), "the parent's chunk is the parent's"
    agent.begin(own); agent.end()
    if os.fork() == 0:
        agent.begin(own); agent.end(); agent.end()
        os._exit(0)
    os.wait()
    agent.close()
    sys.exit(0)
assert os.waitpid(pid, 0)[1] == 0
agent.end()
agent.close()
"#,
        );
        let processes = run.processes();
        let names: Vec<_> = processes.iter().map(|process| process.main(1)).collect();
        assert_eq!(names, [["parent"], ["child"], ["child"]]);
        let (first, second) = (Some(processes[0].key), Some(processes[1].key));
        // Each follows its parent, which may become a leader.
        assert_eq!(processes.iter().map(leader).collect::<Vec<_>>(), [None, first, second]);
        assert!(processes[..2].iter().all(|process| process.events().contains(&Event::Bye)));
    }
}

/// A program that records a range, then has two children that end three steps each, after `before`, and
/// records a range.
fn with_stepping_children(before: &str) -> String {
    format!(
        r#"
tag = agent.name(7, "range")
agent.begin(tag); agent.end()
for _ in range(2):
    pid = os.fork()
    if pid == 0:
        {before}
        for step in range(3):
            agent.begin(tag); agent.end()
            assert agent.step(1) == 2
        agent.close()
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
agent.begin(tag); agent.end()
agent.close()
"#
    )
}

#[test]
fn a_fork_of_another_rank_becomes_a_leader() {
    let Some(python) = latest() else { return };
    let run = Run::new("");
    run.runs(python, &with_stepping_children("assert agent.ends_own_steps(True)"));
    let processes = run.processes();
    assert_eq!(processes[0].main(1), ["range", "range"], "the child's end did not end it");
    let steps = ["range", "ProfileStep#0", "range", "ProfileStep#1", "range", "ProfileStep#2"];
    let all = [&steps[..], &["proftui: teardown"]].concat();
    assert_eq!(processes[1].main(1), all, "from its first step on");
    assert!(processes[1].events().contains(&Event::Begin { cycle: 1, step: 0 }));
}

#[test]
fn the_steps_of_forks_are_in_their_leaders_cycle() {
    for python in pythons() {
        let run = Run::new("");
        run.runs(python, &with_stepping_children("assert not agent.ends_own_steps(False)"));
        let processes = run.processes();
        let of = |at: usize| -> Vec<String> {
            processes[at].main(1).into_iter().filter(|name| name.starts_with("ProfileStep")).collect()
        };
        assert_eq!(of(0), [] as [String; 0]);
        assert_eq!(of(1), ["ProfileStep#0", "ProfileStep#1", "ProfileStep#2"]);
        assert_eq!(of(2), ["ProfileStep#3", "ProfileStep#4", "ProfileStep#5"], "numbered together");
        let names = processes[1].main(1);
        assert!(!names.iter().any(|name| name.starts_with("proftui: ")), "{names:?}");
        let begins =
            |process: &Process| process.events().iter().any(|event| matches!(event, Event::Begin { .. }));
        assert!(begins(&processes[0]) && !begins(&processes[1]) && !begins(&processes[2]));
        assert_eq!(processes[1].live.timer().all.steps, 3);
    }
}

#[test]
fn a_name_is_logged_with_the_folder() {
    let Some(python) = latest() else { return };
    let run = Run::new("");
    run.runs(
        python,
        r#"
tag = agent.name(7, "range")
for is_busy in False, True:
    if os.fork() == 0:
        agent.name_process("Process-1")
        if is_busy:
            agent.begin(tag); agent.end()
            agent.name_process("DataLoader worker 0")
            agent.name_process("DataLoader worker 0")
        os._exit(0)
    os.wait()
agent.close()
"#,
    );
    let processes = run.processes();
    assert_eq!(processes.len(), 2, "a name alone makes no folder");
    let names: Vec<String> = processes[1].notes().into_iter().map(|note| note.1).collect();
    assert_eq!(names, ["process=Process-1", "process=DataLoader worker 0"]);
}

#[test]
fn forks_while_others_record() {
    for python in pythons() {
        let run = Run::new("");
        run.runs(
            python,
            r#"
import threading, warnings
warnings.simplefilter("ignore")
tag = agent.name(7, "range")
is_done = False
def work():
    number = 0
    while not is_done:
        agent.begin(tag); agent.end()
        number += 1
        if number % 100 == 0: agent.name(7, "name %d" % number); agent.note(2, "odd")
def fork():
    pid = os.fork()
    if pid == 0:
        for _ in range(3000): agent.begin(tag); agent.end()
        os._exit(0)
    return pid
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
pids = [fork() for _ in range(20)]
results = []
def inside(): results.extend([fork() for _ in range(5)])
thread = threading.Thread(target=inside); thread.start(); thread.join()
for pid in pids + results: assert os.waitpid(pid, 0)[1] == 0
is_done = True
for thread in threads: thread.join()
agent.close()
"#,
        );
        let processes = run.processes();
        assert_eq!(processes.len(), 26);
        let mut children = processes.iter().filter(|process| leader(process).is_some());
        assert!(children.all(|child| child.kept() == 3000 && child.lost() == 0));
    }
}

#[test]
fn workers_of_multiprocessing_follow() {
    for python in pythons() {
        for method in ["fork", "spawn", "forkserver"] {
            let run = Run::new("schedule=0,1,0,1,1\n");
            let program = format!(
                r#"
import warnings
warnings.simplefilter("ignore")
assert agent.open(__name__ == "__mp_main__")
tag = agent.name(7, "worker's")
def work(requests, answers):
    for _ in range(3):
        requests.get()
        agent.begin(tag); agent.end()
        answers.put(1)
if __name__ == "__main__":
    import glob
    os.environ["PROFTUI_LEADER"] = glob.glob(os.environ["PROFTUI_RUN"] + "/%d-*" % os.getpid())[0]
    context = multiprocessing.get_context("{method}")
    requests, answers = context.Queue(), context.Queue()
    worker = context.Process(target=work, args=(requests, answers))
    worker.start()
    for _ in range(3):
        requests.put(1); answers.get()
        agent.step(1)
    worker.join()
    assert worker.exitcode == 0
    agent.close()
"#
            );
            crate::rig::says(&mut run.bare(python, &program));
            let processes = run.processes();
            let [first, worker] = &processes[..] else { panic!("{method}: {} processes", processes.len()) };
            assert_eq!(first.main(1), ["ProfileStep#1"], "{method}");
            assert_eq!(worker.main(1), ["worker's"], "{method}: only what the leader's cycle saw");
            assert_eq!(leader(worker), Some(first.key), "{method}");
        }
    }
}

#[test]
fn a_process_that_replaces_its_program() {
    let Some(python) = latest() else { return };
    let run = Run::new("");
    run.runs(
        python,
        r#"
tag = agent.name(7, "program %d" % len(sys.argv))
agent.begin(tag); agent.end()
if len(sys.argv) < 3:
    os.execv(sys.executable, [sys.executable] + sys.argv + ["again"])
agent.close()
"#,
    );
    let processes = run.processes();
    let programs = processes.iter().map(|process| (process.key.programs, process.main(1)));
    let expected =
        [(0, vec!["program 1".to_string()]), (1, vec!["program 2".into()]), (2, vec!["program 3".into()])];
    assert_eq!(programs.collect::<Vec<_>>(), expected);
}

#[test]
fn files_are_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let Some(python) = latest() else { return };
    let run = Run::new("");
    run.runs(python, "os.umask(0)\nagent.begin(agent.name(7, 'x')); agent.end()\n");
    for entry in fs::read_dir(&run.folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let is_ours =
            path.file_name().is_some_and(|name| name.to_string_lossy().parse::<ProcessKey>().is_ok());
        if is_ours {
            assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o700);
            for file in fs::read_dir(&path).expect("a folder") {
                let mode = file.expect("an entry").metadata().expect("there").permissions().mode();
                assert_eq!(mode & 0o777, 0o600);
            }
        }
    }
}

#[test]
fn a_command_line_is_shown_without_secrets() {
    for python in pythons() {
        let run = Run::new("");
        let said = run.runs(
            python,
            r#"
print(agent.command_line("a b\0--token\0-V\0\u0130=hf_abcdefghijklmnopqrstuvwxyz\0\ud800"))
for wrong in 1, None, b"x":
    try: agent.command_line(wrong)
    except TypeError: print("refused")
agent.close()
"#,
        );
        assert_eq!(said, "a b --token *** \u{130}=*** \\ud800\nrefused\nrefused\nrefused\n");
    }
}
