//! Programs of which one call fails: a function of the C library (`tests/faults/calls.c`), or a system call,
//! whoever makes it (`tests/faults/system.c`).
//!
//! Must not know the programs, nor how they are to end.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::Path;
use std::process::Command;

use crate::scratch::Scratch;
use crate::skip;
use crate::tools::compile;

/// What the launcher of `system.c` ends with where the system does not notify of system calls.
const UNAVAILABLE: i32 = 125;

/// What makes calls fail, in a folder of its own.
pub(crate) struct Faults {
    folder: Scratch,
}

impl Faults {
    /// Compiles the library and the launcher; `None`, with the check `what` listed as skipped, if there is no
    /// compiler.
    pub(crate) fn build(what: &str) -> Option<Self> {
        let faults = Self { folder: Scratch::new("faults-built") };
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/");
        let (library, launcher) = (faults.folder.path("calls.so"), faults.folder.path("system"));
        let options = ["-O1", "-Wall", "-Werror", "-o"];
        let [calls, system] = ["calls.c", "system.c"].map(|name| format!("{sources}{name}"));
        compile(what, ["-shared", "-fPIC"].into_iter().chain(options).chain([&*library, &*calls, "-ldl"]))?;
        compile(what, options.into_iter().chain([&*launcher, &*system]))?;
        Some(faults)
    }

    /// The path of the file that is made when the call comes.
    fn mark(&self) -> String {
        self.folder.path("mark")
    }

    /// True if the last call that was to fail came.
    pub(crate) fn has_come(&self) -> bool {
        Path::new(&self.mark()).exists()
    }

    /// The environment in which the call of this number of a function of the C library fails: with the error
    /// `how`, or does half of its work if that is `short`.
    pub(crate) fn of_library(&self, call: &str, how: &str, number: u64) -> [(&'static str, String); 5] {
        self.forget();
        [
            ("LD_PRELOAD", self.folder.path("calls.so")),
            ("FAULT_CALL", call.to_owned()),
            ("FAULT_HOW", how.to_owned()),
            ("FAULT_NUMBER", number.to_string()),
            ("FAULT_MARK", self.mark()),
        ]
    }

    /// The words before a command line that have the system call of this number fail with the error `how`.
    pub(crate) fn of_system(&self, call: &str, how: &str, number: u64) -> [String; 5] {
        self.forget();
        [self.folder.path("system"), call.to_owned(), number.to_string(), how.to_owned(), self.mark()]
    }

    /// True where system calls can fail; else the check `what` is listed as skipped, or fails under
    /// `CI=true`.
    pub(crate) fn has_system(&self, what: &str) -> bool {
        let words = self.of_system("mmap", "1", 1 << 40);
        let tried =
            Command::new(&words[0]).args(&words[1..]).arg("/bin/true").output().expect("it was built");
        if tried.status.code() == Some(UNAVAILABLE) {
            let why = String::from_utf8_lossy(&tried.stderr).trim().to_owned();
            skip::lacks_tool(what, &why, "run it where seccomp notifies of system calls");
            return false;
        }
        assert!(tried.status.success(), "{tried:?}");
        true
    }

    fn forget(&self) {
        let _ = std::fs::remove_file(self.mark());
    }
}
