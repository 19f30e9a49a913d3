"""`--functions`: the calls of chosen Python functions are ranges, and the program is as without them."""
import os
import sys
import tempfile

from runs import STANDIN, Case

KIND = "204 "
MODULE = """
def plain(): return helper()
def helper(): return 1
class Net:
    def forward(self): return self.inner()
    def inner(self): return [helper() for _ in range(2)]
    @staticmethod
    def made(): return (lambda: helper())()
"""


class FunctionCalls(Case):
    def calls(self, script, choices, process=0, **keys):
        """Runs the script bare and with these choices; returns `name` for the begin of a function, `end` for ends."""
        bare = self.run_script(script, **keys)
        keys.setdefault("env", {"STANDIN_STATES": "2"})
        done = self.run_script(script, options="functions=%s\n" % choices, **keys)
        self.assertEqual(done.out, bare.out)
        self.assertEqual([note for note in done.notes() if note not in bare.notes()], self.expected_notes)
        return [call[len(KIND) :] if call.startswith(KIND) else call for call in done.recorded(process) if call == "end" or call.startswith(KIND)]

    expected_notes = []

    def names(self, *args, **keys):
        """The functions whose ranges began, without file and line."""
        return [call.partition(": ")[2] for call in self.calls(*args, **keys) if call != "end"]

    def test_a_range_is_named_by_file_line_and_qualified_name(self):
        script = "import pkg.model\ndef step():\n    return pkg.model.plain()\nprint(step(), pkg.model.Net().forward())\n"
        files = {"pkg/__init__.py": "", "pkg/model.py": MODULE}
        found = self.calls(script, "__main__:step pkg.*:plain pkg.model:Net.*", files=files)
        self.assertEqual(
            found,
            ["train.py(2): step", "pkg/model.py(2): plain", "end", "end"]
            + ["pkg/model.py(5): Net.forward", "pkg/model.py(6): Net.inner", "end", "end"],
        )

    def test_patterns_choose_modules_and_qualified_names(self):
        script = "import model, other\nmodel.plain(); model.Net().forward(); model.Net.made(); other.plain()\n"
        files = {"model.py": MODULE, "other.py": MODULE}
        for choices, names in (
            ("model:Net.*", ["Net.forward", "Net.inner", "Net.made", "Net.made.<locals>.<lambda>"]),
            ("mo*:h[a-f]lper", ["helper"] * 4),
            ("model:plain other:plain", ["plain", "plain"]),
            ("*:?lain", ["plain", "plain"]),
            ("other:*", ["plain", "helper"]),
        ):
            with self.subTest(choices=choices):
                self.assertEqual(self.names(script, choices, files=files), names)

    def test_the_bodies_of_modules_and_classes_and_comprehensions_are_no_functions(self):
        script = "class C:\n    x = [n for n in range(2)]\n    def f(self): return list(n for n in self.x) + [n for n in self.x]\nprint(C().f())\n"
        self.assertEqual(self.names(script, "__main__:*"), ["C.f"])

    def test_a_function_that_raises_ends(self):
        script = """
            import traceback
            def fails(): raise ValueError("no")
            def around():
                try: fails()
                except ValueError: print(traceback.format_exc().count("File"))
                fails()
            try: around()
            except ValueError: print(traceback.format_exc().count("File"))
        """
        found = self.calls(script, "__main__:*")
        self.assertEqual([call.rpartition(" ")[2] for call in found], ["around", "fails", "end", "fails", "end", "end"])

    def test_generators_are_recorded_while_they_run(self):
        script = """
            def numbers():
                try:
                    got = yield 1
                    yield got
                except KeyError: yield 3
            def use():
                one = numbers()
                print(next(one), one.send(2), one.throw(KeyError()))
                one.close()
                print(list(numbers()))
            use()
        """
        found = [call.rpartition(" ")[2] for call in self.calls(script, "__main__:*")]
        self.assertEqual((found[0], found[-1]), ("use", "end"))
        inner = found[1:-1]
        self.assertEqual((inner[::2], inner[1::2]), (["numbers"] * (len(inner) // 2), ["end"] * (len(inner) // 2)))
        # Three times and, where Python resumes it for that, to close it; then three times until it is exhausted.
        self.assertIn(len(inner) // 2, (6, 7))

    def test_coroutines_are_recorded_while_they_run(self):
        script = """
            import asyncio
            async def wait(name):
                await asyncio.sleep(0)
                return name
            async def main(): print(await asyncio.gather(wait("a"), wait("b")))
            asyncio.run(main())
        """
        found = [call.rpartition(" ")[2] for call in self.calls(script, "__main__:*")]
        self.assertEqual(found, ["main", "end"] + ["wait", "end"] * 4 + ["main", "end"])

    def test_each_thread_has_its_own_ranges(self):
        script = """
            import threading
            def work(barrier):
                barrier.wait()
                inner()
                barrier.wait()
            def inner(): pass
            barrier = threading.Barrier(2)
            threads = [threading.Thread(target=work, args=(barrier,)) for _ in range(2)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
        """
        found = self.names(script, "__main__:*")
        self.assertEqual(sorted(found), ["inner", "inner", "work", "work"])

    def test_only_recorded_cycles_have_ranges(self):
        script = "def step(): return inner()\ndef inner(): return 1\nfor _ in range(4): step()\n"
        for states, names in (("0", []), ("0,2,3,0", ["inner", "step"] * 2)):
            with self.subTest(states=states):
                keys = {"env": {"STANDIN_STATES": states}}
                done = self.run_script(script, options="step_on=train:step\nfunctions=__main__:*\n", **keys)
                found = [call.rpartition(" ")[2] for call in done.recorded() if call.startswith(KIND)]
                self.assertEqual(sorted(found), sorted(names))

    def test_without_the_option_nothing_is_watched(self):
        script = "import sys\nprint(sys.getprofile(), sys.monitoring.get_tool(4) if hasattr(sys, 'monitoring') else None)\n"
        self.assertEqual(self.run_script(script).out, "None None\n")

    def test_a_choice_without_calls_is_said(self):
        self.expected_notes = ["note 2 no function of --functions nothing:* was called"]
        self.assertEqual(self.names("def f(): pass\nf()\n", "nothing:* __main__:f"), ["f"])

    def test_code_that_is_freed_is_forgotten(self):
        script = "for n in range(3):\n    names = {'__name__': '__main__'}\n    exec('def made(): return %d' % n, names)\n    print(names['made']())\n"
        done = self.run_script(script, options="functions=__main__:made\n")
        self.assertEqual(done.out, "0\n1\n2\n")
        self.assertEqual(len([call for call in done.recorded() if call.startswith(KIND)]), 3)
        self.assertGreaterEqual(len(done.calls("forget_function")), 2)

    def test_failures_of_the_hook_stay_in_it(self):
        for fails, notes in (("name", []), ("choose_function", ["note 3 the hook look failed: RuntimeError(\"the agent's choose_function\")"])):
            with self.subTest(fails=fails):
                done = self.run_script("def f(): return 1\nprint(f())\n", options="functions=__main__:*\n", env={"STANDIN_FAILS": fails})
                self.assertEqual(done.out, "1\n")
                self.assertEqual([note for note in done.notes() if "hook" in note], notes)

    def test_the_own_profiler_of_a_script_works(self):
        script = """
            import sys
            seen = []
            def mine(frame, event, argument):
                if event == "call": seen.append(frame.f_code.co_name)
            def before(): pass
            def during(): pass
            def after(): pass
            before()
            sys.setprofile(mine)
            during()
            sys.setprofile(None)
            after()
            print(seen)
        """
        if hasattr(sys, "monitoring"):
            self.assertEqual(self.names(script, "__main__:[abd]*"), ["before", "during", "after"])
        else:
            self.expected_notes = ["note 2 functions were recorded only until the program called sys.setprofile"]
            self.assertEqual(self.names(script, "__main__:[abd]*"), ["before"])

    def test_a_script_that_gives_the_hook_back_has_right_ranges(self):
        script = """
            import sys
            def around():
                before = sys.getprofile()
                sys.setprofile(lambda *_: None)
                within(before)
            def within(before):
                sys.setprofile(before)
                inner()
            def inner(): pass
            around()
            inner()
        """
        found = self.names(script, "__main__:*")
        self.assertEqual([name for name in found if "lambda" not in name and name != "within"], ["around", "inner", "inner"])

    def test_where_another_tool_is_there_before_a_line_says_so(self):
        site = "import sys\n"
        if hasattr(sys, "monitoring"):
            site += "for tool in (3, 4): sys.monitoring.use_tool_id(tool, 'other')\n"
        else:
            site += "sys.setprofile(lambda *_: None)\n"
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "sitecustomize.py"), "w") as file:
                file.write("import _proftui\n" + site)
            done = self.run_script("def f(): pass\nf()\n", options="functions=__main__:*\n", path=(folder, STANDIN))
        self.assertEqual(done.notes()[:1], ["note 3 functions are not recorded: another profiler of Python is there"])
