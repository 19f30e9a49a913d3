//! Why there is nothing of a GPU in a trace: said in the trace, and what to do.

use super::rig::{Setting, fakes};

/// The reason, the generation of CUPTI, the words of the script, options, what the program does.
const ROWS: [(&str, &str, &str, &[&str], &[&str]); 6] = [
    ("no_cupti", "none", "", &[], &["--launches", "10"]),
    ("version", "12.9", "version 17", &[], &["--launches", "10"]),
    ("other_subscriber", "13.5", "other-subscriber nsys", &[], &["--launches", "10"]),
    ("no_permission", "13.5", "answer cuptiActivityEnable 35", &[], &["--launches", "10"]),
    ("no_cuda_call", "13.5", "", &[], &["--launches", "0"]),
    ("dropped", "13.5", "drop 10", &[], &["--launches", "10"]),
];

#[test]
fn each_reason_is_told() {
    let Some(fakes) = fakes() else { return };
    for (code, generation, script, options, arguments) in ROWS {
        let setting = Setting { generation: Some(generation), script, options };
        let captured = setting.capture(fakes, "program", arguments);
        assert!(captured.output.status.success(), "{code}: {}", captured.said());
        let told = captured.fact("proftui.gpu.reason");
        println!("{code:16} {}", captured.fact("proftui.gpu.why").unwrap_or_default());
        assert_eq!(told.as_deref(), Some(code), "{}", captured.said());
    }
}
