//! Full disks and limits: the program does not notice them, and lost ranges are counted exactly.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use proftui_wire::live::Word;
use proftui_wire::log::Event;

use crate::rig::{Run, latest, pythons, says};

/// Records ten million ranges; prints by how much the process's memory grew, KiB.
const MANY: &str = r#"
def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
tag = agent.name(7, "range")
begin, end = agent.begin, agent.end
before = resident()
for _ in range(10_000_000):
    begin(tag); end()
print(resident() - before)
agent.close()
"#;

#[test]
fn ten_million_ranges_in_one_window() {
    let Some(python) = latest() else { return };
    for most in [1 << 20, 64 << 20] {
        let run = Run::new(&format!("most={most}\n"));
        let grown: u64 = run.runs(python, MANY).trim().parse().expect("a number");
        assert!(grown < 64 << 10, "{grown} KiB");
        let process = run.process();
        assert_eq!(process.kept() + process.lost(), 10_000_000);
        assert!(process.lost() > 0 && process.kept() > most / 24 * 9 / 10, "the room is used");
        assert!(process.live.get(Word::Taken) <= most);
        assert_eq!(process.live.get(Word::Full), 1, "in step 0");
        let (cycle, step, why) = &process.stops()[0];
        assert_eq!((process.stops().len(), *cycle, *step), (1, 1, 0), "said once");
        let why_not = format!("{} MiB (--max-mb) are full; raise that, or record fewer steps", most >> 20);
        assert!(why.starts_with(&why_not), "{why}");
    }
}

#[test]
fn the_next_cycle_has_its_own_budget() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=0,0,0,1,2\nmost=65536\n");
    run.runs(
        python,
        r#"
import threading
tag = agent.name(7, "range")
def go():
    for _ in range(3000): agent.begin(tag); agent.end()
for step in range(2):
    go()
    threads = [threading.Thread(target=go) for _ in range(2)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    agent.step(1)
agent.close()
"#,
    );
    let process = run.process();
    assert_eq!((process.main(1).len(), process.main(2).len()), (2560, 2560));
    assert_eq!(process.kept() + process.lost(), 2 * (9000 + 1));
    assert_eq!(process.live.get(Word::Lost), 2 * 6000, "threads without a chunk");
    let lost =
        process.events().into_iter().filter(|event| matches!(event, Event::Lost { .. })).collect::<Vec<_>>();
    assert_eq!(lost, [1, 2].map(|cycle| Event::Lost { cycle, ranges: 6000 }));
    let stops: Vec<(u64, u64)> = process.stops().iter().map(|stop| (stop.0, stop.1)).collect();
    assert_eq!(stops, [(1, 0), (2, 1)], "one a cycle, with the step");
}

/// A small file system in memory, mounted for as long as this lives.
pub struct Mount<'a>(&'a Path);

impl<'a> Mount<'a> {
    /// Mounts one at a folder; none if that is not possible here.
    pub fn new(folder: &'a Path, size: &str) -> Option<Self> {
        let status = Command::new("mount").args(["-t", "tmpfs", "-o", size, "none"]).arg(folder).output();
        status.is_ok_and(|output| output.status.success()).then_some(Self(folder))
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        // A mount that stays does no harm.
        let _ = Command::new("umount").arg(self.0).status();
    }
}

#[test]
fn a_full_disk() {
    let Some(python) = latest() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("disk-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    // Sizes at which no chunk fits, one fits, and some do.
    for (size, fits) in [("mode=700,size=60k", 0), ("mode=700,size=120k", 1), ("mode=700,size=1m", 2)] {
        let Some(_mount) = Mount::new(&folder, size) else {
            crate::skip::excused("a full disk", "nothing can be mounted here", "run as root");
            return;
        };
        let run = Run::at(folder.clone(), "");
        let said = run.runs(
            python,
            r#"
tag = agent.name(7, "range")
for _ in range(100000): agent.begin(tag); agent.end()
try:
    with open(os.path.join(os.environ["PROFTUI_RUN"], "fill"), "wb") as file:
        while True: file.write(bytes(4096)); file.flush()
except OSError: pass
for number in range(1000): agent.name(7, "name " * 10 + str(number)); agent.note(2, "odd"); agent.step(1)
agent.begin(tag); agent.end()
agent.close()
print("done")
"#,
        );
        assert_eq!(said, "done\n");
        let process = run.process();
        assert_eq!(process.threads(1).len(), usize::from(fits > 0));
        // The steps and the teardown are ranges, too.
        assert_eq!(process.kept() + process.lost(), 100_000 + 1000 + 1 + 1, "{size}");
        assert_eq!(process.live.timer().all.steps, 1000);
        let (_, step, why) = &process.stops()[0];
        let named = format!("the disk is full (tmpfs at {}, ", folder.display());
        assert!(*step == 0 && why.starts_with(&named), "{why}");
        assert!(why.contains(" free); ") && why.contains("--spool"), "{why}");
    }
    // A folder that stays does no harm.
    let _ = fs::remove_dir(&folder);
}

#[test]
fn a_limit_of_file_sizes_is_not_run_into() {
    for python in pythons() {
        let run = Run::new("");
        // A program that the signal would end.
        let said = run.runs(
            python,
            r#"
import resource, signal
tag = agent.name(7, "range")
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))
for _ in range(20000): agent.begin(tag); agent.end()
for number in range(2000): agent.step(1)
agent.close()
print("done")
"#,
        );
        assert_eq!(said, "done\n");
        let process = run.process();
        // The teardown is a range, too.
        assert_eq!(process.kept() + process.lost(), 22_001);
        assert_eq!(process.live.timer().all.steps, 2000);
    }
}

#[test]
fn a_program_that_closes_all_files_keeps_its_own() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=0,0,0,1,0\n");
    run.runs(
        python,
        r#"
os.closerange(3, 1024)
own = [os.open(os.path.join(os.environ["PROFTUI_RUN"], "own%d" % number), os.O_CREAT | os.O_RDWR) for number in range(20)]
tag = agent.name(7, "range")
for step in range(50):
    for _ in range(100): agent.begin(tag); agent.end()
    agent.note(2, "odd %d" % step)
    agent.step(1)
agent.close()
assert all(os.fstat(file).st_size == 0 for file in own)
assert os.open("/dev/null", os.O_RDONLY) == own[-1] + 1, "nothing stays open"
"#,
    );
    assert_eq!(run.process().cycles().len(), 50);
}

#[test]
fn a_run_that_is_gone_harms_nobody() {
    let Some(python) = latest() else { return };
    let run = Run::new("schedule=0,0,0,1,0\n");
    let said = says(&mut run.program(
        python,
        r#"
import ctypes, shutil
errno = ctypes.PyDLL(None).__errno_location
errno.restype = ctypes.POINTER(ctypes.c_int)
errno = errno()
tag = agent.name(7, "range")
agent.begin(tag); agent.end()
shutil.rmtree(os.environ["PROFTUI_RUN"])
for step in range(20):
    for _ in range(100): agent.begin(tag); agent.end()
    errno[0] = 77
    agent.name(7, str(step)); agent.step(1); agent.begin(tag)
    assert errno[0] == 77, "what failed is not the program's business"
    agent.end()
pid = os.fork()
if pid == 0:
    agent.begin(tag); agent.end(); agent.step(1)
    sys.exit(0)
assert os.waitpid(pid, 0)[1] == 0
agent.close()
print("done")
"#,
    ));
    assert_eq!(said, "done\n");
}

#[test]
fn a_folder_that_others_can_write_to_is_no_run() {
    let Some(python) = latest() else { return };
    let run = Run::new("");
    fs::set_permissions(&run.folder, Permissions::from_mode(0o777)).expect("set");
    let said = crate::rig::says(&mut run.bare(python, "print(agent.open(False))"));
    assert_eq!(said, "False\n");
    assert!(run.processes().is_empty());
}
