//! Clients of NVTX, in C, with the recorder as their tool: their ranges are on disk afterwards, each once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use proftui_wire::log::Event;

use crate::rig::{Named, Process, Run, agent, latest, says};

/// Paddle's kind of event for ranges that the program names.
const USER: u8 = 7;

/// Builds the client in C as a program; `None` if it cannot be built.
fn client() -> Option<PathBuf> {
    crate::client::built("nvtx-client", "../../tests/fake-cuda/nvtx.c")
}

/// The command that runs the client in a run with these options.
fn command(client: &Path, run: &Run, options: &[&str]) -> Command {
    let mut command = Command::new(client);
    command.args(options).env("PROFTUI_RUN", &run.folder).env("NVTX_INJECTION64_PATH", agent());
    command.env_remove("PROFTUI_DISABLE").env_remove("PROFTUI_LEADER");
    command
}

/// Number of ranges of each name.
fn counts(ranges: &[Named]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    ranges.iter().for_each(|range| *counts.entry(range.name.as_str()).or_default() += 1);
    counts
}

/// The one range of this name.
fn only<'a>(ranges: &'a [Named], name: &str) -> &'a Named {
    let found: Vec<&Named> = ranges.iter().filter(|range| range.name == name).collect();
    let [range] = found[..] else { panic!("{name}: {found:?}") };
    range
}

fn is_within(inner: &Named, outer: &Named) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

fn ended_in_order(process: &Process) {
    let events = process.events();
    assert!(matches!(events.first(), Some(Event::Hello { leader: None, .. })), "{events:?}");
    assert!(matches!(events.last(), Some(Event::Bye)), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, Event::End { is_whole: true, .. })), "{events:?}");
}

#[test]
fn everything_a_client_annotates_is_recorded() {
    let Some(client) = &client() else { return };
    let run = Run::new("");
    let said = says(&mut command(client, &run, &["--ranges", "100"]));
    assert_eq!(said, "tools 1 pushed 202 domain-pushed 2 started 2 marks 2\n");
    let process = run.process();
    ended_in_order(&process);
    assert_eq!((process.lost(), process.notes().len()), (0, 0));
    let ranges = process.ended(1, process.key.pid);
    assert!(ranges.iter().all(|range| range.kind == USER));
    let mut counted = counts(&ranges);
    assert_eq!(counted.remove("inner"), Some(100));
    for step in 0..100 {
        assert_eq!(
            counted.remove(format!("step {step}").as_str()),
            Some(1),
            "the text changed at its address"
        );
    }
    let others = [
        "NCCL: in a domain",
        "NCCL: ncclAllReduce",
        "NCCL: wide \u{e4}",
        "a mark",
        "across threads",
        "default domain, within",
        "in a domain",
        "pushed wide",
    ];
    assert_eq!(counted.keys().copied().collect::<Vec<_>>(), others);
    assert!(counted.values().all(|&count| count == 1));

    let of = |name: &str| only(&ranges, name).clone();
    assert!((0..100).all(|step| is_within(&of(&format!("step {step}")), &of("across threads"))));
    let mark = of("a mark");
    assert_eq!(Some(mark.start), mark.end);
    assert!(is_within(&of("NCCL: in a domain"), &of("NCCL: wide \u{e4}")), "a mark in a range by number");
    let (reduce, within) = (of("NCCL: ncclAllReduce"), of("default domain, within"));
    assert!(reduce.start <= within.start && within.start <= reduce.end.unwrap(), "they cross");
    assert!(reduce.end <= within.end, "each domain has a stack of its own");
    let named = process.events().into_iter().find_map(|event| match event {
        Event::Thread { tid, name } => Some((tid, process.text(name))),
        _ => None,
    });
    assert_eq!(named, Some((u64::from(process.key.pid), "main of nvtx".into())));
}

#[test]
fn several_libraries_and_threads_are_one_process() {
    let Some(client) = &client() else { return };
    let run = Run::new("");
    let options = ["--threads", "8", "--clients", "4", "--ranges", "1000"];
    assert!(says(&mut command(client, &run, &options)).starts_with("tools 4 "));
    let process = run.process();
    let threads = process.threads(1);
    assert_eq!((threads.len(), process.lost()), (8, 0));
    for tid in threads {
        let ranges = process.ended(1, tid);
        let counted = counts(&ranges);
        assert_eq!((counted["inner"], counted["step 999"]), (1000, 1));
    }
    assert_eq!(process.kept(), 8 * 2000 + 8);
}

#[test]
fn what_is_open_at_the_end_is_there() {
    let Some(client) = &client() else { return };
    let run = Run::new("");
    says(&mut command(client, &run, &["--open", "--ranges", "3"]));
    let process = run.process();
    let open = process.open(1, process.key.pid);
    assert_eq!(open.iter().map(|range| range.name.as_str()).collect::<Vec<_>>(), ["step 2"]);
}

#[test]
fn nothing_is_left_where_nothing_is_to_be_recorded() {
    let Some(client) = &client() else { return };
    let run = Run::new("");
    let refused = |command: &mut Command| {
        let output = command.output().expect("it runs");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "nvtx: the tool does not work\n",
            "it was let go"
        );
    };
    refused(command(client, &run, &[]).env("PROFTUI_DISABLE", "1"));
    refused(command(client, &run, &[]).env_remove("PROFTUI_RUN"));
    refused(command(client, &run, &[]).env("PROFTUI_RUN", run.folder.join("gone")));
    assert!(run.processes().is_empty());
    let off = Run::new("schedule=1000,0,0,1,0\n");
    assert!(says(&mut command(client, &off, &["--threads", "2"])).starts_with("tools 1 "));
    assert_eq!((off.process().kept(), off.process().lost()), (0, 0));
}

/// A client that programs in Python call, and the agent beside it: `nvtx` and `agent`.
const SCRIPTED: &str = r#"
import ctypes
nvtx = ctypes.CDLL(os.environ["NVTX_CLIENT"])
nvtx.nvtx_start.restype = ctypes.c_uint64
nvtx.nvtx_finish.argtypes = [ctypes.c_uint64]
nvtx.nvtx_domain.restype = ctypes.c_void_p
nvtx.nvtx_domain_begin.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
nvtx.nvtx_domain_end.argtypes = [ctypes.c_void_p]
assert nvtx.nvtx_open() == 1
"#;

/// Runs a Python program that calls NVTX and, if it imports it, the agent.
fn scripted(options: &str, program: &str) -> Option<Run> {
    let (python, client) = (latest()?, crate::client::built("nvtx-client.so", "examples/nvtx.c")?);
    let run = Run::new(options);
    let mut command = run.bare(python, &format!("{SCRIPTED}{program}"));
    says(command.env("NVTX_INJECTION64_PATH", agent()).env("NVTX_CLIENT", client));
    Some(run)
}

#[test]
fn python_and_nvtx_are_one_process_and_may_cross() {
    let program = r#"
assert agent.open(False)
tag = agent.name(9, "python")
agent.begin(tag)
agent.announce(agent.name(14, "crosses"))
assert nvtx.nvtx_begin(b"crosses") == -2 and agent.was_reported()
agent.end()
assert nvtx.nvtx_end() == -2
agent.begin(tag)
nvtx.nvtx_end()
for text in (b"aten::add, seq = 1, op_id = 2", b"aten::add, op_id = 3"):
    nvtx.nvtx_begin(text); nvtx.nvtx_end()
agent.announce(agent.name(14, "own::range"))
for text in (b"aten::mul, op_id = 4", b"own::range, op_id = 5"):
    nvtx.nvtx_begin(text); nvtx.nvtx_end()
assert agent.was_reported()
agent.end()
agent.close()
nvtx.nvtx_begin(b"late"); nvtx.nvtx_end(); nvtx.nvtx_finish(nvtx.nvtx_start(b"late"))
"#;
    let Some(run) = scripted("", program) else { return };
    let process = run.process();
    let ranges = process.ended(1, process.key.pid);
    let names: Vec<(u8, &str)> = ranges.iter().map(|range| (range.kind, range.name.as_str())).collect();
    let operator = (0, "aten::add");
    let emitted = [operator, operator, (0, "aten::mul"), (USER, "own::range")];
    assert_eq!(names, [&[(9, "python"), (USER, "crosses")], &emitted[..], &[(9, "python")]].concat());
    let [python, crosses, ..] = &ranges[..] else { panic!("seven") };
    assert!(python.start < crosses.start && python.end < crosses.end);
    assert_eq!((process.lost(), process.kept()), (0, 7));
}

#[test]
fn ranges_by_number_end_on_any_thread_and_once() {
    let program = r#"
import threading
ids = [nvtx.nvtx_start(b"range %d" % number) for number in range(5000)]
assert len(set(ids[:4096])) == 4096 and not any(ids[4096:])
for id in (0, 1 << 63, (1 << 64) - 1): nvtx.nvtx_finish(id)
other = threading.Thread(target=lambda: [nvtx.nvtx_finish(id) for id in ids[1:4096]])
other.start(); other.join()
for id in ids[1:]: nvtx.nvtx_finish(id)
later = nvtx.nvtx_start(b"later")
assert 0 < later < 10_000, "the recorder did not search full slots again and again"
"#;
    let Some(run) = scripted("", program) else { return };
    let process = run.process();
    ended_in_order(&process);
    let [other] = process.threads(1)[..] else { panic!("{:?}", process.threads(1)) };
    assert_ne!(other, process.key.pid, "the thread that ended them");
    assert_eq!(
        (process.kept(), process.lost()),
        (4095, 2 + 5000 - 4096),
        "two that never ended, and those beyond"
    );
}

#[test]
fn what_a_kill_leaves_of_ranges_by_number_is_counted() {
    let program = r#"
import signal
early = nvtx.nvtx_start(b"before")
ids = [nvtx.nvtx_start(b"open") for _ in range(4)]
nvtx.nvtx_finish(ids[0])
if os.fork() == 0: nvtx.nvtx_finish(nvtx.nvtx_start(b"child")); os._exit(0)
os.wait()
os.kill(os.getpid(), signal.SIGKILL)
"#;
    let (Some(python), Some(client)) = (latest(), crate::client::built("nvtx-client.so", "examples/nvtx.c"))
    else {
        return;
    };
    let run = Run::new("");
    let mut command = run.bare(python, &format!("{SCRIPTED}{program}"));
    command.env("NVTX_INJECTION64_PATH", agent()).env("NVTX_CLIENT", client);
    assert!(!command.status().expect("it runs").success());
    let mut unfinished: Vec<u64> = run.processes().iter().map(|process| process.live.unfinished(1)).collect();
    unfinished.sort_unstable();
    assert_eq!(unfinished, [0, 4], "a child has none of its parent's");
}

#[test]
fn cycles_keep_what_began_and_ended_in_them() {
    let program = r#"
assert agent.open(False)
domain = nvtx.nvtx_domain(b"library")
def crosses():
    nvtx.nvtx_domain_begin(domain, b"one")
    return nvtx.nvtx_start(b"by number")
nvtx.nvtx_begin(b"before")
early = crosses()
assert early == 0
agent.step(1)  # a cycle of two steps begins
late = crosses()
nvtx.nvtx_finish(early)
nvtx.nvtx_domain_end(domain)
nvtx.nvtx_domain_end(domain)
nvtx.nvtx_end()
agent.step(1); agent.step(1)  # it has ended
nvtx.nvtx_finish(late)
agent.close()
"#;
    let Some(run) = scripted("schedule=1,0,0,2,1\n", program) else { return };
    let process = run.process();
    assert_eq!(process.cycles(), [1]);
    assert_eq!(process.main(1), ["library: one", "ProfileStep#1", "ProfileStep#2"]);
    let lost: Vec<Event> =
        process.events().into_iter().filter(|event| matches!(event, Event::Lost { .. })).collect();
    assert_eq!(lost, [Event::Lost { cycle: 1, ranges: 1 }]);
    assert_eq!(process.lost(), 1);
}

#[test]
fn a_forked_child_has_ranges_of_its_own() {
    let program = r#"
outer = nvtx.nvtx_start(b"outer")
nvtx.nvtx_begin(b"parent")
child = os.fork()
nvtx.nvtx_finish(outer)
nvtx.nvtx_begin(b"both"); nvtx.nvtx_end()
nvtx.nvtx_end()
if child == 0: os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"#;
    let Some(run) = scripted("", program) else { return };
    let processes = run.processes();
    let (children, parents): (Vec<_>, Vec<_>) = processes
        .iter()
        .partition(|process| matches!(process.events()[0], Event::Hello { leader: Some(_), .. }));
    let ([child], [parent]) = (&children[..], &parents[..]) else { panic!("one each") };
    assert_eq!(parent.main(1), ["outer", "both", "parent"]);
    assert_eq!(child.main(1), ["both"]);
    assert_eq!((parent.lost(), child.lost()), (0, 0));
}
