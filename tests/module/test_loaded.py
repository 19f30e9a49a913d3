"""Traces in notebooks: what the program prints, in objects. tests/tables/test_arrow.py has their tables."""
import json
import os
import subprocess
import tempfile
import unittest

from runs import BINARY, Case

import proftui
from proftui import loaded

TRACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "demo-traces", "synthetic-gpu.json.gz")


def printed(*words):
    return subprocess.run([BINARY] + list(words) + [TRACE], check=True, stdout=subprocess.PIPE).stdout.decode()


class Loaded(Case):
    def setUp(self):
        super().setUp()
        self.kept = tempfile.tempdir
        tempfile.tempdir = self.path("run")

    def tearDown(self):
        tempfile.tempdir = self.kept

    def test_summaries_are_those_of_the_program(self):
        summary = proftui.summary(TRACE, "steps")
        self.assertEqual(repr(summary), printed("summary", "--view", "steps", "--format", "table"))
        self.assertEqual(summary._repr_markdown_(), printed("summary", "--view", "steps", "--format", "markdown"))
        table = json.loads(printed("summary", "--view", "steps", "--format", "json"))
        self.assertEqual([list(row.values()) for row in summary.rows], [row["cells"] for row in table["rows"]])
        self.assertEqual(summary.rows[0]["number"], 10)
        kernels = proftui.summary(TRACE, "kernel", "--row-limit", "2")
        self.assertEqual(len(kernels.rows), 2)

    def test_findings_are_those_of_the_program(self):
        with proftui.load(TRACE) as trace:
            found = trace.insights()
            self.assertEqual(repr(found), printed("insights"))
            self.assertIn(found.verdict, repr(found))
            page = trace._repr_html_()
        self.assertTrue(page.startswith("<p><b>"), page)
        self.assertEqual(page.count("<li>"), len(found.findings))

    def test_names_in_html_are_text(self):
        found = loaded.Insights.__new__(loaded.Insights)
        found.verdict, found.findings = "<script>", [{"sentence": "a & b", "advice": None}]
        self.assertEqual(found._repr_html_(), "<p><b>&lt;script&gt;</b></p><ol><li>a &amp; b<br><small></small></li></ol>")

    def test_the_folder_goes_with_the_trace(self):
        trace = proftui.load(TRACE)
        (folder,) = os.listdir(self.path("run"))
        files = sorted(os.listdir(self.path("run", folder)))
        self.assertEqual(files, sorted(name + ".arrow" for name in loaded._TABLES))
        self.assertEqual(os.stat(self.path("run", folder)).st_mode & 0o77, 0)
        self.assertTrue(set(loaded._TABLES) < set(dir(trace)))
        with self.assertRaisesRegex(AttributeError, "no table 'kernel'"):
            trace.kernel
        del trace
        self.assertEqual(os.listdir(self.path("run")), [])

    def test_what_cannot_be_loaded_is_said(self):
        with self.assertRaisesRegex(RuntimeError, "no-such-trace: no such file"):
            proftui.load("no-such-trace")
        self.assertEqual(os.listdir(self.path("run")), [])
        with self.assertRaisesRegex(RuntimeError, "--no-such-option"):
            proftui.load(TRACE, "--no-such-option")


if __name__ == "__main__":
    unittest.main()
