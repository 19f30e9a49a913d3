//! Operators: what the program's environment and its processes are told.

use std::process::Output;

use super::run::{Place, said};

/// What a program that tells them finds: the options that are about operators, and by what ITT finds its tool.
const TELLS: &str = "grep ^ops $PROFTUI_RUN/options; echo itt=$(basename \"$INTEL_LIBITTNOTIFY64\")";

fn told(options: &[&str], itt: Option<&str>) -> (String, Output) {
    let place = Place::new();
    let mut command = place.proftui();
    command.env_remove("INTEL_LIBITTNOTIFY64");
    command.envs(itt.map(|itt| ("INTEL_LIBITTNOTIFY64", itt)));
    let out = command.arg("capture").args(options).args(["--", "sh", "-c", TELLS]).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    (text, out)
}

#[test]
fn what_is_asked_for_of_operators_reaches_the_program() {
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
        assert_eq!(told(options, None).0, expected, "{options:?}");
    }
}

#[test]
fn what_cannot_be_had_is_said() {
    let (text, out) = told(&["--window", "1s+1s", "--record-shapes"], None);
    assert!(text.starts_with("ops=light "), "{text}");
    assert!(said(&out).contains("operators are recorded as by --ops light"), "{}", said(&out));
    let (text, out) = told(&[], Some("/opt/vtune/collector.so"));
    assert!(text.ends_with("itt=collector.so"), "{text}");
    let warning = "INTEL_LIBITTNOTIFY64 is /opt/vtune/collector.so; operators of PyTorch (--ops light) cannot be recorded";
    assert!(said(&out).contains(warning), "{}", said(&out));
}
