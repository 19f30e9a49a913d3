"""The examples of Paddle's and DeepLink's guides (`examples/`), run with proftui and with what the guides import.

`python check.py PYTHON [NAME...]`: a Python that has proftui and Paddle, PyTorch (with torchvision) or both; what it has not is skipped. Each example runs
in a folder of its own, with proftui and with the original; both must print the same tables with the same counts. Of the case study the loader's part of a
step must shrink and the rate grow as processes load. The names of the frameworks' profilers must be those that `tests/module/interfaces` keeps (NAME
`names`). Status 1 where something is not so.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
sys.path.insert(0, str(ROOT / "tests" / "support"))
import skip  # noqa: E402

# What the guides import, instead of what the examples do.
ORIGINALS = {
    "paddle": [
        ("import proftui as profiler", "import paddle.profiler as profiler"),
        ("from proftui import ", "from paddle.profiler import "),
    ],
    "torch": [("from proftui import ", "from torch.profiler import ")],
}

# The old functions are gone from Paddle; its protobuf of now has kinds that its own reader refuses.
HAS_NO_ORIGINAL = {"old_api", "record_event"}

# Examples that need another package.
NEEDS = {"mmengine_hook": "mmengine"}

# Rows that hold more of ours, and rightly so: what a loader's own threads and processes read.
OURS = {("Overview Summary", "UserDefined")}

# Rows of PyTorch's tables that are printed are the longest ones: which those are differs from run to run.
LEAST_SHARED = 0.6


def main():
    python, names = sys.argv[1], sys.argv[2:]
    held = []
    for framework in ("paddle", "torch"):
        needed = framework if framework == "paddle" else "torchvision"
        if subprocess.run([python, "-c", "import " + needed], capture_output=True).returncode:
            skip.excused("the examples of the guides", "no %s in %s" % (needed, python), "install %s there" % needed)
            continue
        for script in sorted((EXAMPLES / framework).glob("*.py")):
            if (not names or script.stem in names) and has_what_it_needs(python, script.stem):
                held.append(holds(python, framework, script))
        if framework == "paddle" and (not names or "case_study" in names):
            held.append(study(python))
        if not names or "names" in names:
            held.append(lists_the_same(python, framework))
    return int(not all(held))


def has_what_it_needs(python, name):
    """True if PYTHON has the package that an example needs, if it needs one; else the example is listed as skipped."""
    package = NEEDS.get(name)
    if package is None or not subprocess.run([python, "-c", "import " + package], capture_output=True).returncode:
        return True
    skip.excused("the example " + name, "no %s in %s" % (package, python), "install %s there" % package)
    return False


def lists_the_same(python, framework):
    """True if the names of the framework's profilers are those that are kept; reports what is not."""
    folder = ROOT / "tests/module/interfaces"
    kept = json.loads((folder / (framework + ".json")).read_text())
    done = subprocess.run([python, str(folder / "listed.py"), framework], capture_output=True, text=True, timeout=900)
    if done.returncode:
        print("%-6s %-16s WRONG: %s" % (framework, "names", done.stderr.strip().splitlines()[-1:]), flush=True)
        return False
    found = json.loads(done.stdout)
    differ = []
    for owner in sorted(set(kept["names"]) | set(found["names"])):
        one, other = (set(of["names"].get(owner, ())) for of in (kept, found))
        differ += ["%s: new %s" % (owner, name) for name in sorted(other - one)]
        differ += ["%s: gone %s" % (owner, name) for name in sorted(one - other)]
    count = sum(map(len, found["names"].values()))
    print("%-6s %-16s %3d names of %s  %s" % (framework, "names", count, found["version"], "; ".join(differ) or "ok"), flush=True)
    return not differ


def holds(python, framework, script):
    """True if an example's tables are right; reports what is not."""
    text = script.read_text()
    ours = run(python, text)
    own = rows(framework, ours.stdout)
    problems = failed("", ours)
    if script.stem not in HAS_NO_ORIGINAL:
        for line, original in ORIGINALS[framework]:
            text = text.replace(line, original)
        theirs = run(python, text)
        problems += failed("the original: ", theirs)
        compare = same if framework == "paddle" else alike
        problems += compare(own, rows(framework, theirs.stdout))
    verdict = "; ".join(problems) or "ok"
    print("%-6s %-16s %3d rows  %s" % (framework, script.stem, len(own), verdict), flush=True)
    return not problems


def study(python):
    """The case study: loading within the step, and by four processes beside it."""
    figures = []
    for workers in ("0", "4"):
        output = run(python, (EXAMPLES / "paddle/case_study.py").read_text(), workers).stdout
        model = output[output.find("Model Summary"):]
        share = re.search(r"^ *Dataloader .*?/ ([\d.]+) +\S+ /", model, re.M)
        rate = re.search(r"\| +ips +\| +([\d.]+)", output)
        figures.append((float(share.group(1)), float(rate.group(1))) if share and rate else (0, 0))
    (slow, few), (fast, many) = figures
    is_right = slow > 2 * fast > 0 and many > few > 0
    print("loading: %.2f%% of a step and %.2f steps/s; by four processes: %.2f%% and %.2f  %s"
          % (slow, few, fast, many, "ok" if is_right else "WRONG"), flush=True)
    return is_right


def run(python, text, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "example.py")
        path.write_text(text)
        command = [python, str(path), *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900)


def failed(whose, done):
    lines = done.stderr.strip().splitlines() or ["nothing said"]
    return ["%sstatus %d: %s" % (whose, done.returncode, lines[-1])] if done.returncode else []


def rows(framework, text):
    """The rows of all tables: (table, name, count), sorted."""
    found, table, at, count = [], "", None, 0
    for line in text.splitlines():
        title = re.fullmatch(r"-+([A-Z][A-Za-z ]+ Summary)-+", line.strip())
        cells = re.split(r"\s{2,}", line.strip())
        if title:
            table, at = title.group(1), 1
        elif framework == "torch" and "# of Calls" in cells:
            # Tables of several profilers may have the same columns.
            count += 1
            table, at = "%d: %s" % (count, " | ".join(cells)), cells.index("# of Calls")
        elif at is not None and len(cells) > at and re.fullmatch(r"\d+", cells[at]):
            # By shape, operators of one name are several rows.
            shape = " " + cells[-1] if table.endswith("Input Shapes") else ""
            found.append((table, cells[0] + shape, int(cells[at])))
    return sorted(found)


def same(own, theirs):
    """What only one of both has, in words."""
    said = []
    for what, these, those in (("only in ours", own, theirs), ("missing", theirs, own)):
        alone = [row for row in these if row not in those and row[:2] not in OURS]
        if alone:
            said.append("%s: %s" % (what, ", ".join("%s: %s x%d" % row for row in alone[:6])))
    return said


def alike(own, theirs):
    """What differs of rows that both print; which those are may differ a little."""
    if bool(own) != bool(theirs):
        return ["%d rows, and %d by the original" % (len(own), len(theirs))]
    by_name = {}
    for row in theirs:
        by_name.setdefault(row[:2], set()).add(row[2])
    shared = [row for row in own if row[:2] in by_name]
    said = ["%s x%d" % row[1:] for row in shared if row[2] not in by_name[row[:2]]]
    if len(shared) < LEAST_SHARED * len(own):
        said.append("only %d of %d rows are the original's" % (len(shared), len(own)))
    return said


if __name__ == "__main__":
    sys.exit(main())
