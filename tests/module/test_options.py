"""What each profiler of a process records: what it was asked for, one after the other and one within another."""
import textwrap

from runs import Case

HEAD = """
CPU = [ProfilerTarget.CPU]
def record(**options):
    with Profiler(on_trace_ready=lambda prof: None, **options) as prof:
        pass
    return prof
"""


class Sequence(Case):
    def printed(self, script, **more):
        """The words that it prints."""
        return " ".join(self.run_script(HEAD + textwrap.dedent(script), **more).split())

    def test_each_records_the_operators_that_it_asks_for(self):
        script = """
        record(targets=CPU, timer_only=True)
        import torch
        for options in ({"timer_only": True}, {}, {"record_shapes": True}, {"with_flops": True}, {}, {"timer_only": True}):
            print("|")
            record(targets=CPU, **options)
        """
        full = "prepare +profile metadata %s 1 -profile"
        parts = ["", "", "+itt -itt", full % "record_shapes", full % "with_flops", "+itt -itt", ""]
        self.assertEqual([part.strip() for part in self.printed(script).split("|")], parts)

    def test_pytorchs_stacks_and_memory_come_with_the_profiler_that_asks(self):
        script = """
        import torch
        for options in ({}, {"with_stack": True}, {"profile_memory": True}):
            print("|")
            with profile(activities=[ProfilerActivity.CPU], **options):
                pass
        """
        parts = ["", "prepare +profile -profile"]
        parts += ["prepare +profile metadata %s 1 -profile" % name for name in ("with_stack", "profile_memory")]
        self.assertEqual([part.strip() for part in self.printed(script).split("|")], parts)

    def test_processes_that_begin_later_have_the_options_of_the_present_profiler(self):
        script = """
        record(targets=CPU, timer_only=True)
        from _proftui_shim import arming
        for options in ({"record_shapes": True}, {"record_shapes": True}, {"targets": CPU}):
            record(**options)
            found = arming._options()
            print([found[key] for key in ("schedule", "ops", "ops_asks", "device")])
        """
        full, light = "['manual', 'full', 'shapes', '']", "['manual', 'light', '', 'off']"
        self.assertEqual(self.printed(script), " ".join((full, full, light)))

    def test_a_framework_that_was_imported_before_has_its_operators_recorded(self):
        script = """
        import torch
        prof = record(targets=CPU)
        prof.export("t.json")
        """
        self.assertEqual(self.printed(script), "prepare +profile -profile")
        with open(self.path("work", "t.json")) as file:
            self.assertIn("PyTorch was imported before the first profiler began", file.read())

    def test_paddles_timer_comes_before_its_operators(self):
        script = """
        import paddle
        for options in ({"timer_only": True}, {}, {"record_shapes": True, "profile_memory": True}):
            print("|")
            record(targets=CPU, **options)
        """
        parts = ["", "", "prepare +host -host", "prepare +memory +host -host -memory"]
        self.assertEqual([part.strip() for part in self.printed(script).split("|")], parts)

    def test_gpus_are_asked_for_by_the_first_profiler_that_wants_them(self):
        script = """
        names = "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"
        record(timer_only=True)
        for targets in (CPU, None, CPU):
            prof = record(targets=targets)
            print([os.path.basename(os.environ.get(name, "")) for name in names] if targets else "all")
        """
        agent = "libproftui_agent.so"
        self.assertEqual(self.printed(script), "['', ''] all ['%s', '%s']" % (agent, agent))

    def test_an_outer_profiler_that_records_goes_on_and_the_inner_one_says_that_it_does_not(self):
        said = "proftui: another profiler records in this process: this one records nothing\n"
        out = self.printed("""
        with Profiler(on_trace_ready=lambda prof: prof.export("outer.pb", "pb")):
            work("before")
            inner = record(record_shapes=True)
            print(inner.profiler_result)
            work("after")
        """, said=said)
        self.assertEqual(out, "None")
        (step,) = self.nodes("outer.pb")
        self.assertEqual([node.name for node in step.children_node], ["before", "after"])

    def test_an_outer_profiler_that_does_not_record_waits_for_the_inner_one(self):
        out = self.printed("""
        record(targets=CPU, timer_only=True)
        import torch
        ready = lambda prof: prof.export("outer.pb", "pb")
        with Profiler(scheduler=(3, 5), record_shapes=True, targets=CPU, on_trace_ready=ready) as outer:
            outer.step()
            print("|")
            record(targets=CPU).export("inner.pb", "pb")
            print("|")
            for at in range(4):
                work("in %d" % at)
                outer.step()
            print("|", outer.step_num)
        """)
        full = "prepare +profile metadata record_shapes 1 -profile"
        self.assertEqual([part.strip() for part in out.split("|")], ["", "+itt -itt", full, "5"])
        self.assertEqual((self.steps("inner.pb"), self.steps("outer.pb")), ([0], [3, 4]))

    def test_steps_that_an_outer_profiler_misses_are_named(self):
        said = "proftui: a profiler within another one records: the outer one records only from its end on\n"
        self.printed("""
        with Profiler(scheduler=lambda step: 2 * (0 < step < 4), on_trace_ready=print) as outer:
            inner = Profiler(on_trace_ready=lambda prof: prof.export("inner.pb", "pb"))
            inner.start()
            outer.step()
            outer.step()
            inner.stop()
            outer.step()
            outer.step()
            outer.export("outer.pb", "pb")
        """, said=said, PYTHONWARNINGS="ignore")
        self.assertEqual((self.steps("inner.pb"), self.steps("outer.pb")), ([0], [2, 3]))

    def test_one_that_only_takes_the_time_lets_another_one_record(self):
        self.printed("""
        with Profiler(timer_only=True) as outer:
            outer.step()
            with Profiler(on_trace_ready=lambda prof: prof.export("inner.pb", "pb")):
                work("within")
            outer.step()
        """)
        (step,) = self.nodes("inner.pb")
        self.assertEqual([node.name for node in step.children_node], ["within"])

    def test_one_that_was_dropped_while_it_ran_leaves_the_next_one_its_own_options(self):
        script = """
        import gc
        record(targets=CPU, timer_only=True)
        import torch
        def drop():
            prof = Profiler(targets=CPU, on_trace_ready=print)
            prof.start()
        drop()
        gc.collect()
        print("|")
        record(targets=CPU, record_shapes=True).export("next.pb", "pb")
        """
        parts = ["+itt", "-itt prepare +profile metadata record_shapes 1 -profile"]
        self.assertEqual([part.strip() for part in self.printed(script).split("|")], parts)
        self.assertEqual(self.steps("next.pb"), [0])

    def test_after_an_inner_one_that_was_dropped_the_outer_one_records_its_steps(self):
        self.printed("""
        import gc
        states = [0, 0, 2, 3, 0]
        ready = lambda prof: prof.export("outer.pb", "pb")
        with Profiler(scheduler=lambda step: states[min(step, 4)], on_trace_ready=ready) as outer:
            def drop():
                inner = Profiler(on_trace_ready=print)
                inner.start()
            drop()
            gc.collect()
            for at in range(5):
                work("in %d" % at)
                outer.step()
        """)
        steps = self.nodes("outer.pb")
        self.assertEqual(self.steps("outer.pb"), [2, 3])
        self.assertEqual([node.name for step in steps for node in step.children_node], ["in 2", "in 3"])

    def test_the_runs_options_are_those_of_the_process_that_began_it(self):
        script = """
        CPU = [ProfilerTarget.CPU]
        def record(**options):
            with Profiler(on_trace_ready=lambda prof: None, targets=CPU, **options):
                pass
        def child():
            record(record_shapes=True)
        def asks():
            with open(os.environ["PROFTUI_RUN"] + "/options") as file:
                return [line for line in file.read().split("\\n") if line.startswith("ops_asks=")]
        if __name__ == "__main__":
            import multiprocessing
            record()
            for way in ("fork", "spawn"):
                process = multiprocessing.get_context(way).Process(target=child)
                process.start(), process.join()
                print(process.exitcode, asks())
            record(profile_memory=True)
            print(asks(), sorted(name for name in os.listdir(os.environ["PROFTUI_RUN"]) if "options" in name))
        """
        out = self.run_script(script)
        same = "0 ['ops_asks=']"
        self.assertEqual(out.splitlines(), [same, same, "['ops_asks=memory'] ['options']"])

    def test_a_process_that_was_spawned_has_the_options_of_its_own_profiler(self):
        script = HEAD + textwrap.dedent("""
        def child():
            import torch
            print("|", flush=True)
            record(targets=CPU, record_shapes=True)
            print("|", flush=True)
        if __name__ == "__main__":
            import multiprocessing
            sys.stdout.flush()
            record(targets=CPU)
            process = multiprocessing.get_context("spawn").Process(target=child)
            process.start(), process.join()
        """)
        found = " ".join(self.run_script(script).split()).split("|")
        self.assertEqual(found[1].strip(), "prepare +profile metadata record_shapes 1 -profile")

    def test_a_start_raises_nothing_whatever_the_script_has_changed(self):
        self.printed("""
        record(targets=CPU, timer_only=True)
        import torch
        del os.environ["PROFTUI_RUN"]
        record(targets=CPU)
        # No tracer can be made.
        torch.__version__ = None
        record(targets=CPU, record_shapes=True).export("t.pb", "pb")
        """)
        self.assertEqual(self.steps("t.pb"), [0])
        said = "proftui: no GPU is recorded: KeyError('PROFTUI_AGENT')\n"
        self.printed("""
        record(targets=CPU)
        del os.environ["PROFTUI_AGENT"]
        record().export("t.pb", "pb")
        """, said=said)

    def test_why_operators_are_recorded_in_full_is_stated_where_it_holds(self):
        script = """
        def why(name, **options):
            record(targets=CPU, **options).export(name + ".json")
        why("before", timer_only=True)
        os.environ["INTEL_LIBITTNOTIFY64"] = "/nowhere/another.so"
        import torch
        why("instead")
        why("asked", record_shapes=True)
        """
        self.printed(script)
        found = []
        for name in ("instead", "asked"):
            with open(self.path("work", name + ".json")) as file:
                text = file.read()
            found.append(["PyTorch was imported before" in text, "PyTorch does not report operators by ITT to proftui" in text])
        self.assertEqual(found, [[False, True], [False, False]])

    def test_no_profiler_is_of_all_threads_while_another_thread_still_reports(self):
        script = """
        import threading
        prof = Profiler(targets=CPU, on_trace_ready=lambda prof: None)
        prof.start()
        import torch
        go = threading.Event()
        thread = threading.Thread(target=go.wait)
        thread.start()
        prof.stop()
        for at in range(2):
            with profile(activities=[ProfilerActivity.CPU], record_shapes=True):
                print("config", torch.tracing.all[-1].options.get("experimental_config"))
            go.set()
            thread.join()
        """
        found = self.printed(script, STUB_VERSION="2.15.0").split()
        configs = [found[at + 1] for at, word in enumerate(found) if word == "config"]
        self.assertEqual(configs, ["None", "profile_all_threads"])

    def test_a_profiler_of_all_threads_goes_on_when_a_thread_ends_that_had_one_of_its_own(self):
        script = """
        import threading
        def full():
            return profile(activities=[ProfilerActivity.CPU], record_shapes=True)
        prof = Profiler(targets=CPU, on_trace_ready=lambda prof: None)
        prof.start()
        import torch
        go, was_own, end = (threading.Event() for _ in range(3))
        reports = threading.Thread(target=go.wait)
        reports.start()
        prof.stop()
        def run():
            with full():
                pass
            was_own.set()
            end.wait()
        other = threading.Thread(target=run)
        other.start()
        was_own.wait()
        go.set()
        reports.join()
        with full():
            print("|")
            end.set()
            other.join()
            print("|")
        """
        before, meanwhile, after = self.printed(script, STUB_VERSION="2.15.0").split("|")
        self.assertEqual((before.count("+profile"), meanwhile.strip(), after.strip()), (2, "", "-profile"))
