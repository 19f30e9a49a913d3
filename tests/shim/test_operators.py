"""Tracers of operators: on in windows and only there, and never beside the script's own profiler."""
import json

from runs import Case

TORCH = """
import os
import torch
from torch.optim import SGD
from torch.autograd.profiler import profile, emit_itt, record_function
optimizer = SGD()
def steps(count):
    for at in range(count):
        print(at)
        optimizer.step()
"""

PADDLE = """
import os
import paddle
optimizer = paddle.optimizer.Adam()
def steps(count):
    for at in range(count):
        print(at)
        optimizer.step()
"""

ITT = {"INTEL_LIBITTNOTIFY64": "/cache/agent.so"}


class Operators(Case):
    def words(self, script, ops="light", states="2", head=TORCH, env=ITT, asks=""):
        """What was printed, in one line; and the run."""
        options = "ops=%s\nops_asks=%s\n" % (ops, asks)
        done = self.run_script(head + script, options, env=dict(env, STANDIN_STATES=states))
        return " ".join(done.out.split()), done

    def calls(self, done):
        return [call for _, call, *_ in done.processes[0] if call in ("step", "pause_step", "pause_step_at_end", "resume_step", "close")]

    def test_light_operators_are_on_in_windows(self):
        out, done = self.words("steps(7)", states="0,1,2,3,2,3,1,0")
        self.assertEqual(out, "0 1 +itt 2 3 -itt +itt 4 5 -itt 6")
        # A window ends, with what tracers take for it, before the step does; and begins after it.
        calls = ["step", "step", "resume_step", "step", "pause_step", "step", "resume_step", "step", "pause_step", "step", "step"]
        self.assertEqual(self.calls(done), calls + ["close"])
        self.assertEqual((done.notes(), done.files), ([], {}))

    def test_full_operators_get_ready_and_leave_a_file_for_each_window(self):
        out, done = self.words("steps(7)", "full", "0,1,2,3,2,3,1,0")
        self.assertEqual(out, "0 prepare 1 +profile 2 3 -profile prepare +profile 4 5 -profile prepare 6")
        self.assertEqual(done.files, {"c1.0.kineto.json": "saved", "c2.0.kineto.json": "saved"})
        self.assertEqual(done.facts()["ops"], "torch full")

    def test_what_is_asked_for_is_asked_of_the_framework(self):
        script = "print(sorted(name for name, is_on in torch.tracing.all[0].options.items() if is_on))"
        out, _ = self.words(script, "full", asks="shapes,flops")
        self.assertIn("['record_shapes', 'with_flops']", out)
        self.assertIn("metadata record_shapes 1 metadata with_flops 1", out)

    def test_operators_say_where_they_were_called(self):
        show = "print([made.options['with_stack'] for made in torch.tracing.all])\n"
        out, done = self.words(show + "steps(1)\n" + show, "full", asks="stack")
        self.assertEqual(out, "prepare +profile [False] 0 -profile prepare +profile metadata with_stack 1 [True] -profile")
        self.assertEqual((sorted(done.files), done.notes()), (["c1.0.kineto.json", "c1.1.kineto.json"], []))
        forward = "import torch\ntorch.nn.Module()(1)\n" + show
        self.assertIn("[True]", self.words(forward, "full", asks="stack")[0])
        backward = "torch.autograd.backward(torch.Tensor())\n" + show
        self.assertIn("[True]", self.words(backward, "full", asks="stack")[0])
        # Where a cycle begins within the loop, it has stacks at once.
        out, _ = self.words("steps(2)\n" + show, "full", "0,2,3,0", asks="stack")
        self.assertIn("[True]", out)

    def test_where_no_loop_begins_a_line_says_that_there_are_no_stacks(self):
        _, done = self.words("print('work')", "full", asks="stack")
        self.assertEqual(len([note for note in done.notes() if "no stacks are recorded" in note]), 1, done.notes())
        self.assertEqual(self.words("print('work')", "full", asks="shapes")[1].notes(), [])

    def test_parts_are_as_long_as_their_files_allow(self):
        script = """
from _proftui_shim import operators
second = 10**9
print(operators._next_length(second, 1), operators._next_length(second, 32 << 20), operators._next_length(second, 1 << 40))
print(operators._next_length(second // 10, 1))
operators.most = 16 << 20
print(operators._next_length(second, 4 << 20))
"""
        out, _ = self.words(script, "off")
        self.assertEqual(out, "1000000000 250000000 50000000 200000000 500000000")

    def test_everything_is_one_window_that_ends_with_the_program(self):
        out, done = self.words("steps(2)\nprint('end')", "full")
        self.assertEqual(out, "prepare +profile 0 1 end -profile")
        self.assertEqual(self.calls(done), ["step", "step", "pause_step_at_end", "close"])
        self.assertEqual(list(done.files), ["c1.0.kineto.json"])

    def test_nothing_is_on_where_nothing_is_asked_for(self):
        self.assertEqual(self.words("steps(2)", "off")[0], "0 1")
        out, done = self.words("steps(2)", states="0")
        self.assertEqual((out, self.calls(done)), ("0 1", ["step", "step", "close"]))

    def test_windows_by_time_have_light_operators_all_the_time(self):
        options = "ops=light\nby_time=1\n"
        done = self.run_script(TORCH + "steps(2)", options, env=dict(ITT, STANDIN_STATES="0"))
        self.assertEqual(done.out.split(), ["+itt", "0", "1", "-itt"])

    def test_the_scripts_own_profiler_comes_first(self):
        own = "with profile(): print('own')\nsteps(1)"
        self.assertEqual(self.words(own)[0], "+itt -itt prepare +profile own -profile +itt 0 -itt")
        out, done = self.words(own, "full")
        self.assertEqual(out, "prepare +profile -profile " + "prepare +profile own -profile " + "prepare +profile 0 -profile")
        self.assertEqual(done.files["c1.0.kineto.json"], done.files["c1.2.kineto.json"], "both ours")
        out, _ = self.words("with emit_itt(): print('own')\nsteps(1)")
        self.assertEqual(out, "+itt -itt +itt own -itt +itt 0 -itt")

    def test_what_the_scripts_own_found_is_kept_once(self):
        _, done = self.words("with record_function('mine'): pass\nwith profile() as own: pass\nown.kineto_results.save('own')")
        self.assertEqual(list(done.files), ["c1.0.kineto.json"])
        events = json.loads(done.files["c1.0.kineto.json"])["traceEvents"]
        self.assertEqual([event["name"] for event in events], ["aten::add", "nccl"])
        self.assertIn('"ts": 4611686018427387.904, "dur": 0.007', done.files["c1.0.kineto.json"])

    def test_ranges_of_the_script_are_recorded_whatever_a_profiler_finds(self):
        script = "with record_function('ours'): pass\nwith profile():\n    with record_function('own'): pass"
        for ops in ("light", "full"):
            self.assertEqual(self.words(script, ops)[1].recorded(), ["14 ours", "end", "14 own", "end"])

    def test_no_profiler_of_ours_sees_ranges_that_it_may_not_live_to_see(self):
        ranges = "for name in ('mine', 'Optimizer.step#SGD.step'):\n    with record_function(name): print(name)\n"
        for ops, mine in (("light", "mine"), ("full", "unseen seen mine")):
            out, done = self.words(ranges, ops)
            self.assertIn(" %s Optimizer.step#SGD.step -" % mine, out)
            self.assertEqual(done.recorded(), ["14 mine", "end"])
        out, _ = self.words("with profile():\n    " + ranges.replace("\n", "\n    "), "full")
        self.assertIn("+profile mine Optimizer", out, "the script's own does")
        out, _ = self.words(ranges, "full", "0")
        self.assertEqual(out, "mine Optimizer.step#SGD.step")
        thread = "    with profile():\n        " + ranges.replace("\n", "\n        ")
        thread = "def run():\n" + thread + "\nimport threading\nthread = threading.Thread(target=run)\nthread.start(), thread.join()"
        out, _ = self.words(thread, "full")
        self.assertIn("+profile mine Optimizer", out, "on another thread than ours, too")

    def test_a_backward_in_which_a_profiler_of_ours_stopped_sees_no_other(self):
        script = """
from _proftui_shim import operators
operators._FIRST = operators._LONGEST = -1
torch.autograd.backward = lambda tensor: steps(1)
for _ in range(2): torch.Tensor().backward()
"""
        self.assertEqual(self.words(script, "full")[0], "prepare +profile 0 -profile prepare 0 +profile -profile")

    def test_the_scripts_own_errors_are_its_own(self):
        nested = """
with profile():
    try:
        with profile(): pass
    except RuntimeError as error: print(error)
    print("outer")
try:
    with profile(): raise ValueError("own")
except ValueError as error: print(error)
"""
        bare = "prepare +profile Profiler is already enabled on this thread outer -profile +itt -itt prepare +profile -profile +itt own"
        self.assertEqual(self.words(nested)[0], "+itt -itt %s -itt" % bare)

    def test_light_operators_are_on_on_each_thread_that_computes(self):
        new = "thread = threading.Thread(target=lambda: print('new', bool(torch.tracing)), name='second')\nthread.start(), thread.join()\n"
        out, done = self.words("import threading\n" + new, states="2")
        self.assertEqual(out, "+itt +itt new True -itt -itt", "from its first line to its end")
        self.assertIn("second", [words[2] for words in done.processes[0] if words[1] == "thread"])
        self.assertEqual(self.words("import threading\n" + new, states="0")[0], "new False")
        # A thread that is there already: with its first hook after a cycle has opened, until the first one after it has closed.
        script = """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
def run(work):
    pool.submit(lambda: print(work.__name__, bool(torch.tracing), work(1), bool(torch.tracing))).result()
Module, torch.is_plain = torch.nn.Module(), lambda x: x
Module.__name__, torch.is_plain.__name__ = "forward", "plain"
Module.forward = lambda x: x
for at in range(4):
    run(Module)
    steps(1)
run(torch.is_plain)
"""
        out, done = self.words(script, states="0,2,3,0")
        runs = ["forward False 1 False 0 +itt", "+itt forward False 1 True 0", "forward True 1 True 0 -itt", "-itt forward True 1 False 0"]
        self.assertEqual(out, " ".join(runs + ["plain False 1 False"]))
        self.assertEqual(done.notes(), [])

    def test_operators_are_emitted_while_a_graph_is_captured(self):
        script = """
from torch.cuda.graphs import CUDAGraph
def capture():
    CUDAGraph().capture_begin(pool=None)
    CUDAGraph().capture_end()
capture()
steps(1)
capture()
steps(1)
capture()
"""
        out, done = self.words(script, states="0,2,0")
        self.assertEqual(out, "+itt captures captured -itt 0 +itt captures captured 0 -itt +itt captures captured -itt")
        self.assertEqual(done.notes(), [])
        own = "from torch.cuda.graphs import CUDAGraph\nwith profile(): CUDAGraph().capture_begin(), CUDAGraph().capture_end()\n"
        out, done = self.words(own, states="0")
        self.assertEqual((out, done.notes()), ("prepare +profile captures captured -profile", []), "the script's own profiler stays alone")

    def test_other_threads_go_on_while_one_has_a_profiler_of_the_scripts_own(self):
        head = """
import threading
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
def run(work): return pool.submit(work).result()
number = run(threading.get_native_id)
"""
        own = "found = torch._Results.found\nfound += [torch._Event('theirs'), torch._Event('ours')]\n"
        own += "found[-1].of['device_resource_id'] = number\n"
        script = own + "with profile(): print(run(lambda: torch.nn.Module()(1) or bool(torch.tracing)))\n"
        out, done = self.words(head + script)
        self.assertEqual(out, "+itt +itt -itt prepare +profile 1 -profile +itt -itt -itt")
        events = json.loads(done.files["c1.0.kineto.json"])["traceEvents"]
        self.assertEqual([event["name"] for event in events], ["aten::add", "mine", "nccl", "theirs"], "not what the thread reports itself")
        script = "def work():\n    with profile(): print('own')\n    torch.nn.Module()(1)\nrun(work)"
        out, done = self.words(head + script)
        self.assertEqual(out, "+itt +itt -itt prepare +profile own -profile +itt -itt -itt")
        self.assertEqual(done.notes(), [])

    def test_full_operators_are_those_of_all_threads_where_torch_can_do_that(self):
        say = "print(torch.tracing.all[0].options.get('experimental_config'))"
        for version, asks, found in (
            ("2.15.0+cu132", "", "profile_all_threads"),
            ("3.0.1", "stack", "profile_all_threads"),
            ("2.15.0", "memory", "None"),
            ("2.14.1", "", "None"),
            ("2.9.0a0", "", "None"),
        ):
            out, _ = self.words(say, "full", env={"STUB_VERSION": version}, asks=asks)
            self.assertIn(" %s -profile" % found, out, version)

    def test_one_that_is_there_already_is_left_alone(self):
        script = "own = profile()\nown.__enter__()\nsteps(3)\nown.__exit__()\nsteps(2)"
        out, done = self.words(script, states="0,1,2,3,0")
        self.assertEqual(out, "prepare +profile 0 1 2 -profile +itt 0 -itt 1")
        out, done = self.words(script, states="0,2,3,0")
        self.assertEqual(out, "prepare +profile 0 1 2 -profile 0 1")
        was_running = "note 2 torch: the script's own profiler was still running at the end of cycle 1: its operators, of 2 steps, are not in the trace"
        self.assertEqual(done.notes(), [was_running])
        _, done = self.words("own = profile()\nsteps(1)\nown.__enter__()\nsteps(1)", states="2,3,0")
        self.assertEqual(done.notes(), [was_running.replace("2 steps", "1 step")])

    def test_one_that_was_ready_is_not_in_the_way(self):
        out, _ = self.words("steps(1)\nwith profile(): print('own')\nsteps(2)", "full", "0,1,3,0")
        self.assertEqual(out, "0 prepare +profile -profile prepare +profile own -profile 0 prepare +profile 1 -profile")

    def test_events_of_a_file_are_counted_across_blocks(self):
        script = """
from _proftui_shim import kineto
with open("events.json", "w") as file:
    file.write('{"ph": "X", "name": "a"},' * 100_000 + '{"ph": "i"}{"ph": "M"}')
print(kineto.count("events.json"))
os.remove("events.json")
"""
        self.assertIn(" 100001 ", self.words("import os" + script)[0])

    def test_a_fork_traces_nothing(self):
        script = """
import sys
sys.stdout.flush()
child = os.fork()
if child == 0:
    print("child", end=" "); sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
print("parent")
"""
        self.assertEqual(self.words(script)[0], "+itt -itt child parent -itt")
        script = script.replace("print(\"child\"", "exec('with profile(): pass'); print(\"child\"")
        self.assertEqual(self.words(script, "full")[0], "prepare +profile -profile prepare +profile -profile child parent -profile")

    def test_a_tracer_of_one_thread_ends_with_it(self):
        script = """
import threading
thread = threading.Thread(target=steps, args=(2,))
thread.start(), thread.join()
print("joined")
steps(2)
"""
        out, done = self.words(script, "full", "0,2")
        self.assertEqual(out, "0 prepare +profile 1 -profile joined 0 prepare +profile 1 -profile")
        self.assertEqual(len(done.files), 2)

    def test_what_fails_is_noted_once_and_harms_nothing(self):
        script = "def fail(*_): raise KeyError('emit')\nemit_itt.__init__ = fail\nsteps(4)"
        out, done = self.words(script, states="0,2,3,2,3,0")
        self.assertEqual(out, "0 1 2 3")
        self.assertEqual(done.notes(), ["note 3 torch: cannot record operators: KeyError('emit')"])

    def test_a_version_without_the_means_has_ranges_all_the_same(self):
        lacks = "note 2 torch 0.1+stub: cannot record operators: "
        lacks += "this build has neither ITT nor CUDA, or another tool uses ITT; try --ops full"
        out, done = self.words("steps(2)", env={"INTEL_LIBITTNOTIFY64": "/vtune/collector.so", "STUB_CUDA": ""})
        self.assertEqual((out, done.notes()), ("0 1", [lacks]))
        self.assertEqual(done.recorded().count("11 SGD.step"), 2)

    def test_without_itt_there_is_nvtx_once_cuda_is_there(self):
        script = "steps(1)\ntorch.cuda.is_initialized = lambda: True\nsteps(2)"
        self.assertEqual(self.words(script, env={})[0], "0 0 +nvtx 1 -nvtx")

    def test_paddle(self):
        out, done = self.words("steps(6)", "light", "0,1,2,3,2,3,0", PADDLE)
        self.assertEqual(out, "0 prepare 1 +host 2 3 -host prepare +host 4 5 -host")
        self.assertEqual(done.files, {"c1.0.paddle.pb": "pb events", "c2.0.paddle.pb": "pb events"})
        out, _ = self.words("", "full", head=PADDLE, asks="shapes,memory")
        self.assertEqual(out, "prepare +memory +host -host -memory", "what the version does not have is left out")

    def test_paddles_own_profiler_comes_first(self):
        script = """
steps(1)
own = paddle.profiler.Profiler()
own.step()
steps(1)
own.stop()
steps(1)
del own
steps(1)
"""
        out, done = self.words(script, head=PADDLE)
        self.assertEqual(out, "prepare +host 0 -host own 0 0 0 prepare +host -host")
        files = {"c1.0.paddle.pb": "pb events", "c1.1.paddle.pb": "pb own", "c1.2.paddle.pb": "pb events"}
        self.assertEqual(done.files, files)
        thread = "import threading\nthread = threading.Thread(target=paddle.profiler.Profiler)\nthread.start(), thread.join()"
        self.assertEqual(self.words(thread, head=PADDLE)[0], "prepare +host -host own", "whichever thread it is on")
        out, _ = self.words("steps(1)\nown = paddle.profiler.Profiler()\nsteps(1)", "full", "0,1,2", PADDLE)
        self.assertEqual(out, "0 prepare own 0")

    def test_what_is_kept_is_written_in_parts_and_within_a_limit(self):
        script = "from _proftui_shim import operators\noperators._FIRST = operators._LONGEST = -1\nsteps(2)"
        _, done = self.words(script, "full")
        self.assertEqual(sorted(done.files), ["c1.%d.kineto.json" % part for part in range(3)])
        _, done = self.words(script + "\noperators.most = 3\nsteps(3)", "full")
        self.assertEqual(len(done.files), 3)
        self.assertEqual(len([note for note in done.notes() if "no more operators are recorded" in note]), 1)

    def test_in_a_ring_the_oldest_files_go_and_recording_goes_on(self):
        script = "from _proftui_shim import operators\noperators._FIRST = operators._LONGEST = -1\noperators.most = 3\nsteps(5)"
        _, done = self.words(script, "full", env=dict(ITT, STANDIN_RING="1"))
        self.assertEqual(sorted(done.files), ["c1.%d.kineto.json" % part for part in (4, 5)])
        self.assertEqual(done.notes(), [])

    def test_memory_is_given_back_after_large_files(self):
        script = "from _proftui_shim import operators\noperators.give_back = lambda: print('back')\n"
        full = "prepare +profile 0 -profile %sprepare +profile"
        for more, back in (("", ""), ("operators._LARGE = 0\n", "back ")):
            out, _ = self.words(script + more + "operators._FIRST = operators._LONGEST = -1\nsteps(1)", "full")
            self.assertTrue(out.startswith(full % back), out)
        out, done = self.words("from _proftui_shim import operators\noperators.give_back()\nprint('good')", "off")
        self.assertEqual((out, done.notes()), ("good", []))
