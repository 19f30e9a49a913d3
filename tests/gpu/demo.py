"""Makes the demo traces that need a GPU: real captures of a residual net of convolutions and of a small transformer.

    python3 tests/gpu/demo.py BINARY [PYTHON] [OUT]        OUT: demo-traces

PYTHON has torch. For each model it runs, in a folder of its own,

    proftui capture --steps 8:12 --format json.gz -- python3 ordinary.py MODEL

and changes this only: directories are cut off, and the device's own number. It prints what demo-traces/README.md says of each.
"""

import glob
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from kit.setting import NO_DEVICE, PROGRAMS, between
from kit.trace import read

MODELS = ("resnet", "transformer")
STEPS = between(8, 12)
HERE = os.path.dirname(os.path.abspath(__file__))
# Work that a trace must have for anybody to look at it.
LEAST = 100


def scrubbed(text):
    """Removes what identifies the machine: directories and the device's own number, which stand before the events."""
    head, begin, events = text.partition('"traceEvents"')
    head = re.sub(r'(?<![\w.])/(?:[^\s"/,:]+/)+', "", head)
    return re.sub(r'(GPU|MIG)-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', r"\1-0", head) + begin + events


def capture(binary, python, model, device):
    """The trace as it was written, as text."""
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, TMPDIR=folder)
        command = [binary, "capture", *STEPS, "--format", "json.gz", "--", python, os.path.join(PROGRAMS, "ordinary.py"), model]
        subprocess.run(command + (["--device", device] if device != "cuda" else []), cwd=folder, env=env, check=True, timeout=300)
        (trace,) = glob.glob(os.path.join(folder, "profiler_log", "*.json.gz"))
        with gzip.open(trace, "rt") as file:
            return file.read()


def save(text, path):
    with open(path, "wb") as file:
        file.write(gzip.compress(scrubbed(text).encode(), 9, mtime=0))
    found = read(path)
    facts = json.loads(text)["ExtraInfo"]
    print("%s: %d pieces of work, %d calls, %d ranges, %d bytes; torch %s, Python %s" % (
        os.path.basename(path), len(found.work), len(found.calls), len(found.ranges), os.path.getsize(path),
        facts.get("proftui.torch"), facts.get("proftui.python")))
    return len(found.work)


def main():
    words = [word for word in sys.argv[1:] if word != "--rehearse"]
    is_rehearsal = len(words) < len(sys.argv) - 1
    binary = os.path.abspath(words[0])
    python = words[1] if len(words) > 1 else shutil.which("python3")
    out = words[2] if len(words) > 2 else os.path.join(HERE, "..", "..", "demo-traces")
    for model in MODELS:
        text = capture(binary, python, model, "cpu" if is_rehearsal else "cuda")
        work = save(text, os.path.join(out, "torch-%s-gpu.paddle_trace.json.gz" % model))
        if work < LEAST and not is_rehearsal:
            print("there is no GPU's work in it")
            return NO_DEVICE
    return 0


if __name__ == "__main__":
    sys.exit(main())
