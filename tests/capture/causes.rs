//! Garbage collections and slow imports of Python programs become ranges, and the programs see nothing of
//! that.

use std::process::Command;

use proftui_trace::model::Category;

use super::run::{Sandbox, named, python, read, said};
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

/// A package with the functions of `torch.distributed` that the recorder looks for.
const DISTRIBUTED: [(&str, &str); 3] = [
    ("torch/__init__.py", "__version__ = '0'\n"),
    ("torch/distributed/__init__.py", "from .distributed_c10d import all_reduce, send\n"),
    (
        "torch/distributed/distributed_c10d.py",
        "class Group:\n    count = 0\n    def size(self): return 8\n    def _get_sequence_number_for_group(self): return self.count\n\
         world = Group()\n\
         def _get_default_group(): return world\n\
         def _get_process_group_name(group): return 'data parallel'\n\
         def all_reduce(tensor, op=None, group=None):\n    world.count += 1\n    return tensor\n\
         def send(tensor, dst, group=None): return tensor\n",
    ),
];

#[test]
fn collectives_have_their_group_and_number_in_each_format() {
    let Some(python) = python() else { return };
    let sandbox = Sandbox::new();
    for (path, text) in DISTRIBUTED {
        std::fs::create_dir_all(sandbox.path(path).parent().unwrap()).unwrap();
        sandbox.file(path, text);
    }
    let script = "import torch.distributed as dist\ndef step(n):\n    dist.all_reduce(n)\n    dist.send(n, 1)\nfor n in range(4): step(n)\n";
    let script = sandbox.file("train.py", script);
    for format in ["json", "pb"] {
        let options = ["-q", "--step-on", "train:step", "--steps", "1:3", "--format", format];
        let out = sandbox.capture(&options, &[python, "-B", script.to_str().unwrap()]);
        assert!(out.status.success(), "{}", said(&out));
        let path = sandbox.traces().into_iter().find(|path| path.extension().is_some_and(|of| of == format));
        let loaded = read(&path.unwrap());
        assert_eq!(named(&loaded, Category::Communication), ["all_reduce", "send", "all_reduce", "send"]);
        let slices = &loaded.trace.slices;
        let ids: Vec<_> = slices
            .ids()
            .iter()
            .filter(|&id| slices.category(id) == Category::Communication)
            .map(|id| slices.origin[id])
            .collect();
        let mut found = Vec::new();
        let visited = loaded.texts.visit(&ids, |_, event| {
            let text = |key: &[u8]| {
                event.argument(key).map(|value| String::from_utf8_lossy(&value.text()).into_owned())
            };
            found.push([text(b"Process Group Name"), text(b"Group size"), text(b"Seq")]);
        });
        assert_eq!(visited.unwrap(), 0);
        let of =
            |seq: Option<&str>| [Some("data parallel"), Some("8"), seq].map(|text| text.map(str::to_owned));
        assert_eq!(found, [of(Some("2")), of(None), of(Some("3")), of(None)], "{format}");
    }
}
