"""Attacks of one user on the captures of another, and prints what came of each, a row each.

    python3 tests/capture/two_users.py BINARY

Needs root: both users are numbers that no account has. Exits with the number of rows that are WRONG.
"""

import glob
import json
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import skip  # noqa: E402

# Folders to which all users can write, where a capture may keep files.
SHARED = ("/var/tmp", "/tmp")

# The captured program: leaves a process in the background, which records on, and starts another Python when a file says so.
PROGRAM = """
import _proftui, json, os, subprocess, sys, time

def step():
    pass

def wait(name):
    for _ in range(1500):
        if os.path.exists(name):
            return
        time.sleep(0.02)

tag = _proftui.name(7, "range")
ready, done = os.pipe()
if os.fork() == 0:
    os.setsid()
    _proftui.begin(tag); _proftui.end()
    names = {name: os.environ.get(name, "") for name in sys.argv[1].split(",")}
    names["key"] = os.path.basename(_proftui.folder() or "")
    with open("names.partial", "w") as file:
        json.dump(names, file)
    os.rename("names.partial", "names")
    os.write(done, b".")
    wait("go")
    for number in range(100):
        _proftui.name(7, "later %d" % number)
    subprocess.call([sys.executable, "-c", "pass"])
    open("over", "w").close()
    os._exit(0)
os.read(ready, 1)
step(); step()
"""
VARIABLES = "PYTHONPATH,PROFTUI_AGENT,PROFTUI_RUN,CUDA_INJECTION64_PATH,NVTX_INJECTION64_PATH,INTEL_LIBITTNOTIFY64"


def owner(entry):
    """The number of the user who owns an entry of a folder; None if it is gone: others remove theirs meanwhile."""
    try:
        return entry.stat(follow_symlinks=False).st_uid
    except FileNotFoundError:
        return None


def a_user():
    """The number of a user whom nobody is."""
    taken = {entry.pw_uid for entry in pwd.getpwall()}
    number = 200000 + 4 * os.getpid() % 1000000
    taken.update(owner(entry) for shared in SHARED for entry in os.scandir(shared))
    while number in taken:
        number += 1
    return number


def become(user):
    def switch():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        os.umask(0o022)

    return switch


def as_user(user, body):
    """Runs `body` in a process of the user; returns what it returns."""
    ready, done = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            become(user)()
            os.write(done, json.dumps(body()).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(done)
    with os.fdopen(ready) as file:
        text = file.read()
    os.waitpid(child, 0)
    if not text:
        raise AssertionError("what the other user does failed: see its traceback")
    return json.loads(text)


def plant(folder, evidence):
    """Makes a folder with Python code that leaves evidence of having run; false if that is not possible."""
    try:
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
            file.write("import os\nopen(%r, 'a').write('%%d ' %% os.getuid())\n" % evidence)
        return True
    except OSError:
        return False


class Scene:
    """A folder with the homes of both users."""

    def __init__(self, binary):
        self.person = a_user()
        self.other = self.person + 1
        self.top = tempfile.mkdtemp(prefix="two-users-", dir="/tmp")
        os.chmod(self.top, 0o755)
        self.binary = binary
        self.work = self.folder("work", self.person, 0o755)
        self.temporary = self.folder("temporary", 0, 0o1777)
        self.evidence = self.folder("evidence", 0, 0o777) + "/ran"
        self.read_only = self.folder("home", 0, 0o755)

    def folder(self, name, owner, mode):
        path = os.path.join(self.top, name)
        os.mkdir(path)
        os.chown(path, owner, owner)
        os.chmod(path, mode)
        return path

    def inside(self, name):
        return os.path.join(self.work, name)

    def environment(self, **more):
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        return dict(kept, TMPDIR=self.temporary, **more)

    def start(self, options, command, **environment):
        with open(self.inside("said"), "w") as said:
            return subprocess.Popen(
                [self.binary, "capture"] + options + ["--"] + command,
                cwd=self.work, env=self.environment(**environment), stdout=said, stderr=said, preexec_fn=become(self.person),
            )

    def said(self):
        return open(self.inside("said")).read().strip()

    def run(self, options=(), **environment):
        """Captures the program, which leaves a process in the background; returns the exit status and that process's names."""
        with open(self.inside("program.py"), "w") as file:
            file.write(PROGRAM)
        options = ["--step-on", "__main__:step"] + list(options)
        status = self.start(options, [python(self.person), "program.py", VARIABLES], **environment).wait()
        names = json.load(open(self.inside("names"))) if os.path.exists(self.inside("names")) else {}
        return status, names

    def go_on(self):
        """Lets the process in the background go on, to its end."""
        open(self.inside("go"), "w").close()
        for _ in range(1500):
            if os.path.exists(self.inside("over")):
                return
            time.sleep(0.02)
        raise AssertionError("the process in the background does not end")

    def ran(self):
        """Numbers of the users as whom the other user's code ran."""
        return open(self.evidence).read().split() if os.path.exists(self.evidence) else []

    def left(self):
        """Folders of the person in the folders of all users, as everybody sees them."""
        found = []
        for shared in SHARED + (self.temporary,):
            for entry in os.scandir(shared):
                if entry.name.startswith("proftui") and owner(entry) == self.person:
                    found.append(entry.path)
        return found

    def end(self):
        for path in self.left():
            shutil.rmtree(path)
        shutil.rmtree(self.top)


def python(user):
    """A Python that the user can run: this one, else the system's; None if there is none."""
    for path in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.call([path, "-c", "import json"], preexec_fn=become(user), stderr=subprocess.DEVNULL) == 0:
                return path
        except OSError:
            pass
    return None


def row(name, is_good, words):
    print("%-30s %-5s %s" % (name, "ok" if is_good else "WRONG", words), flush=True)
    return not is_good


def folders_of(names):
    """The folders from which the captured environment has code loaded."""
    files = [names.get(name, "") for name in VARIABLES.split(",")[3:] + ["PROFTUI_AGENT"]]
    found = [names.get("PYTHONPATH", "").split(":")[0]] + [os.path.dirname(path) for path in files if path]
    return sorted({path for path in found if path})


def made_anew(scene):
    """After the run, the other user, who knows all names, makes all folders anew that he can."""
    status, names = scene.run(HOME="/nonexistent")
    folders = folders_of(names)
    made = as_user(scene.other, lambda: [path for path in folders if plant(path, scene.evidence)])
    scene.go_on()
    is_good = status == 0 and folders and not made and not scene.ran()
    return is_good, "status %d, %d of %d folders made, his code ran as uid %s" % (status, len(made), len(folders), scene.ran())


def cleaned(scene):
    """After the run, temporary files are cleaned; the other user makes anew what he was able to see, in the layout that he knows."""
    status, names = scene.run(HOME="/nonexistent")
    folders = folders_of(names)
    version = "-".join(os.path.basename(os.path.dirname(names["PYTHONPATH"].split(":")[0])).split("-")[:2])

    def visible():
        tops = scene.left() + [os.path.dirname(names["PROFTUI_RUN"])]
        return sorted({found for top in tops + [names["PROFTUI_RUN"]] for found, _, _ in os.walk(top)} | set(scene.left()) | {names["PROFTUI_RUN"]})

    seen = as_user(scene.other, visible)
    for path in scene.left():
        shutil.rmtree(path)
    layouts = ("py", version + "/py", "proftui/" + version + "/py")

    def make():
        made = [plant(os.path.join(path, layout), scene.evidence) for path in seen for layout in layouts]
        return made.count(True)

    made = as_user(scene.other, make)
    scene.go_on()
    words = "status %d, %d folders made, his code ran as uid %s" % (status, made, scene.ran())
    return status == 0 and folders and made and not scene.ran(), words


def run_folder(scene):
    """After the run, the other user makes the run folder anew, with a link in it to a folder of the person."""
    status, names = scene.run(HOME="/nonexistent")
    diary = scene.folder("diary", scene.person, 0o755)
    for name in ("names", "log", "live"):
        with open(os.path.join(diary, name), "w") as file:
            file.write("the person's own words")
        os.chown(file.name, scene.person, scene.person)

    def make():
        try:
            os.mkdir(names["PROFTUI_RUN"])
            os.symlink(diary, os.path.join(names["PROFTUI_RUN"], names["key"]))
            return True
        except OSError:
            return False

    made = as_user(scene.other, make)
    scene.go_on()
    changed = [name for name in ("names", "log", "live") if open(os.path.join(diary, name)).read() != "the person's own words"]
    return made and not changed, "status %d, made: %s, files of the person that were changed: %s" % (status, made, changed)


def folder_above(scene):
    """The cache is in a folder to which all can write: during the run the other user exchanges it for one of his own."""
    opened = scene.folder("open", 0, 0o777)
    status, names = scene.run(HOME="/nonexistent", XDG_CACHE_HOME=opened + "/cache")
    inside = [path for path in folders_of(names) if path.startswith(opened)]

    def exchange():
        if os.path.exists(opened + "/cache"):
            os.rename(opened + "/cache", opened + "/away")
        return [path for path in inside if plant(path, scene.evidence)]

    made = as_user(scene.other, exchange)
    scene.go_on()
    is_reported = opened in scene.said()
    words = "status %d, %d folders made, his code ran as uid %s, reported: %s" % (status, len(made), scene.ran(), is_reported)
    return status == 0 and folders_of(names) and not made and not scene.ran() and is_reported, words


def named_folder(scene):
    """A folder by --cache that others can change: the program is not started, and a line says why."""
    opened = scene.folder("open", 0, 0o777)
    status, names = scene.run(["--cache", opened + "/cache"], HOME="/nonexistent")
    said = scene.said()
    is_good = status == 1 and not names and len(said.splitlines()) == 1 and opened in said and "--cache" in said
    return is_good, "status %d, started: %s, %s" % (status, bool(names), said)


def container(scene):
    """A home folder that is read-only or does not exist: the program is recorded, by the same files in the next run."""
    ranges, homes = [], set()
    for home in ("/nonexistent", scene.read_only, "/", ""):
        shutil.rmtree(scene.inside("profiler_log"), ignore_errors=True)
        status, names = scene.run(HOME=home)
        for name in ("names", "go", "over"):
            if name == "over":
                scene.go_on()
            if name != "go" and os.path.exists(scene.inside(name)):
                os.unlink(scene.inside(name))
        os.unlink(scene.inside("go"))
        traces = [json.load(open(path)) for path in glob.glob(scene.inside("profiler_log/*.json"))]
        ranges.append(sum(event.get("ph") == "X" for trace in traces for event in trace["traceEvents"]))
        homes.add(names.get("PYTHONPATH", ""))
    modes = [stat.S_IMODE(os.stat(path).st_mode) for path in scene.left()]
    words = "%s ranges in the traces, %d folders of files, modes %s, %s" % (ranges, len(homes), [oct(mode) for mode in modes], scene.said()[:200])
    return all(ranges) and len(homes) == 1 and all(mode == 0o700 for mode in modes), words


def named_cache(scene):
    """A folder by --cache below a folder of the person's own: the files are there, and the second run uses them."""
    status, names = scene.run(["--cache", "own/cache"], HOME="/nonexistent")
    scene.go_on()
    is_there = all(path.startswith(scene.inside("own/cache")) for path in folders_of(names))
    return status == 0 and bool(names) and is_there, "status %d, files are in it: %s" % (status, is_there)


TRIALS = [
    ("code: made anew after the run", made_anew),
    ("code: made anew when cleaned", cleaned),
    ("run folder made anew", run_folder),
    ("cache below an open folder", folder_above),
    ("--cache below an open folder", named_folder),
    ("--cache of one's own", named_cache),
    ("read-only home", container),
]


def main():
    if os.getuid() != 0:
        skip.excused("attacks of another user", "two users are needed", "run as root")
        return 0
    if python(a_user()) is None:
        skip.lacks_tool("attacks of another user", "no Python that all users can run", "install Python for all users")
        return 0
    wrong = 0
    # The program may be in a folder that other users cannot enter.
    programs = tempfile.mkdtemp(prefix="two-users-", dir="/tmp")
    os.chmod(programs, 0o755)
    binary = shutil.copy(sys.argv[1], programs)
    for name, trial in TRIALS:
        scene = Scene(binary)
        try:
            is_good, words = trial(scene)
        except Exception as error:
            is_good, words = False, "%r, %s" % (error, scene.said() if os.path.exists(scene.inside("said")) else "")
        finally:
            scene.end()
        wrong += row(name, is_good, words)
    shutil.rmtree(programs)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
