//! A client of ITT, in C, with the recorder as its tool, in a Python program.

use proftui_wire::log::Event;

use crate::rig::{Run, agent, latest, says};

/// Paddle's kinds of event for operators and for ranges that the program names in Python.
const OPERATOR: u8 = 0;
const USER: u8 = 14;

/// `itt` is the client, `agent` the recorder.
const SCRIPTED: &str = r#"
import ctypes
itt = ctypes.CDLL(os.environ["ITT_CLIENT"])
def begin(text, domain=b"PyTorch"): itt.itt_begin(domain, text)
def end(domain=b"PyTorch"): itt.itt_end(domain)
"#;

/// Runs a program that calls ITT and the agent.
fn scripted(options: &str, program: &str) -> Option<Run> {
    let (python, client) = (latest()?, crate::client::built("itt-client.so", "examples/itt.c")?);
    let run = Run::new(options);
    let mut command = run.bare(python, &format!("{SCRIPTED}{program}"));
    says(command.env("INTEL_LIBITTNOTIFY64", agent()).env("ITT_CLIENT", client));
    Some(run)
}

#[test]
fn operators_are_distinguished_from_the_programs_own_ranges() {
    let program = r#"
assert itt.itt_open(3) == 1
assert agent.open(False)
tag = agent.name(9, "python")
end()
begin(b"aten::linear"); begin(b"aten::addmm")
agent.begin(tag)
end(); end()
agent.end()
agent.announce(agent.name(14, "mine"))
begin(b"PythonDispatchMode"); begin(b"mine")
assert agent.was_reported() and not agent.was_reported()
begin(b"aten::add"); begin(b"mine"); end(); end(); end(); end()
agent.announce(agent.name(14, "another"))
begin(b"aten::add"); end()
assert not agent.was_reported()
itt.itt_early(b"PyTorch", b"aten::add"); itt.itt_early(b"dnnl", b"aten::add")
assert itt.itt_same(b"aten::add") and itt.itt_same(b"\xff" * 100)
agent.close()
begin(b"late"); end(); itt.itt_force(b"PyTorch", None); end()
"#;
    let Some(run) = scripted("", program) else { return };
    let process = run.process();
    let ranges = process.ended(1, process.key.pid);
    let mut names: Vec<(u8, &str)> = ranges.iter().map(|range| (range.kind, range.name.as_str())).collect();
    names.sort_unstable();
    let operators =
        ["PythonDispatchMode", "aten::add", "aten::add", "aten::add", "aten::addmm", "aten::linear", "mine"];
    let operators = operators.map(|name| (OPERATOR, name));
    assert_eq!(names, [&operators[..], &[(9, "python"), (USER, "mine")]].concat());
    assert_eq!((process.lost(), process.kept()), (0, 9));
}

#[test]
fn other_domains_are_disabled() {
    let program = r#"
assert itt.itt_open(3) == 1
assert agent.open(False)
assert itt.itt_is_on(b"PyTorch") and not itt.itt_is_on(b"dnnl::primitive::execute")
begin(b"convolution", b"dnnl::primitive::execute"); end(b"dnnl::primitive::execute")
agent.announce(agent.name(14, "forced"))
itt.itt_force(b"dnnl::primitive::execute", b"forced")
assert not agent.was_reported()
"#;
    let Some(run) = scripted("", program) else { return };
    assert_eq!(run.process().kept(), 0);
}

#[test]
fn nothing_is_opened_or_kept_where_nothing_is_recorded() {
    let program = r#"
assert itt.itt_open(3) == 1
begin(b"aten::add"); end(); itt.itt_threads(4, 100)
"#;
    let Some(run) = scripted("", program) else { return };
    assert!(run.processes().is_empty(), "many programs have ITT within");
    let of_another_age = "itt.itt_open.argtypes = [ctypes.c_ulong]\nassert itt.itt_open(4) == 0\n";
    assert!(scripted("", of_another_age).is_some_and(|run| run.processes().is_empty()));
    let program = r#"
assert itt.itt_open(3) == 1 and agent.open(False)
for step in range(4):
    begin(b"aten::open"); begin(b"aten::add"); end()
    agent.step(1)
    end()
agent.close()
"#;
    let run = scripted("schedule=1,0,0,2,1\n", program).expect("as before");
    let process = run.process();
    assert_eq!(process.main(1), ["aten::add", "ProfileStep#1", "aten::open", "aten::add", "ProfileStep#2"]);
}

#[test]
fn threads_and_forks_have_ranges_of_their_own() {
    let program = r#"
assert itt.itt_open(3) == 1 and agent.open(False)
begin(b"aten::parent")
child = os.fork()
begin(b"aten::both"); end()
end()
if child == 0: os._exit(0)
assert os.waitpid(child, 0)[1] == 0
itt.itt_threads(8, 1000)
"#;
    let Some(run) = scripted("", program) else { return };
    let (children, parents): (Vec<_>, Vec<_>) = run
        .processes()
        .into_iter()
        .partition(|process| matches!(process.events()[0], Event::Hello { leader: Some(_), .. }));
    let ([child], [parent]) = (&children[..], &parents[..]) else { panic!("one each") };
    assert_eq!(
        (parent.main(1), child.main(1)),
        (vec!["aten::both".into(), "aten::parent".into()], vec!["aten::both".to_owned()])
    );
    assert_eq!((parent.kept(), parent.lost(), child.lost()), (2 + 8 * 2000, 0, 0));
}
