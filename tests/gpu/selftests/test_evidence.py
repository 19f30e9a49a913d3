"""What is remembered, packed and said at the end; and the parts that need no device and no torch, on the fakes of CUDA."""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from collections import namedtuple

import check
import smoke
from kit import evidence
from kit.setting import Setting
from kit.table import NO_TIME, OK, WRONG, judged, outcome, shown, skipped
from points import buffers, unloadable
from selftests.test_programs import CC, FAKES, skip

Point = namedtuple("Point", "NUMBER NAME rows")
GOOD, BAD, MISSED = judged("a", True, "1"), judged("b", False, "2"), skipped("c", "no device")


class Evidence(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_outcomes(self):
        self.assertEqual(outcome([GOOD, shown("d", "3")]), ("passed", "1"))
        self.assertEqual(outcome([GOOD, MISSED]), ("passed", "1; not possible here: c"))
        self.assertEqual(outcome([GOOD, BAD, MISSED]), ("failed", "1 of 2: b"))
        self.assertEqual(outcome([GOOD, skipped("the rest", NO_TIME)])[0], "not finished")
        self.assertEqual(outcome([MISSED]), ("not possible here", "no device"))
        self.assertEqual(outcome([]), ("not possible here", "nothing was judged"))

    def test_points_that_are_done_are_not_tried_again(self):
        tried = []

        def rows(setting):
            tried.append(len(tried))
            yield GOOD if len(tried) < 3 else BAD
            if len(tried) == 1:
                yield skipped("the rest", NO_TIME)

        setting = namedtuple("Setting", "out")(self.folder)
        before, check.points.ALL = check.points.ALL, [Point(1, "one", rows)]
        self.addCleanup(setattr, check.points, "ALL", before)
        for expected in (1, 2, 2):
            ((_, found),) = check.run(setting, {1}, is_resumed=True)
            self.assertEqual((len(tried), found[0].verdict), (expected, OK), "what had no time is tried again, what is done is not")
        ((_, found),) = check.run(setting, {1})
        self.assertEqual(found[0].verdict, WRONG, "only --resume goes on")

    def test_the_archive_has_what_counts(self):
        out = os.path.join(self.folder, "out")
        for path in ("table", "a/said", "a/cache/large", "cache/b", "a/run/c"):
            os.makedirs(os.path.dirname(os.path.join(out, path)), exist_ok=True)
            with open(os.path.join(out, path), "w") as file:
                file.write("x")
        with tarfile.open(evidence.archive(out)) as file:
            names = {member.name for member in file.getmembers() if member.isfile()}
        self.assertEqual(names, {"out/table", "out/a/said"})

    def test_findings_are_marked(self):
        self.assertEqual([smoke.marked(row)[:3] for row in (GOOD, BAD, MISSED)], ["   ", "!! ", "   "])


class OnFakes(unittest.TestCase):
    def test_the_probe_and_recorders_that_cannot_be_loaded(self):
        if not CC:
            skip.lacks_tool("the GPU check on fakes", "no C compiler", "gcc or clang")
            self.skipTest("no C compiler")
        target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(skip.ROOT, "target")
        fakes = os.path.join(target, "tmp", "fake-cuda")
        built = subprocess.run([sys.executable, "-B", os.path.join(FAKES, "build.py"), fakes], capture_output=True, text=True)
        if built.returncode == 77:
            skip.excused("the GPU check on fakes", built.stderr.strip(), "a network")
            self.skipTest("no headers")
        self.assertEqual(built.returncode, 0, built.stderr)
        with tempfile.TemporaryDirectory() as out:
            setting = Setting("none", sys.executable, out, "cpu", True, 120, fakes)
            for point, least in ((unloadable, 5), (buffers, 12)):
                rows = list(point.rows(setting))
                self.assertEqual([row for row in rows if row.verdict == WRONG], [])
                self.assertGreaterEqual(sum(row.verdict == OK for row in rows), least)
            self.assertEqual(len(os.listdir(os.path.join(out, "fixtures"))), 1)
