"""Runs a script as `proftui capture` would, with a stand-in for the agent, and reads the calls that the stand-in recorded."""
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

# The note at the end of a process that had phases and no step.
NO_STEP = "note 4 no step was seen: use --step-on to set the event that ends a step"
# Why the function of `--step-on` ended no step: its path and its module; its path.
MISSING = "no step was seen: the function `%s` of --step-on was not found in `%s`"
UNRETURNED = "no step was seen: the function `%s` of --step-on never returned"
HERE = os.path.dirname(os.path.abspath(__file__))
SHIM = os.path.join(HERE, "..", "..", "assets", "python")
STANDIN = os.path.join(HERE, "standin")
STUBS = os.path.join(HERE, "stubs")
# What the runs share: the hooks are compiled once. Python 3.7 has no such folder, and compiles them in each run.
COMPILED = tempfile.TemporaryDirectory()


class Run:
    """A run of a script and all that it left: status, output, recorded calls, files."""

    def __init__(self, script, options="", args=(), env=None, path=(STANDIN, STUBS), files=None, before=(), typed=None):
        with tempfile.TemporaryDirectory() as folder:
            run, work = os.path.join(folder, "run"), os.path.join(folder, "work")
            os.mkdir(run, 0o700)
            os.mkdir(work)
            for name, text in dict(files or {}, **{"train.py": script}).items():
                os.makedirs(os.path.dirname(os.path.join(work, name)), exist_ok=True)
                with open(os.path.join(work, name), "w") as file:
                    file.write(textwrap.dedent(text))
            with open(os.path.join(run, "options"), "w") as file:
                file.write(options)
            variables = {"PATH": os.environ.get("PATH", ""), "PROFTUI_RUN": run, "PROFTUI_AGENT": "/nowhere/agent.so"}
            variables["PYTHONPYCACHEPREFIX"] = COMPILED.name
            if sys.version_info < (3, 8):
                variables["PYTHONDONTWRITEBYTECODE"] = "1"
            variables["PYTHONPATH"] = os.pathsep.join((os.path.realpath(SHIM),) + tuple(path))
            variables.update(env or {})
            done = subprocess.run(
                [sys.executable, *before] + ([os.path.join(work, "train.py"), *args] if typed is None else []),
                input=typed,
                env={key: value for key, value in variables.items() if value is not None},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                universal_newlines=True,
                cwd=work,
                timeout=120,
            )
            self.status, self.out, self.err, self.work = done.returncode, done.stdout, done.stderr, work
            # Process after process, the script's own first.
            self.processes = []
            # Files of cycles in the run's folder, by name.
            self.files = {}
            for name in os.listdir(run):
                if name.startswith("c"):
                    with open(os.path.join(run, name)) as file:
                        self.files[name] = file.read()
            for name in sorted((name for name in os.listdir(run) if name.isdigit()), key=int):
                with open(os.path.join(run, name)) as file:
                    self.processes.append([line.rstrip("\n").split(" ", 2) for line in file])

    def recorded(self, process=0):
        """The agent's calls but for facts: a `begin` as `9 Net`, others as they are."""
        calls = []
        for _, call, *rest in self.processes[process]:
            text = rest[0] if rest else ""
            if call == "begin":
                calls.append(text)
            elif call in ("end", "step") or (call == "note" and not text.startswith("1 ")):
                calls.append((call + " " + text).strip())
        return calls

    def calls(self, call, process=0):
        """The arguments of each call of this function of the agent."""
        return [" ".join(rest) for _, one, *rest in self.processes[process] if one == call]

    def facts(self, process=0):
        """Facts, by their keys; the last of each."""
        notes = [rest[0] for _, call, *rest in self.processes[process] if call == "note"]
        return dict(note[2:].split("=", 1) for note in notes if note.startswith("1 "))

    def notes(self):
        """Notes: what was odd or went wrong."""
        return [call for call in self.recorded() if call.startswith("note ")]

    def steps(self, process=0):
        """The samples of each step."""
        return [int(call[5:]) for call in self.recorded(process) if call.startswith("step ")]


class Case(unittest.TestCase):
    """A test that runs scripts."""

    maxDiff = None

    def run_script(self, script, *args, **keys):
        done = Run(script, *args, **keys)
        self.assertEqual((done.status, done.err), (0, ""))
        self.assert_balanced(done)
        return done

    def assert_balanced(self, done):
        """Each thread ends what it began."""
        for process in done.processes:
            depths = {}
            for thread, call, *_ in process:
                depths[thread] = depths.get(thread, 0) + {"begin": 1, "end": -1}.get(call, 0)
                self.assertGreaterEqual(depths[thread], 0)
            self.assertEqual(set(depths.values()) - {0}, set(), process)
