"""Processes: how a script may end, what it may start, and captures around it."""
import os
import signal

from runs import Case, children, collectors, kill, until

BUSY = """
prof = Profiler(on_trace_ready=lambda prof: prof.export("t.pb", "pb"))
prof.start()
prof.step()
print("ready", flush=True)
"""
FORKED = BUSY.replace("print", "if os.fork() == 0:\n    time.sleep(100)\nprint") + "time.sleep(100)"
STEPS = """
with Profiler(scheduler=(1, 3), on_trace_ready=lambda prof: prof.export("own.pb", "pb")) as prof:
    for at in range(6):
        work("in %d" % at)
        prof.step()
work("after")
"""


class Ends(Case):
    def wait_for(self, process):
        self.assertEqual(process.stdout.readline(), "ready\n")
        (collector,) = collectors(process.pid)
        return collector

    def finish(self, process):
        out, err = process.communicate(timeout=100)
        return process.returncode, out, err

    def test_a_script_that_is_killed_leaves_nothing(self):
        script = FORKED
        process = self.start(script)
        collector = self.wait_for(process)
        (child,) = children(process.pid)
        process.kill()
        self.assert_nothing_left()
        until(lambda: collector not in collectors(process.pid))
        # What it forked goes on, and holds no more than it would without us.
        kill(child)
        self.finish(process)

    def test_an_exception_goes_its_way(self):
        process = self.start("""
        with Profiler(on_trace_ready=lambda prof: prof.export("t.pb", "pb")) as prof:
            work()
            raise KeyError("mine")
        """)
        status, _, err = self.finish(process)
        self.assertEqual((status, err.splitlines()[-1]), (1, "KeyError: 'mine'"))
        self.assertEqual(self.steps("t.pb"), [0])

    def test_a_callback_that_raises_leaves_a_profiler_that_goes_on(self):
        out = self.run_script("""
        def ready(prof):
            raise KeyError(prof.step_num)
        with Profiler(scheduler=lambda step: 3 if step < 2 else 0, on_trace_ready=ready) as prof:
            for at in range(4):
                try:
                    prof.step()
                except KeyError as error:
                    print(error)
        """)
        self.assertEqual(out, "1\n2\n")

    def test_whoever_writes_traces_may_be_killed(self):
        process = self.start(BUSY + "sys.stdin.readline()\nprof.stop()\nprof.start()\nprint('done')", capture=None)
        kill(self.wait_for(process))
        until(lambda: not collectors(process.pid))
        status, out, err = self.finish(process)
        self.assertEqual((status, out), (0, "done\n"))
        gone = "proftui: the proftui process that writes the traces of this script has ended"
        self.assertEqual(err.splitlines(), [gone, gone + ": nothing is recorded"])

    def test_it_is_no_child_and_holds_nothing_of_the_scripts(self):
        process = self.start(BUSY + "try:\n    os.wait()\nexcept ChildProcessError:\n    print('none', flush=True)\nsys.stdin.readline()")
        collector = self.wait_for(process)
        self.assertEqual(process.stdout.readline(), "none\n")
        folder = "/proc/%d/fd" % collector
        files = {os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)}
        files = {name for name in files if not name.startswith("anon_inode")}
        # The socket is its own, to which processes send their descriptors.
        sockets = {name for name in files if name.startswith("socket:")}
        self.assertEqual(len(sockets), 1)
        self.assertEqual({name for name in files - sockets if not name.startswith(self.path("run"))}, {"/dev/null"})
        self.assertNotEqual(os.getsid(collector), os.getsid(process.pid))
        self.assertEqual(os.readlink("/proc/%d/cwd" % collector), "/")
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.finish(process)[0], -signal.SIGINT)
        self.assert_nothing_left()

    def test_without_the_program_the_script_runs(self):
        said = "proftui: nothing is recorded: "
        where = "the program proftui was not found beside this Python or on PATH; set its path in PROFTUI_BIN\n"
        for binary, path, why in (("/no/such", None, "cannot run /no/such: No such file or directory\n"), (None, "/none", where)):
            more = {"PROFTUI_BIN": binary}
            if path:
                more["PATH"] = path
            out = self.run_script(STEPS + "prof.summary()\nprint(prof.step_num)", said=said + why, **more)
            self.assertEqual(out, "6\n")
        out = self.run_script(STEPS, said=said + "the recorder could not start, or PROFTUI_DISABLE is set\n", PROFTUI_DISABLE="1")
        self.assertEqual(os.listdir(self.path("work")), ["train.py"])

    def test_a_forked_child_has_steps_and_results_of_its_own(self):
        self.run_script("""
        prof = Profiler(on_trace_ready=lambda prof: prof.export("%s.pb" % who, "pb"))
        who = "parent"
        prof.start()
        prof.step()
        if os.fork() == 0:
            who = "child"
            prof.step()
            work("of the child")
            prof.step()
            prof.stop()
            os._exit(0)
        os.wait()
        work("of the parent")
        prof.stop()
        """)
        named = {who: {child.name for step in self.nodes(who + ".pb") for child in step.children_node} for who in ("child", "parent")}
        self.assertEqual(named, {"child": {"of the child"}, "parent": {"of the parent"}})


class Captures(Case):
    def test_the_scripts_profiler_says_what_is_recorded(self):
        script = "work('before')" + STEPS
        process = self.start(script, capture=[])
        _, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(err.count("the script's own Profiler selects the recorded steps"), 1, err)
        self.assertEqual(self.steps("own.pb"), [1, 2])
        before, own = (self.program("summary", "--view", "userdefined", trace) for trace in self.traces())
        self.assertIn("before", before)
        self.assertIn("in 2", own)
        for name in ("before", "in 0", "in 3", "after"):
            self.assertNotIn(name, own)
        self.assert_nothing_left()

    def test_a_schedule_of_the_command_line_rules(self):
        process = self.start(STEPS, capture=["--steps", "3:5"])
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("the command line selects the recorded steps; the script's own Profiler marks where steps end", err)
        self.assertEqual(self.steps("own.pb"), [3, 4])
        self.assertEqual(len(self.traces()), 1)

    def test_ranges_and_the_clock_alone_change_nothing_of_a_capture(self):
        process = self.start("work('one')\nwith Profiler(timer_only=True) as prof:\n    prof.step()\nwork('two')", capture=[])
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, err)
        (trace,) = self.traces()
        # What follows the step of the profiler is teardown.
        shown = self.program("summary", "--view", "userdefined", "--range", "0s:", trace)
        self.assertTrue("one" in shown and "two" in shown, shown)
