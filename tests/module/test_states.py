"""Schedules: what they are made of, and which state a step has; held to Paddle's, where its recorded runs are at hand."""
import json
import os
import unittest
import warnings
from enum import Enum

from runs import Case

import proftui
from proftui.states import ProfilerAction, ProfilerState, scheduler_of, state_of

ORACLES = os.path.join(os.environ.get("PROFTUI_ORACLES", ""), "paddle/scheduler")


def oracle(name):
    if not os.path.isdir(ORACLES):
        raise unittest.SkipTest("no recorded runs")
    with open(os.path.join(ORACLES, name)) as file:
        return json.load(file)


def quietly(make, *args, **keys):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        return make(*args, **keys), len(caught)


def numbers(schedule, count):
    return [schedule(step).value for step in range(count)]


class States(Case):
    def test_cycles_repeat_and_end(self):
        schedule = proftui.make_scheduler(closed=1, ready=1, record=2, repeat=2, skip_first=1)
        self.assertEqual(numbers(schedule, 11), [0, 0, 1, 2, 3, 0, 1, 2, 3, 0, 0])
        schedule = proftui.schedule(wait=2, warmup=1, active=1, skip_first=1, skip_first_wait=1)
        self.assertEqual(numbers(schedule, 7), [0, 1, 3, 0, 0, 1, 3])
        self.assertIs(schedule(2), ProfilerAction.RECORD_AND_SAVE)

    def test_every_recorded_schedule(self):
        cases = oracle("make_scheduler.json")
        for case in cases:
            keys = ("closed", "ready", "record", "repeat", "skip_first")
            schedule, warned = quietly(proftui.make_scheduler, **{key: case[key] for key in keys})
            self.assertEqual((numbers(schedule, len(case["states"])), warned), (case["states"], case["warns"]), case)
        self.assertGreaterEqual(len(cases), 200)

    def test_every_recorded_pair_and_every_refusal(self):
        cases = oracle("tuple_scheduler.json")
        for case in cases["tuples"]:
            schedule, _ = quietly(scheduler_of, case["tuple"])
            self.assertEqual(numbers(schedule, len(case["states"])), case["states"], case)
        for given, what in cases["invalid"]:
            with self.assertRaises(AssertionError) as raised:
                scheduler_of(given) if isinstance(given, list) else proftui.make_scheduler(**given)
            text = what.split(": ", 1)[1]
            self.assertIn(text, str(raised.exception))

    def test_states_of_others_count_by_their_numbers(self):
        class Theirs(Enum):
            RECORD_AND_SAVE = 3

        for given in (Theirs.RECORD_AND_SAVE, ProfilerState.RECORD_AND_RETURN, 3):
            self.assertIs(state_of(given), ProfilerState.RECORD_AND_RETURN)

    def test_every_recorded_sequence_of_states_in_one_process(self):
        cases = [case for case in oracle("transitions.json")]
        with open(self.path("work", "cases.json"), "w") as file:
            json.dump([case["states"] for case in cases], file)
        script = """
        import json, warnings
        logs = []
        for names in json.load(open("cases.json")):
            states, log = [ProfilerState[name] for name in names], []
            on_ready = lambda prof: log.append("on_trace_ready@step_num=%d" % prof.step_num)
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                prof = Profiler(scheduler=lambda step: states[step], on_trace_ready=on_ready)
                prof.start()
                log.append("|start() done")
                for name in names[1:]:
                    prof.step()
                    log.append("|step() -> " + name)
                prof.stop()
                log.append("|stop() done")
            logs.append([log, [str(warning.message) for warning in warned]])
        json.dump(logs, open("logs.json", "w"))
        """
        self.run_script(script)
        with open(self.path("work", "logs.json")) as file:
            logs = json.load(file)
        tracer = ("prepare", "start", "stop")
        for case, (log, warned) in zip(cases, logs):
            self.assertEqual(log, [line for line in case["log"] if line not in tracer], case)
            # Where Paddle says that it loses a cycle, nothing is lost here, and that is said.
            kept = ["RECORD->" if "RECORD->" in line else line for line in case["warnings"]]
            self.assertEqual(["RECORD->" if "RECORD->" in line else line for line in warned], kept, case)
        self.assertEqual(len(logs), len(cases))
        self.assert_nothing_left()
