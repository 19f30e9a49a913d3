//! A client of NVTX, in C, with the recorder as its tool: what it told is on disk afterwards, once. Passed over, with a line that
//! says so, where there is no C compiler.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test or bench that cannot go on should stop")]

#[path = "python/rig.rs"]
#[allow(dead_code, reason = "the rig of programs in Python, too")]
mod rig;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use proftui_wire::log::Event;

use rig::{Named, Process, Run, agent, says};

/// Paddle's number of ranges that a program names.
const USER: u8 = 7;

/// The client; none where it cannot be built.
fn client() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fake-cuda/nvtx.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nvtx-client");
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        let Ok(output) =
            command.args(["-O1", "-o"]).arg(&program).arg(source).args(["-lpthread", "-ldl"]).output()
        else {
            println!("no C compiler here: not tested with a client of NVTX");
            return None;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(program)
    });
    built.as_deref()
}

/// The client in a run, with these options.
fn command(client: &Path, run: &Run, options: &[&str]) -> Command {
    let mut command = Command::new(client);
    command.args(options).env("PROFTUI_RUN", &run.folder).env("NVTX_INJECTION64_PATH", agent());
    command.env_remove("PROFTUI_DISABLE").env_remove("PROFTUI_LEADER");
    command
}

/// The one thread's ranges by name, and how many of each.
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
fn all_that_a_client_tells_is_kept() {
    let Some(client) = client() else { return };
    let run = Run::new("");
    let said = says(&mut command(client, &run, &["--ranges", "100"]));
    assert_eq!(said, "tools 1 pushed 202 domain-pushed 2 started 2 marks 2\n");
    let process = run.process();
    ended_in_order(&process);
    assert_eq!((process.lost(), process.notes().len()), (0, 0));
    let ranges = process.ended(1, process.place.pid);
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
    assert_eq!(named, Some((u64::from(process.place.pid), "main of nvtx".into())));
}

#[test]
fn several_libraries_and_threads_are_one_process() {
    let Some(client) = client() else { return };
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
    let Some(client) = client() else { return };
    let run = Run::new("");
    says(&mut command(client, &run, &["--open", "--ranges", "3"]));
    let process = run.process();
    let open = process.open(1, process.place.pid);
    assert_eq!(open.iter().map(|range| range.name.as_str()).collect::<Vec<_>>(), ["step 2"]);
}

#[test]
fn nothing_is_left_where_nothing_is_to_be_recorded() {
    let Some(client) = client() else { return };
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
    let off = Run::new("schedule=1000,0,1,1,0\n");
    assert!(says(&mut command(client, &off, &["--threads", "2"])).starts_with("tools 1 "));
    assert_eq!((off.process().kept(), off.process().lost()), (0, 0));
}
