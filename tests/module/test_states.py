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

    def test_the_program_and_the_recorder_know_the_same_rule(self):
        script = """
        import itertools, json
        numbers = itertools.product((0, 1, 3), (0, 2), (1, 2), (0, 2), (0, 1, 5))
        keys = "closed", "ready", "record", "repeat", "skip_first"
        all = [dict(zip(keys, some)) for some in numbers]
        states = lambda: [[make(step).value for step in range(40)] for make in map(schedule_of, all)]
        import warnings; warnings.simplefilter("ignore")
        schedule_of = lambda some: make_scheduler(**some)
        before = states()
        assert "_proftui" not in sys.modules
        with Profiler(scheduler=make_scheduler(closed=1, ready=1, record=1), on_trace_ready=print):
            assert "_proftui" in sys.modules and states() == before
        huge = make_scheduler(closed=10**30, ready=10**30, record=1)
        print([huge(step).value for step in (0, 10**9)], len(all), sorted({len(set(one)) for one in before}))
        """
        self.assertEqual(self.run_script(script), "[0, 0] 72 [1, 2, 3, 4]\n")
        self.assert_nothing_left()

    def test_without_the_program_all_steps_are_closed(self):
        script = "scheduler = make_scheduler(closed=0, ready=1, record=1)\nprint(set(scheduler(step).value for step in range(2000)))"
        said = "proftui: nothing is recorded: cannot run /no/such: No such file or directory\n"
        self.assertEqual(self.run_script(script, said=said, PROFTUI_BIN="/no/such"), "{0}\n")

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
