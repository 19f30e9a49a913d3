#!/usr/bin/env python3
"""Tests of the simulated machine, of its record of causes, of the files, and of the judgement: `python3 tests/insights/selftest.py`."""
import copy
import gzip
import json
import os
import subprocess
import sys
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from check import confusion  # noqa: E402
from generate import generate, run_ns  # noqa: E402
from judge import headroom, judge  # noqa: E402
import labels
from labels import label, part_of  # noqa: E402
from scenarios.all import SCENARIOS  # noqa: E402
from sim import calls  # noqa: E402
from sim.draws import Draws, us  # noqa: E402
from sim.ledger import CAUSES, HostLedger, common, ledgers, length, union, without  # noqa: E402
from sim.machine import Machine  # noqa: E402
from sim.measures import SHOWS  # noqa: E402

RUNS = {}
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}


def run_of(name):
    """The machine after a scenario's run with the first seed."""
    if name not in RUNS:
        RUNS[name] = SCENARIOS[name].run(1, 1.0)
    return RUNS[name]


def small_machine(**settings):
    """A machine with one thread and one device."""
    machine = Machine(Draws(3, "small"), **settings)
    return machine, machine.thread("python3"), machine.device(0, us(1))


def busy_from_to(machine):
    """The time from the first work of the first device to its last."""
    ledger = ledgers(machine, part_of(machine))[0]
    return ledger.busy[-1][1] - ledger.busy[0][0]


def sums_of(machine):
    """Causes of the first device over the whole run."""
    machine.close()
    ledger = ledgers(machine, part_of(machine))[0]
    return ledger.sums((ledger.busy[0][0], ledger.busy[-1][1]))


def perfect(row):
    """The answer that the label asks for."""
    devices, shares = [], {}
    for device in row["devices"]:
        causes = [{"cause": cause, "ns": ns, "gaps": 1, "longest_ns": ns, "at": ""} for cause, ns in device["causes"].items()]
        devices.append({key: device[key] for key in ("device", "span_ns", "work_ns", "idle_ns")})
        devices[-1]["causes"] = causes
        for cause, share in device["share_of_part"].items():
            if share > shares.get(cause, (0, 0))[0]:
                shares[cause] = (share, device["causes"][cause])
    notes = ("not_attributable", "no_requests", "profiler")
    rules = [c for c, (share, _) in shares.items() if share >= 0.05 and c not in (*notes, *row["once"], *row["must_not"])]
    rules = sorted(set(rules) | set(row["findings"]), key=lambda rule: (rule != row["top"], rule != "not_recorded"))
    findings = []
    for rule in rules:
        share, ns = shares.get(rule, (0.3, 0))
        severity = "note" if rule in notes or share < 0.1 else "warning" if share < 0.2 else "critical"
        ns = 0 if rule in notes else ns
        findings.append({"rule": rule, "severity": severity, "share": share, "saves_ns": ns, "once": False})
    findings += [{"rule": rule, "severity": "note", "share": 0.1, "saves_ns": 1, "once": True} for rule in row["once"]]
    wanted = ([row["top"]] if row["top"] else row["once"] or row["findings"]) + [None]
    for finding in findings:
        finding["sentence"] = ""
        if finding["rule"] == wanted[0] and finding["once"] == (not row["top"] and bool(row["once"])):
            says = dict(row["says"])
            reasons = says.pop("reason", ())
            finding.update(says, sentence=reasons if isinstance(reasons, str) else ", ".join(reasons))
    unused = [{"device": number} for number in row["unused"]]
    hosts = [dict({key: host[key] for key in ("span_ns", "work_ns", "idle_ns")}, device=1,
                  causes=[{"cause": cause, "ns": ns} for cause, ns in host["causes"].items()]) for host in row["hosts"]]
    return {"hosts": hosts, "devices": devices, "findings": findings, "steps_by_kind": row["steps"] or {}, "unused_devices": unused}


class Laws(unittest.TestCase):
    """What holds in every run."""

    def test_there_are_enough_scenarios(self):
        healthy = [s for s in SCENARIOS.values() if s.top is None]
        self.assertGreaterEqual(len(SCENARIOS), 300)
        self.assertGreaterEqual(len(healthy), 113)
        # What the first finding must say: when, why, of which device, how bad.
        for key, number in (("when", 35), ("reason", 18), ("device", 3), ("severity", 1)):
            stated = [name for name, s in SCENARIOS.items() if key in s.says or key in run_of(name).says]
            self.assertGreaterEqual(len(stated), number, key)
        tops = {s.top for s in SCENARIOS.values()}
        self.assertEqual(set(CAUSES) - {"not_attributable", "no_requests", "profiler"} - tops, set())
        for rule in set(SHOWS) | {"allocator_retries", "no_requests", "not_attributable"}:
            self.assertTrue(any(rule in s.findings for s in SCENARIOS.values()), rule)
            self.assertTrue(any(rule in s.must_not for s in SCENARIOS.values()), rule)

    def test_every_idle_nanosecond_has_one_owner(self):
        for name in SCENARIOS:
            machine = run_of(name)
            part = part_of(machine)
            for ledger in (one for one in ledgers(machine, part) if one.works):
                pieces = sorted(ledger.pieces)
                for (_, end, _), (start, _, _) in zip(pieces, pieces[1:]):
                    self.assertLessEqual(end, start, name)
                idle = without([part], ledger.busy)
                self.assertEqual(union((a, b) for a, b, _ in pieces), union(idle), name)
                self.assertEqual(sum(ledger.sums().values()), length(idle), name)
                self.assertLessEqual(set(ledger.sums()), set(CAUSES), name)

    def test_activities_nest(self):
        for name in SCENARIOS:
            for thread in run_of(name).threads:
                open_ = []
                for activity in thread.activities:
                    while open_ and open_[-1].end <= activity.start:
                        open_.pop()
                    if open_:
                        self.assertLessEqual(activity.end, open_[-1].end, name)
                    self.assertLessEqual(activity.start, activity.end, name)
                    open_.append(activity)

    def test_streams_keep_their_order(self):
        for name in SCENARIOS:
            for device in run_of(name).devices:
                streams = {}
                for work in device.works:
                    before = streams.get(work.stream)
                    if before is not None:
                        self.assertGreaterEqual(work.start, before.start, name)
                        if name != "dependent_launches":
                            self.assertGreaterEqual(work.start, before.end, name)
                    self.assertGreaterEqual(work.start, work.call.start, name)
                    if name != "empty_kernels_in_a_gap":
                        self.assertGreater(work.end, work.start, name)
                    streams[work.stream] = work

    def test_a_call_that_waits_returns_after_the_work(self):
        for name in SCENARIOS:
            for device in run_of(name).devices:
                for work in device.works:
                    if work.call.blocks:
                        self.assertGreaterEqual(work.call.end, work.end, name)

    def test_other_seeds_and_scales_fit_their_scenarios(self):
        for seed, scale in ((2, 0.4), (3, 1.7)):
            for scenario in SCENARIOS.values():
                label(scenario, scenario.run(seed, scale))

    def test_a_cause_is_what_the_run_without_it_saves(self):
        for name in ("loader_inline_cuda", "synchronize_then_python_rocm", "allocations_paddle", "collections_cuda", "lazy_loading",
                     "operator_on_the_host_cuda", "small_operators_late_rocm", "python_between_steps_cuda", "slow_to_begin",
                     "graph_with_holes_cuda", "two_devices_alternate", "checkpoint_of_paddle_paddle"):
            scenario = SCENARIOS[name]
            machine, without_cause = run_of(name), scenario.run(1, 1.0, scenario.top)
            charged = sums_of(machine)[scenario.top]
            saved = busy_from_to(machine) - busy_from_to(without_cause)
            self.assertLess(abs(saved / charged - 1), 0.08, name)


class SmallRuns(unittest.TestCase):
    """Gaps small enough to be worked out by hand."""

    def test_a_loader_on_an_idle_device(self):
        machine, main, device = small_machine()
        stream = device.stream(7)
        calls.launch(main, stream, "a", us(50))
        main.busy("range", "load", us(900), "data_loading")
        b = calls.launch(main, stream, "b", us(50))
        a = device.works[0]
        sums = sums_of(machine)
        self.assertEqual(sum(ns for ns in sums.values()), b.start - a.end)
        loader = [x for x in main.activities if x.cause == "data_loading"][0]
        # The first work came as long after its call: at that distance the device follows the host.
        lag = min(a.start - a.call.end, b.start - b.call.end)
        self.assertEqual(sums.get("launch_delay", 0), b.start - b.call.end - lag)
        self.assertEqual(sums["data_loading"], loader.end + lag - a.end)
        self.assertEqual(sums["launch_bound"], b.call.end - b.call.start)

    def test_the_drain_ends_with_the_first_launch_and_with_the_wait(self):
        for script, wanted in ((us(60), us(60)), (us(5000), None)):
            machine, main, device = small_machine(stacks=True)
            stream = device.stream(7)
            calls.launch(main, stream, "a", us(400))
            wait = calls.synchronize(main, device)
            main.script("train.py(9): log", script)
            b = calls.launch(main, stream, "b", us(50))
            sums = sums_of(machine)
            tail = wait.end - device.works[0].end
            if wanted:
                self.assertEqual(sums["blocking_sync"], tail + wanted + b.call.end - b.call.start)
                self.assertNotIn("host_python", sums)
            else:
                self.assertEqual(sums["blocking_sync"], tail + wait.end - wait.start)
                self.assertEqual(sums["host_python"], script - (wait.end - wait.start))

    def test_a_device_that_follows_the_host(self):
        machine, main, device = small_machine()
        stream = device.stream(7)
        for _ in range(30):
            with main.inside("operator", "aten::add"):
                main.spend(us(20))
                calls.launch(main, stream, "k", us(4), latency=us(9))
        sums = sums_of(machine)
        self.assertGreater(sums["launch_bound"], 30 * us(12))
        self.assertLess(sums["launch_delay"], 0.06 * sums["launch_bound"])

    def test_an_operator_computes_before_its_launch(self):
        for ns, cause in ((us(150), "launch_bound"), (us(900), "cpu_operator")):
            machine, main, device = small_machine()
            stream = device.stream(7)
            calls.launch(main, stream, "a", us(20))
            with main.inside("operator", "slice_grad"):
                main.spend(us(10))
                main.compute(ns)
                calls.launch(main, stream, "b", us(20))
            sums = sums_of(machine)
            self.assertGreater(sums[cause], ns - us(30))
            self.assertEqual("cpu_operator" in sums, cause == "cpu_operator")
            self.assertFalse([a for a in main.activities if a.kind == "compute" and a.is_recorded])

    def test_a_long_function_is_not_in_the_drain(self):
        for ns, cause in ((us(60_000), "blocking_sync"), (us(120_000), "host_python")):
            machine, main, device = small_machine(stacks=True)
            stream = device.stream(7)
            calls.launch(main, stream, "a", us(200_000))
            calls.synchronize(main, device)
            main.script("train.py(9): report", ns)
            calls.launch(main, stream, "b", us(50))
            self.assertGreaterEqual(sums_of(machine)[cause], ns)

    def test_work_of_no_time_splits_a_gap(self):
        machine, main, device = small_machine()
        calls.launch(main, device.stream(7), "a", us(20))
        main.busy("range", "load", us(500), "data_loading")
        calls.launch(main, device.stream(9), "empty", 0)
        main.busy("range", "load", us(500), "data_loading")
        calls.launch(main, device.stream(7), "b", us(20))
        machine.close()
        self.assertEqual(len(ledgers(machine, part_of(machine))[0].gaps), 3)

    def test_a_server_waits_for_requests_if_no_thread_works(self):
        for works in (False, True):
            machine, main, device = small_machine(stacks=True)
            other = machine.thread("tokenizer")
            calls.launch(main, device.stream(7), "a", us(20))
            other.until(main.now)
            if works:
                other.script("tokenize", us(2000))
            main.busy("wait", "queue.py(154): get", us(2000), "no_requests")
            calls.launch(main, device.stream(7), "b", us(20))
            self.assertEqual("no_requests" in sums_of(machine), not works)

    def test_the_host_alone(self):
        machine, main, _ = small_machine(stacks=True)
        with main.inside("step", "ProfilerStep#1"):
            main.busy("operator", "aten::mm", us(900))
            main.busy("range", "load", us(500), "data_loading")
            main.busy("operator", "aten::mm", us(700))
            main.spend(us(300))
        machine.close()
        host = HostLedger(machine, labels.run_of(machine))
        self.assertEqual(length(host.busy), us(1600))
        self.assertEqual(host.sums(), {"data_loading": us(500), "host_python": us(300)})

    def test_a_queue_has_its_depth(self):
        machine = Machine(Draws(1, "depth"))
        main, device = machine.thread("python3"), machine.device(0, us(1), depth=4)
        for _ in range(40):
            calls.launch(main, device.stream(7), "k", us(100))
        for number, work in enumerate(device.works[4:], 4):
            self.assertGreaterEqual(work.call.end, device.works[number - 4].end)

    def test_lost_records_need_200_us_under_a_wait(self):
        for ns, is_seen in ((us(150), False), (us(800), True)):
            machine, main, device = small_machine()
            stream = device.stream(7)
            calls.launch(main, stream, "a", us(50))
            with machine.losing():
                calls.launch(main, stream, "lost", ns)
            calls.synchronize(main, device)
            calls.launch(main, stream, "b", us(50))
            self.assertEqual("not_recorded" in sums_of(machine), is_seen)

    def test_ranges(self):
        self.assertEqual(union([(5, 7), (1, 3), (3, 4)]), [(1, 4), (5, 7)])
        self.assertEqual(without([(0, 10)], [(2, 3), (8, 20)]), [(0, 2), (3, 8)])
        self.assertEqual(common([(0, 10)], [(2, 3), (8, 20)]), [(2, 3), (8, 10)])


class Files(unittest.TestCase):
    """What is written."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name)
        cls.labels = generate(cls.out)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def read(self, name):
        """The decoded trace."""
        data = (self.out / self.labels[name]["file"]).read_bytes()
        return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data, parse_float=Decimal)

    @staticmethod
    def times(event):
        """Start and end of an event, ns."""
        args = event.get("args") or {}
        if "start_time" in args:
            return tuple(int(Decimal(args[key].split()[0]) * 1000) for key in ("start_time", "end_time"))
        start = round(Decimal(event["ts"]) * 1000)
        return start, start + round(Decimal(event["dur"]) * 1000)

    def test_files_hold_the_work_and_the_part_of_their_labels(self):
        for name, row in self.labels.items():
            trace = self.read(name)
            slices = [e for e in trace["traceEvents"] if e["ph"] == "X" and e["cat"] != "Trace"]
            times = [self.times(e) for e in slices]
            span = max(end for _, end in times) - min(start for start, _ in times)
            self.assertEqual(span, row["part"]["end_ns"] - row["part"]["start_ns"], name)
            for device in row["devices"]:
                work = [self.times(e) for e in slices if e["cat"] in DEVICE and e["args"]["device"] == device["device"]]
                zero = min(start for start, _ in times) - row["part"]["start_ns"]
                run = (row["run"]["start_ns"] + zero, row["run"]["end_ns"] + zero)
                self.assertEqual(length(common(union(work), [run])), device["work_ns"], name)

    def test_work_is_linked_to_its_call(self):
        for name in ("plain_training_cuda", "plain_training_rocm", "plain_training_paddle"):
            events = self.read(name)["traceEvents"]
            key = "correlation id" if name.endswith("paddle") else "correlation"
            called = {e["args"][key] for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver", "CudaRuntime")}
            worked = [e["args"][key] for e in events if e.get("cat") in DEVICE]
            self.assertTrue(worked and set(worked) <= called, name)

    def test_flows_go_from_calls_to_their_work(self):
        for name in ("plain_training_cuda", "graph_all_recorded_rocm", "launched_before_the_window", "loader_before_2022"):
            events = self.read(name)["traceEvents"]
            calls_at = {(e["args"]["correlation"], e["ts"]) for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver", "Runtime")}
            numbers = {number for number, _ in calls_at}
            work = [(e["args"]["correlation"], e["ts"]) for e in events if e.get("cat") in DEVICE]
            linked = [row for row in work if row[0] in numbers]
            starts = {(e["id"], e["ts"]) for e in events if e["ph"] == "s"}
            self.assertEqual(sorted((e["id"], e["ts"]) for e in events if e["ph"] == "f"), sorted(linked), name)
            self.assertTrue(starts and starts <= calls_at, name)
            self.assertEqual({number for number, _ in starts}, {number for number, _ in linked}, name)
            self.assertEqual(len(linked) < len(work), name == "launched_before_the_window", name)

    def test_the_same_seed_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            names = ("loader_inline_cuda", "serving_for_long", "allocations_paddle", "lost_graph_rocm")
            for name in names:
                generate(folder, only=name)
                first, second = self.out / self.labels[name]["file"], Path(folder) / self.labels[name]["file"]
                self.assertEqual(first.read_bytes(), second.read_bytes())
                other = generate(folder, seed=2, only=name)[name]
                self.assertNotEqual(first.read_bytes(), (Path(folder) / other["file"]).read_bytes())

    def test_traces_are_small(self):
        events = sorted(row["events"] for row in self.labels.values())
        self.assertLess(events[len(events) // 2], 2000)

    def test_check_accepts_right_answers_and_refuses_wrong_ones(self):
        answers = {name: perfect(row) for name, row in self.labels.items()}
        (self.out / "answers.json").write_text(json.dumps(answers))
        stub = self.out / "stub"
        stub.write_text("#!%s\nimport json, os, sys\nname = os.path.basename(sys.argv[-1]).split('.')[0]\n"
                        "print(json.dumps(json.load(open(os.path.join(os.path.dirname(sys.argv[-1]), 'answers.json')))[name]))\n" % sys.executable)
        os.chmod(stub, 0o755)
        command = [sys.executable, str(HERE / "check.py"), str(stub), str(self.out), "--only"]
        right = subprocess.run(command + ["loader_inline_cuda"], stdout=subprocess.PIPE, check=False)
        self.assertEqual(right.returncode, 0, right.stdout.decode())
        answers["loader_inline_cuda"]["findings"] = []
        (self.out / "answers.json").write_text(json.dumps(answers))
        wrong = subprocess.run(command + ["loader_inline_cuda"], stdout=subprocess.PIPE, check=False)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn(b"data_loading is missing", wrong.stdout)
        self.assertEqual(subprocess.run(command[:2] + ["/nonexistent"] + command[3:] + ["loader_inline_cuda"], stdout=subprocess.PIPE,
                                        check=False).returncode, 1)


class Judgement(unittest.TestCase):
    """Right and wrong answers, made by hand from labels."""

    def row(self, name):
        """The label of a scenario."""
        return label(SCENARIOS[name], run_of(name))

    def wrong(self, name, change):
        """What is said of the perfect answer after `change`."""
        row = self.row(name)
        answer = copy.deepcopy(perfect(row))
        change(answer)
        return "; ".join(judge(row, answer).wrong)

    def test_perfect_answers_are_right(self):
        for name in SCENARIOS:
            verdict = judge(self.row(name), perfect(self.row(name)))
            self.assertEqual(verdict.wrong, [], name)
            self.assertEqual(verdict.got, verdict.expected, name)

    def test_sums(self):
        def spoil(key, by):
            def change(answer):
                answer["devices"][0][key] += by
            return change
        self.assertIn("causes sum to", self.wrong("loader_inline_cuda", spoil("idle_ns", 1)))
        self.assertIn("work_ns + idle_ns", self.wrong("loader_inline_cuda", spoil("work_ns", -1)))

        def longer(answer):
            for key in ("span_ns", "work_ns"):
                answer["devices"][0][key] += 9000
        self.assertIn("span_ns is", self.wrong("loader_inline_cuda", longer))

    def test_two_points_of_idle(self):
        def moved(points):
            def change(answer):
                row = answer["devices"][0]
                ns = round(row["idle_ns"] * points / 100)
                by = {entry["cause"]: entry for entry in row["causes"]}
                by["data_loading"]["ns"] -= ns
                row["causes"].append({"cause": "host_python", "ns": ns})
            return change
        self.assertEqual(self.wrong("loader_inline_cuda", moved(1.5)), "")
        self.assertIn("data_loading differs", self.wrong("loader_inline_cuda", moved(3)))

    def test_little_idle_time_is_judged_by_the_part(self):
        def change(answer):
            row = answer["devices"][0]
            row["causes"] = [{"cause": "launch_bound", "ns": row["idle_ns"]}]
        self.assertEqual(self.wrong("dependent_launches", change), "")
        self.assertIn("differs", self.wrong("plain_training_cuda", change))

    def test_findings(self):
        def put(rule, severity, share=0.3, at=0):
            return lambda answer: answer["findings"].insert(at, {"rule": rule, "severity": severity, "share": share, "saves_ns": 1, "once": False})
        self.assertIn("warns of host_python", self.wrong("plain_training_cuda", put("host_python", "warning", 0.12)))
        self.assertIn("host_python must not", self.wrong("plain_training_cuda", put("host_python", "note", 0.06)))
        self.assertIn("checkpoint must not", self.wrong("recompute_and_compiled_names", put("checkpoint", "note", 0.06, 9)))
        self.assertIn("compile is first", self.wrong("loader_inline_cuda", put("compile", "critical")))
        self.assertIn("not_recorded is not first", self.wrong("loader_inline_cuda", put("not_recorded", "note", 0, 9)))
        self.assertIn("profiler's own time", self.wrong("flush_in_the_middle", put("profiler", "warning")))
        self.assertEqual(self.wrong("flush_in_the_middle", put("profiler", "note", 0.08)), "")
        self.assertIn("small_kernels is missing", self.wrong(
            "small_operators_cuda", lambda answer: answer["findings"].__delitem__([f["rule"] for f in answer["findings"]].index("small_kernels"))))

    def says(self, name, **fields):
        """What is said of an answer whose finding that the label speaks of has other fields."""
        row = self.row(name)
        rule, is_once = (row["top"], False) if row["top"] else (row["once"][0], True)

        def change(answer):
            found = [f for f in answer["findings"] if f["rule"] == rule and f["once"] == is_once]
            found[0].update(fields)
        return self.wrong(name, change)

    def test_when_a_finding_shows(self):
        self.assertEqual(self.says("pause_in_one_step_cuda", when="step 7"), "")
        self.assertIn("host_python is when: every step, not step 7", self.says("pause_in_one_step_cuda", when="every step"))
        self.assertIn("when: step 8, not every 3rd", self.says("collection_in_every_third_step", when="step 8"))
        self.assertIn("when: None, not first step", self.says("compiled_in_the_first_step", when=None))
        # Scenarios that state nothing are not compared.
        self.assertEqual(self.says("loader_inline_cuda", when="once"), "")

    def test_a_predicted_gain(self):
        label = {"top": "blocking_copy", "gain_ns": 40, "devices": [{"span_ns": 100}]}
        found = [{"rule": "blocking_copy", "likely_ns": 30}, {"rule": "exposed_copy", "saves_ns": 5}]
        self.assertAlmostEqual(headroom(label, {"findings": found}), -0.05)
        self.assertIsNone(headroom(label, {"findings": found[1:]}))
        self.assertIsNone(headroom({**label, "gain_ns": None}, {"findings": found}))

    def test_reasons(self):
        self.assertEqual(self.says("frame_around_small_operators", sentence="dispatch: detect.py(77): normalize_boxes"), "")
        self.assertIn("does not name normalize_boxes", self.says("frame_around_small_operators", sentence="aten::slice 29 %, aten::narrow 22 %"))
        self.assertIn("does not name zoom", self.says("library_in_a_function_of_the_script", sentence="preprocess"))

    def test_the_device_and_the_severity_of_a_finding(self):
        self.assertEqual(self.says("loader_of_one_device", device="GPU 1"), "")
        self.assertIn("of device GPU 0, not 1", self.says("loader_of_one_device", device="GPU 0"))
        self.assertIn("of device GPU 1, not None", self.says("script_holds_up_both_devices", device="GPU 1"))
        self.assertIn("severity: note, not critical", self.says("host_in_one_slow_operator", severity="note"))

    def test_hosts(self):
        def less(answer):
            answer["hosts"][0]["work_ns"] -= 2_000_000
            answer["hosts"][0]["span_ns"] -= 2_000_000
        self.assertIn("work_ns is", self.wrong("host_runs_python", less))
        self.assertIn("0 hosts, not 1", self.wrong("host_runs_python", lambda answer: answer["hosts"].clear()))
        self.assertIn("1 hosts, not 0", self.wrong("loader_inline_cuda", lambda answer: answer["hosts"].append({})))

        def other(answer):
            answer["hosts"][0]["causes"] = [{"cause": "data_loading", "ns": answer["hosts"][0]["idle_ns"]}]
        self.assertIn("host_python differs", self.wrong("host_runs_python", other))

    def test_notes_save_nothing(self):
        def change(answer):
            for finding in answer["findings"]:
                finding["saves_ns"] = 1000
        self.assertIn("no_requests saves 1000 ns", self.wrong("server_waits_in_a_queue", change))

    def test_severity_follows_the_share(self):
        def change(answer):
            answer["findings"][0]["severity"] = "note"
        self.assertIn("severity note", self.wrong("loader_inline_cuda", change))

    def test_unknown_time(self):
        def change(answer):
            row = answer["devices"][0]
            row["causes"] = [{"cause": "not_attributable", "ns": row["idle_ns"]}]
        self.assertIn("is not attributable", self.wrong("loader_inline_cuda", change))
        self.assertNotIn("is not attributable", self.wrong("thread_without_records", change))

    def test_devices_and_steps(self):
        self.assertIn("device 1 is missing", self.wrong("two_devices_alternate", lambda answer: answer["devices"].pop()))

        def change(answer):
            answer["steps_by_kind"]["decode"]["steps"] += 1
        self.assertIn("steps of kind decode", self.wrong("sglang_nested_rocm", change))

    def test_no_answer_and_nonsense(self):
        row = self.row("loader_inline_cuda")
        self.assertEqual(judge(row, None).wrong, ["no answer"])
        self.assertIn("not of the form", judge(row, {"devices": [{}]}).wrong[0])

    def test_confusion_counts_all(self):
        verdicts = {name: judge(self.row(name), perfect(self.row(name))) for name in ("loader_inline_cuda", "plain_training_cuda")}
        verdicts["plain_training_cuda"].got = "data_loading"
        self.assertIn("1 of 2 have the expected", confusion(verdicts))


if __name__ == "__main__":
    unittest.main()
