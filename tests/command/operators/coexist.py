#!/usr/bin/env python3
"""Whether scripts with profilers of their own do under capture what they do without: a table of cases.

    coexist.py --proftui target/debug/proftui PYTHON...

Each PYTHON may have PyTorch or Paddle; what it has not is skipped. Each case runs bare and under capture with `--ops light` and
`--ops full`; output, errors but for their digits, and exit status must be the same. Ranges that the script names stand once in a
trace of everything. Exit status 1 where something differs.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from cases import FRAMEWORKS

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "support"))
import skip  # noqa: E402


# Of the machine, not of the script: some are said once a process, be it for us.
_NOISE = ("ccache", "warnings.warn(warning_message)", "multi-threaded", "os.fork()", "gpuGetDeviceCount failed", "init callback")


def run(command, script):
    """Status, output and errors of a script in a folder of its own, and the traces that it leaves."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "train.py")
        with open(path, "w") as file:
            file.write(script)
        variables = {key: value for key, value in os.environ.items() if not key.startswith(("PROFTUI", "PYTHON"))}
        done = subprocess.run(
            command + [path], cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300
        )
        traces = [json.load(open(name)) for name in sorted(glob.glob(os.path.join(folder, "profiler_log", "*.json")))]
    return done.returncode, done.stdout, plain(done.stderr), traces


def plain(text):
    """Errors without what differs between any two runs."""
    lines = [re.sub(r"0x[0-9a-f]+|\d+|/tmp/tmp\w+", "", line) for line in text.splitlines()]
    return [line for line in lines if not any(word in line for word in _NOISE)]


def has(python, framework):
    done = subprocess.run([python, "-c", "import " + framework], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == 0


def ranges(traces):
    names = [event.get("name", "") for trace in traces for event in trace["traceEvents"] if event.get("ph") == "X"]
    return sum(name.split("[")[0] == "mine" for name in names)


def compare(proftui, python, head, case):
    """What is to be said of a case, for light and full."""
    script, *options = case
    bare = run([python, "-B"], head + script)
    words = []
    for ops in ("light", "full"):
        captured = run([proftui, "capture", "--quiet", "--ops", ops, *options, "--", python, "-B"], head + script)
        differs = [what for what, one, other in zip(("status", "output", "errors"), bare, captured) if one != other]
        if differs and os.environ.get("VERBOSE"):
            print(ops, bare[:3], captured[:3], sep="\n")
        # A child that leaves without its exit handlers says nothing.
        expected = bare[1].count("loss") + ("os._exit" in script)
        if not options and ops == "light" and not differs and ranges(captured[3]) != expected:
            differs.append("%d ranges" % ranges(captured[3]))
        words.append("differs: " + ", ".join(differs) if differs else "equal")
    return words


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--proftui", required=True)
    parser.add_argument("--case", help="only cases with this in their name")
    parser.add_argument("pythons", nargs="+")
    arguments = parser.parse_args()
    proftui, is_equal = os.path.abspath(arguments.proftui), True
    for framework, (head, cases) in FRAMEWORKS.items():
        python = next((python for python in arguments.pythons if has(python, framework)), None)
        if python is None:
            skip.excused("operators beside other profilers", "no Python with %s" % framework, "name one on the command line")
            continue
        print("%-8s %-24s %-24s %s" % (framework, "case", "light", "full"))
        for name, case in cases.items():
            if arguments.case and arguments.case not in name:
                continue
            words = compare(proftui, python, head, case)
            is_equal &= words == ["equal", "equal"]
            print("%-8s %-24s %-24s %s" % (framework, name, *words), flush=True)
    return not is_equal


if __name__ == "__main__":
    sys.exit(main())
