"""Compiles the recorder's table of CUPTI's fields against NVIDIA's headers of one release after the other.

    python3 layouts.py [--only 11.8,12.9,13.5] [--folder FOLDER] [--write]

The table is `activities!` in crates/agent/src/cuda/records/activities.rs; this file reads it there and has none of its own. Without
--only, pip lists all releases on PyPI. For each one a row is printed: how many fields were checked, how many differ in offset or
size, are missing, or come with a later version. FOLDER (target/layouts) keeps the headers that were fetched.

layouts.tsv has the offsets and sizes of three releases, as they were compiled (--write makes it anew); the table is compared with
them first, which needs neither a network nor a compiler.

Exit status: 0: all agree; 1: something differs; 77: nothing differs, but headers could not be fetched.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import headers

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parents[1] / "crates/agent/src/cuda/records/activities.rs"
RECORDED = HERE / "layouts.tsv"
WRITTEN = "11.8,12.9,13.5"
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "Pointer": 8, "Uuid": 16}
ROW = re.compile(r"(\d+) (\w+): (\w+)(?: in ([\w.]+))?(?: since (\d[\d_]*))?,")
# The oldest API version that the recorder takes.
OLDEST = 18
# The packages by CUDA's major version, and what their headers include.
PACKAGES = {"11": "nvidia-cuda-cupti-cu11", "12": "nvidia-cuda-cupti-cu12"}
LATEST = "nvidia-cuda-cupti"


class Field:
    """A row of the table."""

    def __init__(self, structure, offset, name, kind, outer, since):
        # NVIDIA numbers the versions of a structure; a record is of its release's newest.
        self.base = re.sub(r"\d+$", "", structure)
        self.path = (outer + "." if outer else "") + name.removesuffix("_")
        self.ours, self.since = (int(offset), SIZES[kind]), int(since or 0)

    @property
    def name(self):
        return f"{self.base}.{self.path}"


def table(text):
    """The fields of `activities!`."""
    fields, structure, first = [], None, 0
    block = text.rpartition("\nactivities! {\n")[2].partition("\n}\n")[0]
    for line in map(str.strip, block.splitlines()):
        row = ROW.fullmatch(line)
        if row and structure:
            field = Field(structure, *row.groups())
            field.since = max(field.since, first)
            fields.append(field)
        elif line.endswith(" {"):
            structure, _, since = line.removesuffix(" {").partition(" since ")
            first = int(since or 0)
        elif line != "}" and not line.startswith("///"):
            sys.exit(f"{TABLE.name}: not understood: {line}")
    return fields


def newest(texts, base):
    """The newest version of a structure."""
    numbers = [int(number or 1) for text in texts for number in re.findall(r"\}\s*%s(\d*)\s*;" % base, text)]
    return None if not numbers else base + (str(max(numbers)) if max(numbers) > 1 else "")


def compiled(fields, include):
    """The release's API version; offset and size of each field that it has, by name."""
    texts = [path.read_text(errors="replace") for path in sorted(include.glob("cupti_activity*.h"))]
    lines = {0: 'printf("api %u 0\\n", (unsigned)CUPTI_API_VERSION);'}
    for number, field in enumerate(fields, 1):
        structure = newest(texts, field.base)
        if structure:
            of = f"offsetof({structure}, {field.path}), sizeof((({structure} *)0)->{field.path})"
            lines[number] = f'printf("{field.name} %zu %zu\\n", {of});'
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "layouts.c"), pathlib.Path(folder, "layouts")
        command = [os.environ.get("CC", "cc"), "-w", "-isystem", str(include), str(source), "-o", str(program)]
        # First with all; then without the lines of which the compiler says that there is no such field.
        for _ in range(2):
            head = "#include <stddef.h>\n#include <stdio.h>\n#include <cupti.h>\nint main(void) {\n#line 0\n"
            body = "".join(lines.get(number, "") + "\n" for number in range(len(fields) + 1))
            source.write_text(head + body + "return 0; }\n")
            done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
            for number in re.findall(r"layouts\.c:(\d+):\d+: error: .*no member named", done.stderr):
                lines.pop(int(number), None)
            if done.returncode == 0:
                break
        else:
            sys.exit(f"{include}: cannot be compiled:\n{done.stderr[:2000]}")
        words = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout.split()
    rows = dict(zip(words[::3], zip(map(int, words[1::3]), map(int, words[2::3]))))
    return rows.pop("api")[0], rows


def compare(release, version, theirs, fields):
    """Prints a release's row; the number of fields that are not as the table has them."""
    due = [field for field in fields if field.since <= version]
    missing = [field for field in due if field.name not in theirs]
    differ = [field for field in due if field not in missing and theirs[field.name] != field.ours]
    figures = f"{len(due) - len(missing):4} fields, {len(differ)} differ, {len(missing)} missing, {len(fields) - len(due)} come later"
    print(f"CUPTI {release:9} API {version:6} {figures}", flush=True)
    for field in missing:
        print(f"    {field.name}: missing")
    for field in differ:
        print(f"    {field.name}: offset and size {theirs[field.name]}, in the table {field.ours}")
    return len(missing) + len(differ)


def recorded():
    """What layouts.tsv has of each release: its API version, and offset and size by field."""
    rows = [line.split("\t") for line in RECORDED.read_text().splitlines()]
    found = {}
    for at, release in enumerate(rows[0][1:], 1):
        pairs = {row[0]: tuple(map(int, row[at].split(":"))) for row in rows[2:] if row[at] != "-"}
        found[release] = int(rows[1][at]), pairs
    return found


def write(found, fields):
    """Makes layouts.tsv anew."""
    lines = [["release", *found], ["api", *(str(version) for version, _ in found.values())]]
    for field in fields:
        pairs = [theirs.get(field.name) for _, theirs in found.values()]
        lines.append([field.name, *("%d:%d" % pair if pair else "-" for pair in pairs)])
    RECORDED.write_text("".join("\t".join(line) + "\n" for line in lines))


def releases():
    """All releases on PyPI, the oldest first, as pip lists them for this machine."""
    found = []
    for package in (*PACKAGES.values(), LATEST):
        listed = re.search(r"Available versions: (.*)", headers.pip("index", "versions", package).stdout)
        if not listed:
            raise headers.Missing(f"cannot list the releases of {package}")
        found += reversed(listed.group(1).split(", "))
    return found


def wheels(release):
    """The wheels of a release's headers. 11.8 stands for the release that the fakes are built for, or for its newest."""
    if release in headers.GENERATIONS:
        return headers.GENERATIONS[release]
    major, dots = release.split(".")[0], release.count(".")
    (alike,) = [name for name in ("11.8", "12.9", "13.5") if name.startswith(major)] or ["13.5"]
    return [f"{PACKAGES.get(major, LATEST)}=={release}{'' if dots > 1 else '.*'}", *headers.GENERATIONS[alike][1:]]


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--only", metavar="RELEASES")
    words.add_argument("--folder", default=HERE.parents[1] / "target/layouts", type=pathlib.Path)
    words.add_argument("--write", action="store_true")
    options = words.parse_args()
    fields, status, wrong, found = table(TABLE.read_text()), 0, 0, {}
    written = WRITTEN if options.write else options.only
    if not options.write:
        print("as recorded in layouts.tsv:")
        wrong = sum(compare(release, *of, fields) for release, of in recorded().items())
    try:
        names = written.split(",") if written else releases()
        print("as compiled:")
        for release in names:
            (include,) = headers.fetch(options.folder, {release: wheels(release)}).values()
            version, theirs = compiled(fields, include / "include")
            if version < OLDEST:
                print(f"CUPTI {release:9} API {version:6} is older than what is recorded with")
                continue
            found[release] = version, theirs
            wrong += compare(release, version, theirs, fields)
            if not options.write and found[release] != recorded().get(release, found[release]):
                print("    layouts.tsv says otherwise: make it anew by --write")
                wrong += 1
    except headers.Missing as missing:
        print(f"{missing}; not compiled", file=sys.stderr)
        status = headers.SKIPPED
    if options.write:
        write(found, fields)
    print(f"{len(found)} releases compiled, {wrong} wrong")
    sys.exit(1 if wrong else status)


if __name__ == "__main__":
    main()
