"""`Profiler`, as a script with no framework uses it: results, summaries, the timer, and all that from within the callback."""
import glob
import json
import os

import unittest

from runs import Case


class Results(Case):
    def test_a_callback_has_the_finished_cycle(self):
        out = self.run_script("""
        def ready(prof):
            print("ready", prof.step_num, prof.current_state)
            prof.export("a.json")
            prof.export("b.pb", format="pb")
            prof.export("c.json.gz")
            prof.export_chrome_trace("d.json")
            prof.profiler_result.save("e.json")
            prof.summary(time_unit="us", views=[SummaryView.UDFView, SummaryView.OverView])
            prof.stop()
            prof.stop()
        with Profiler(scheduler=[2, 5], on_trace_ready=ready) as prof:
            for at in range(9):
                work("range %d" % at)
                prof.step()
        """)
        self.assertEqual(out.splitlines()[0], "ready 5 ProfilerState.CLOSED")
        self.assertEqual(out.count("ready"), 1)
        for words in ("UserDefined Summary", "range 3", "Overview Summary", "PythonUserDefined        3", "Time unit: us"):
            self.assertIn(words, out)
        self.assertNotIn("Device Summary", out)
        self.assertNotIn("range 5", out)
        self.assertEqual(self.steps("b.pb"), [2, 3, 4])
        for name in ("a.json", "b.pb", "c.json.gz", "d.json", "e.json"):
            self.assertEqual(self.info(name)["steps"], 3, name)
        for name, is_paddle in (("a.json", True), ("d.json", False), ("e.json", True)):
            with open(self.path("work", name)) as file:
                text = file.read()
            self.assertEqual(text.endswith(",\n{}\n]}\n"), is_paddle, name)
            self.assertEqual("baseTimeNanoseconds" not in text, is_paddle, name)
            self.assertEqual("range 3[" in text, is_paddle, name)
        self.assert_nothing_left()

    def test_cycles_back_to_back_leave_the_callback_out(self):
        self.run_script("""
        def ready(prof):
            work("callback")
            prof.export("%d.pb" % prof.step_num, "pb")
        with Profiler(scheduler=lambda step: ProfilerState.RECORD_AND_RETURN, on_trace_ready=ready) as prof:
            for at in range(3):
                work("range")
                prof.step()
        """)
        for number in (1, 2):
            names = [node.name for node in self.nodes("%d.pb" % number)]
            self.assertEqual(names, ["ProfileStep#%d" % (number - 1)])
        # The last one is that of the end: there is one more, in the step that it ends.
        self.assertEqual(self.steps("3.pb"), [3])

    def test_all_is_recorded_by_default_and_the_step_in_progress_too(self):
        self.run_script("""
        prof = Profiler()
        prof.summary()
        prof.export("none.json")
        prof.start()
        for at in range(4):
            prof.step()
        prof.stop()
        prof.profiler_result.save("kept.pb", "pb")
        """)
        (trace,) = self.traces()
        self.assertRegex(os.path.basename(trace), r"^host_.+pid_\d+_time_[\d_]+\.paddle_trace\.json$")
        self.assertEqual(self.steps("kept.pb"), [0, 1, 2, 3, 4])
        self.assertNotIn("incomplete", json.dumps(self.info("kept.pb")))
        self.assertFalse(os.path.exists(self.path("work", "none.json")))

    def test_profilers_one_after_the_other_and_one_within(self):
        said = "proftui: another profiler records in this process: this one records nothing\n"
        out = self.run_script("""
        for name in ("one", "two"):
            with Profiler(on_trace_ready=export_protobuf(name)) as prof:
                work(name)
                with Profiler(on_trace_ready=lambda prof: print("never")):
                    prof.step()
        prof.start()
        prof.stop()
        """, said=said)
        self.assertEqual(out, "")
        for name, count in (("one", 1), ("two", 2)):
            traces = sorted(glob.glob(self.path("work", name, "*.paddle_trace.pb")))
            self.assertEqual(len(traces), count)
            self.assertEqual([node.name for node in self.nodes(traces[0])], ["ProfileStep#0", "ProfileStep#1"])

    def test_a_refused_profiler_leaves_the_running_one_alone_though_it_recorded_before(self):
        said = "proftui: another profiler records in this process: this one records nothing\n"
        self.run_script("""
        def make(name):
            return Profiler(on_trace_ready=lambda prof: prof.export(name, "pb"))
        used = make("used.pb")
        with used:
            pass
        with make("running.pb") as running:
            work("early")
            used.start()
            for at in range(5):
                used.step()
            used.stop()
            work("late")
        """, said=said)
        (step,) = self.nodes("running.pb")
        self.assertEqual([node.name for node in step.children_node], ["early", "late"])

    def test_recording_that_stops_in_mid_cycle_is_kept(self):
        out = self.run_script("""
        import warnings
        warnings.simplefilter("ignore")
        states = [2, 2, 0, 0]
        prof = Profiler(scheduler=lambda step: ProfilerState(states[step]), on_trace_ready=lambda prof: print("never"))
        with prof:
            for at in range(3):
                prof.step()
        prof.export("cut.pb", "pb")
        """)
        self.assertEqual(out, "")
        self.assertEqual(self.steps("cut.pb"), [0, 1])
        self.assertIn("recording stopped in mid-cycle, after step 1", json.dumps(self.info("cut.pb")))

    def test_only_the_newest_result_can_be_asked_for(self):
        script = """
        results = []
        with Profiler(scheduler=lambda step: 3, on_trace_ready=lambda prof: results.append(prof.profiler_result)) as prof:
            prof.step()
        try:
            results[0].save("old.pb", "pb")
        except Exception as error:
            print(error)
        results[1].save("new.pb", "pb")
        print(len(os.listdir(os.environ["PROFTUI_RUN"] + "/" + sys.modules["_proftui"].process_key())))
        """
        out = self.run_script(script).splitlines()
        self.assertEqual(out[0], "the recorded cycle has been replaced by a newer one, or has not ended")
        # The log, the names, the page, and the newest cycle's only thread.
        self.assertEqual(out[1:], ["4"])
        self.assertEqual(self.steps("new.pb"), [1])


    def test_a_result_with_nothing_in_it_has_tables_too(self):
        out = self.run_script("""
        with profile() as prof:
            pass
        prof.export_chrome_trace("empty.json")
        prof.export_stacks("stacks")
        print(prof.key_averages().table(), len(prof.key_averages()), os.path.getsize("stacks"))
        """)
        self.assertTrue(out.endswith(" 0 0\n"), out)
        self.assertIn("There is nothing to average", out)
        self.assertEqual(self.info("empty.json")["steps"], 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root can make links of another user")
    def test_an_output_replaces_a_link_of_another_user(self):
        self.run_script("""
        names = ("trace.json", "stacks")
        for name in names:
            open("victim-" + name, "w").write("untouched")
            os.symlink("victim-" + name, name)
            os.lchown(name, 65534, 65534)
        os.symlink("stacks-2", "own")
        os.symlink("/dev/null", "null")
        with profile() as prof:
            work()
        prof.export_chrome_trace("trace.json")
        for name in ("stacks", "own", "null"):
            prof.export_stacks(name)
        for name in names:
            assert open("victim-" + name).read() == "untouched", name
            assert not os.path.islink(name) and os.stat(name).st_mode & 0o777 == 0o600, name
        assert os.path.islink("own") and os.path.isfile("stacks-2") and os.path.islink("null")
        assert not [name for name in os.listdir(".") if name.endswith(".partial")]
        """)
        self.assertEqual(self.info("trace.json")["steps"], 0)

    def test_a_folder_that_nobody_asked_for_may_be_missing(self):
        said = "proftui: cannot create the folder ./profiler_log/: File exists\n"
        out = self.run_script("""
        open("profiler_log", "w").close()
        with Profiler() as prof:
            prof.step()
        prof.export("asked.pb", "pb")
        try:
            export_chrome_tracing("profiler_log")
        except RuntimeError as error:
            print(error)
        """, said=said)
        self.assertEqual(out, "cannot create the folder profiler_log: File exists\n")
        self.assertEqual(self.steps("asked.pb"), [0, 1])

    def test_the_target_of_a_link_is_written_and_the_link_stays(self):
        self.run_script("""
        os.mkdir("there")
        os.symlink("there/t.pb", "t.pb")
        os.symlink("/dev/null", "null")
        with Profiler(on_trace_ready=lambda prof: None) as prof:
            prof.step()
        prof.export("t.pb", "pb")
        prof.export("null")
        assert os.path.islink("t.pb") and os.path.islink("null")
        """)
        self.assertEqual(self.steps("there/t.pb"), [0, 1])

    def test_tables_by_names_of_other_libraries_and_by_none(self):
        out = self.run_script("""
        import enum
        Theirs = enum.Enum("Theirs", "OverView GPUTotal")
        with Profiler(on_trace_ready=lambda prof: None) as prof:
            prof.step()
        prof.summary(sorted_by=Theirs.GPUTotal, views=Theirs.OverView)
        for odd in (dict(views=["none"]), dict(sorted_by=None), dict(time_unit="h")):
            try:
                prof.summary(**odd)
            except ValueError as error:
                print(error)
        out, sys.stdout = sys.stdout, None
        prof.summary()
        out.write("quiet")
        """)
        self.assertEqual(out.count("Overview Summary"), 1)
        self.assertIn("views must contain only DeviceView, ", out)
        self.assertIn("a member of SortedKeys, not None", out)
        self.assertTrue(out.endswith("quiet"), out)


class Timer(Case):
    def test_only_the_clock(self):
        out = self.run_script("""
        prof = Profiler(timer_only=True)
        prof.start()
        for at in range(14):
            with RecordEvent("load", TracerEventType.Dataloader):
                time.sleep(0.001)
            prof.step(num_samples=4)
            if at == 4:
                print(prof.step_info(unit="images"))
        prof.stop()
        prof.summary()
        print(prof.profiler_result)
        """).splitlines()
        self.assertRegex(out[0], r"^ reader_cost: 0\.\d{5} s batch_cost: 0\.\d{5} s ips: \d+\.\d{3} images/s$")
        self.assertEqual(out[1], "Perf Summary".center(100, "="))
        self.assertEqual(out[3], "Time Unit: s, IPS Unit: images/s")
        self.assertRegex(out[5], r"^\|   reader_cost   \|( +\d+\.\d{5} +\|){3}$")
        self.assertEqual(out[8:], ["None"])
        self.assertEqual(self.traces(), [])

    def test_ten_steps_are_too_few_and_steps_are_counted_without_samples(self):
        out = self.run_script("""
        for count in (10, 11):
            with Profiler(scheduler=(1, 2), on_trace_ready=lambda prof: None) as prof:
                for at in range(count):
                    prof.step()
        """)
        self.assertEqual(out.count("Perf Summary"), 1)
        self.assertIn("IPS Unit: steps/s", out)


class Saved(Case):
    def test_a_saved_result_is_a_tree(self):
        out = self.run_script("""
        @RecordEvent("outer")
        def outer():
            inner = RecordEvent("inner", event_type=TracerEventType.Forward)
            inner.begin()
            inner.end()
            inner.end()
        with Profiler(on_trace_ready=export_protobuf("log")) as prof:
            outer()
        result = load_profiler_result("log/" + os.listdir("log")[0])
        ((thread, root),) = result.get_data().items()
        (step,) = root.children_node
        (outer,) = step.children_node
        (inner,) = outer.children_node
        print(thread == os.getpid(), root.name, step.type, outer.name, outer.type, inner.name, inner.type)
        print(step.start_ns <= outer.start_ns <= inner.start_ns <= inner.end_ns <= outer.end_ns <= step.end_ns)
        print(outer.thread_id == thread, outer.process_id == thread, inner.runtime_node, inner.mem_node)
        print(result.get_extra_info()["proftui.cycle"], result.get_span_index(), result.get_version())
        result.save("again", "json")
        print(open("again").read(1), prof.profiler_result.get_data()[thread].children_node[0].name)
        """).splitlines()
        kinds = ["ProfileStep", "PythonUserDefined", "Forward"]
        step, outer, inner = ("TracerEventType." + kind for kind in kinds)
        # Numbers that have names print differently from version to version.
        words = out[0].split()
        self.assertEqual((words[0], words[1:3], words[4], words[6]), ("True", ["root", "node"], "outer", "inner"))
        for word, name, number in zip((words[3], words[5], words[7]), (step, outer, inner), ("2", "14", "9")):
            self.assertIn(word, (name, number))
        self.assertEqual(out[1:], ["True", "True True [] []", "1 0 1.0.2", "{ ProfileStep#0"])

    def test_what_is_no_result_is_refused(self):
        self.run_script("""
        open("odd", "w").write("odd")
        for name in ("odd", "missing"):
            try:
                load_profiler_result(name)
            except ValueError as error:
                assert name in str(error), error
            else:
                assert False
        """)


class Others(Case):
    def test_pytorchs_names(self):
        out = self.run_script("""
        def handler(prof):
            print(prof.key_averages().table(sort_by="self_cuda_time_total", row_limit=10))
            rows = {row.key: row for row in prof.key_averages(group_by_input_shape=True)}
            print(rows["model"].count, rows["model"].cpu_time_total >= 2000, len(prof.key_averages()) == len(rows))
            prof.export_chrome_trace("trace_%d.json" % prof.step_num)
            tensorboard_trace_handler("board", use_gzip=True)(prof)
            try:
                prof.key_averages().table(sort_by="nothing")
            except ValueError as error:
                print(error)
        with profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
            schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
            on_trace_ready=handler,
            record_shapes=True,
        ) as prof:
            for at in range(8):
                with record_function("model"):
                    time.sleep(0.001)
                prof.step()
        assert prof.key_averages().table(header="head").startswith("head\\n")
        with profile() as prof:
            with record_function("all"):
                prof.step()
        print([row.key for row in prof.key_averages()], prof.step_num)
        """)
        self.assertTrue(out.endswith("['all'] 1\n"), out)
        self.assertRegex(out, r"\n +model .* 2  \n")
        self.assertIn("2 True True\n", out)
        self.assertIn("--sorted-by nothing: this layout sorts by", out)
        self.assertEqual(self.info("trace_4.json")["steps"], 2)
        (board,) = glob.glob(self.path("work", "board", "*.pt.trace.json.gz"))
        self.assertEqual(self.info(board)["steps"], 2)

    def test_the_old_profiler(self):
        out = self.run_script("""
        start_profiler("All", tracer_option="Default")
        reset_profiler()
        stop_profiler("total", "one")
        stop_profiler()
        with profiler("CPU", "total", profile_path="two"):
            work("range")
        for state, key in (("none", None), ("CPU", "none")):
            try:
                with profiler(state, key):
                    pass
            except ValueError as error:
                print(error)
        """)
        self.assertEqual(out.count("Profiling Report"), 4)
        self.assertIn("Sorted by total time in descending order", out)
        self.assertIn("state must be one of CPU, GPU, All, not 'none'", out)
        self.assertEqual(self.info("one")["steps"], 0)
        self.assertEqual([node.name for node in self.nodes("two")], ["range"])

    def test_phases_are_recorded_and_end_no_steps(self):
        self.run_script("""
        import torch
        from torch.utils.data import DataLoader
        net, optimizer = torch.nn.Module(), torch.optim.SGD()
        with Profiler(scheduler=(1, 3), on_trace_ready=lambda prof: prof.export("t.pb", "pb")) as prof:
            for batch in DataLoader(*[torch.Tensor(4)] * 5):
                for at in range(2):
                    net(batch)
                    batch.backward()
                    optimizer.step()
                prof.step()
        """)
        self.assertEqual(self.steps("t.pb"), [1, 2])
        kinds = [[child.type.name for child in step.children_node] for step in self.nodes("t.pb")]
        self.assertEqual(kinds, [["Dataloader"] + ["Forward", "Backward", "Optimization"] * 2] * 2)


class Ranges(Case):
    def test_a_range_within_itself(self):
        self.run_script("""
        again = RecordEvent("again")
        with Profiler(on_trace_ready=lambda prof: prof.export("t.pb", "pb")):
            with again:
                with again:
                    pass
            again.end()
            with RecordEvent("next"):
                pass
        """)
        (step,) = self.nodes("t.pb")
        tree = [(node.name, [child.name for child in node.children_node]) for node in step.children_node]
        self.assertEqual(tree, [("again", ["again"]), ("next", [])])

    def test_ranges_before_there_is_a_profiler_and_of_types_that_are_not_recorded(self):
        out = self.run_script("""
        import enum, warnings
        early = RecordEvent("early")
        early.begin()
        class Theirs(enum.Enum):
            Forward = "of another library"
            Kernel = "too"
        with Profiler(on_trace_ready=lambda prof: prof.export("t.pb", "pb")):
            early.end()
            with RecordEvent("theirs", event_type=Theirs.Forward):
                pass
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                with RecordEvent("kernel", event_type=Theirs.Kernel):
                    pass
                print(len(caught))
            with record_function("with more", args="kept by nobody"):
                pass
        """)
        self.assertEqual(out, "1\n")
        children = [(node.name, node.type.name) for node in self.nodes("t.pb")[0].children_node]
        self.assertEqual(children, [("theirs", "Forward"), ("with more", "PythonUserDefined")])
