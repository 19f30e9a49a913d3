//! Operators: what the program's environment and its options say.

use std::process::Output;

use super::run::{Sandbox, said};

/// Prints what a captured program finds: the options about operators, and the library that ITT would load.
const PRINT: &str = "grep ^ops $PROFTUI_RUN/options; echo itt=$(basename \"$INTEL_LIBITTNOTIFY64\")";

fn printed(options: &[&str], itt: Option<&str>) -> (String, Output) {
    let sandbox = Sandbox::new();
    let mut command = sandbox.proftui();
    command.env_remove("INTEL_LIBITTNOTIFY64");
    command.envs(itt.map(|itt| ("INTEL_LIBITTNOTIFY64", itt)));
    let out = command.arg("capture").args(options).args(["--", "sh", "-c", PRINT]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    (text, out)
}

#[test]
fn what_is_asked_for_of_operators_is_passed_to_the_program() {
    let agent = "itt=libproftui_agent.so";
    for (options, expected) in [
        (&[][..], format!("ops=light ops_asks= {agent}")),
        (&["--gpu", "off"], format!("ops=light ops_asks= {agent}")),
        (&["--ops", "off"], "ops=off ops_asks= itt=".into()),
        (&["--timer-only"], "ops=off ops_asks= itt=".into()),
        (&["--ops", "full"], "ops=full ops_asks= itt=".into()),
        (&["--with-flops", "--record-shapes"], "ops=full ops_asks=shapes,flops itt=".into()),
        (
            &["--ops", "light", "--with-stack", "--profile-memory"],
            "ops=full ops_asks=stack,memory itt=".into(),
        ),
        (&["--window", "1s+1s"], format!("ops=light ops_asks= {agent}")),
    ] {
        assert_eq!(printed(options, None).0, expected, "{options:?}");
    }
}

#[test]
fn what_cannot_be_had_is_said() {
    let (text, out) = printed(&["--window", "1s+1s", "--record-shapes"], None);
    assert!(text.starts_with("ops=light "), "{text}");
    assert!(said(&out).contains("--ops full acts as --ops light here"), "{}", said(&out));
    let (text, out) = printed(&[], Some("/opt/vtune/collector.so"));
    assert!(text.ends_with("itt=collector.so"), "{text}");
    let warning = "INTEL_LIBITTNOTIFY64 is set to /opt/vtune/collector.so; PyTorch operators (--ops light) cannot be recorded";
    assert!(said(&out).contains(warning), "{}", said(&out));
}
