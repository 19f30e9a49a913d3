//! Garbage collections and slow imports of Python programs become ranges, and the programs see nothing of that.

use std::process::Command;

use proftui::model::Category;

use super::run::{Sandbox, named, read, said};
use crate::tools::{Python, pythons};

/// Callbacks of garbage collections that come and go, and one that raises.
const COLLECTS: &str = r#"
import gc, sys
print(gc.callbacks, type(gc.callbacks) is list)
seen = []
def first(phase, info): seen.append(("first", phase, sorted(info), info["generation"]))
def second(phase, info): seen.append(("second", phase, sys._getframe(1).f_code.co_name))
def raises(phase, info): raise ValueError(phase)
def once(phase, info): gc.callbacks.remove(once)
gc.disable()
def collect():
    for generation in (0, 1, 2): print(gc.collect(generation) >= 0)
gc.callbacks.append(first)
collect()
gc.callbacks.insert(0, second)
gc.callbacks[1:1] = [once, raises]
print([call.__name__ for call in gc.callbacks])
sys.unraisablehook = lambda said: print(said.exc_type, said.object, said.err_msg, said.exc_traceback.tb_next, file=sys.stderr)
collect()
print([call.__name__ for call in gc.callbacks])
gc.callbacks.clear()
collect()
print(seen, gc.get_stats()[2]["collections"], len(gc.garbage))
sys.exit(3)
"#;

#[test]
fn collections_are_ranges_that_the_program_does_not_see() {
    for Python { version, path } in pythons("captures of garbage collections") {
        let sandbox = Sandbox::new();
        let script = sandbox.file("collects.py", COLLECTS);
        let script = script.to_str().unwrap();
        let bare = Command::new(path).args(["-B", script]).output().unwrap();
        let out = sandbox.capture(&["-q", "--step-on", "collects:collect"], &[path, "-B", script]);
        assert_eq!((bare.status.code(), out.status.code()), (Some(3), Some(3)), "{}", said(&out));
        assert_eq!(
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&bare.stdout),
            "{version:?}"
        );
        assert_eq!(without_addresses(&out.stderr), without_addresses(&bare.stderr), "{version:?}");
        let loaded = read(&sandbox.traces()[0]);
        let found = named(&loaded, Category::GarbageCollection);
        let explicit = ["gc: generation 0", "gc: generation 1", "gc: generation 2"].repeat(3);
        // Before the script disabled them, there were others.
        let at = found.windows(9).any(|some| some == explicit);
        assert!(at, "{version:?}: {found:?}");
    }
}

/// The text without the addresses of objects.
fn without_addresses(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let parts = text.split(" at 0x").map(|part| part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    parts.collect::<Vec<_>>().join(" at ")
}

#[test]
fn slow_imports_are_ranges_as_far_as_they_are_recorded() {
    for Python { version, path } in pythons("captures of imports") {
        let sandbox = Sandbox::new();
        for step in 0..4 {
            sandbox.file(&format!("slow{step}.py"), "import time\ntime.sleep(0.02)\n");
        }
        let script =
            "def step(n):\n    __import__(f'slow{n}')\n    import json.tool\nfor n in range(4): step(n)\n";
        let script = sandbox.file("train.py", script);
        let options = ["-q", "--step-on", "train:step", "--steps", "1:3"];
        let out = sandbox.capture(&options, &[path, "-B", script.to_str().unwrap()]);
        assert!(out.status.success(), "{}", said(&out));
        let mut found = named(&read(&sandbox.traces()[0]), Category::Import);
        found.retain(|name| name.contains("slow"));
        assert_eq!(found, ["import slow1", "import slow2"], "{version:?}");
    }
}
