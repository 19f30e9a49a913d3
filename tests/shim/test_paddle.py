"""Paddle's phases, and what ends a step."""
from runs import NO_STEP, Case

HEAD = """
import paddle
from paddle import Tensor
from paddle.io.dataloader.dataloader_iter import _DataLoaderIterSingleProcess as Iterator
from paddle.nn import Layer
from paddle.optimizer import Adam, Optimizer
"""

FORWARD = ["9 Layer", "end"]
OPTIMIZE = ["11 Adam.step", "end"]


class Paddle(Case):
    def paddle(self, script, **keys):
        return self.run_script(HEAD + script, **keys)

    def test_phases_and_steps(self):
        done = self.paddle("""
layer, optimizer = Layer(), Adam()
for batch in Iterator([[Tensor(8, 3), Tensor(8)], [Tensor(5, 3)]]):
    layer(batch)
    Tensor(1).backward()
    optimizer.step()
""")
        load = ["1 _DataLoaderIterSingleProcess", "end"]
        iteration = load + FORWARD + ["10 Tensor.backward", "end"] + OPTIMIZE
        self.assertEqual(done.recorded(), iteration + ["step 8"] + iteration + ["step 5"] + load)
        self.assertEqual(done.facts()["step_on"], "optimizer: paddle.Adam")

    def test_optimizers_of_the_script_are_seen(self):
        done = self.paddle("""
class Mine(Adam):
    def step(self):
        super().step()
class New(Optimizer):
    def step(self):
        pass
Mine().step()
New().step()
New().minimize(None)
""")
        begun = [word for word in done.recorded() if word[0] == "1"]
        self.assertEqual(begun, ["11 Mine.step", "11 New.step", "11 New.step"])

    def test_a_static_graph_only_describes_what_to_do(self):
        self.assertEqual(self.paddle("paddle.static.append(True)\nAdam().minimize(None)").recorded(), [])

    def test_steps_that_the_scaler_skips_count(self):
        script = """
optimizer, scaler = Adam(), paddle.amp.GradScaler()
for is_finite in (False, True, False, True):
    scaler.step(optimizer, is_finite)
    scaler.update()
for is_finite in (False, True, False, True):
    scaler.minimize(optimizer, None, is_finite)
"""
        self.assertEqual(len(self.paddle(script).steps()), 8)

    def test_what_raises_ends_its_ranges(self):
        done = self.paddle("""
class Broken(Adam):
    def step(self):
        raise MemoryError
for _ in range(2):
    try:
        Broken().step()
    except MemoryError:
        pass
""")
        self.assertEqual(done.recorded(), ["11 Broken.step", "end"] * 2 + [NO_STEP])

    def test_the_scripts_own_profiler_states_samples(self):
        done = self.paddle("""
profiler = paddle.profiler.Profiler()
for batch in Iterator([Tensor(4)] * 3):
    profiler.step(num_samples=32)
profiler.step(7)
profiler.step()
""")
        self.assertEqual(done.steps(), [32, 32, 32, 7, 0])
        self.assertEqual(done.facts()["step_on"], "profiler: paddle.profiler.Profiler")

    def test_user_ranges_are_recorded_and_paddles_own_are_not(self):
        done = self.paddle("""
mine, own = paddle.profiler.RecordEvent("mine"), paddle.profiler.RecordEvent("own", "Forward")
mine.begin(), own.begin(), own.end(), mine.end(), mine.end()
""")
        self.assertEqual(done.recorded(), ["14 mine", "end"])

    def test_an_event_ends_no_range_of_nvtx(self):
        done = self.paddle("""
import torch
torch.cuda.nvtx.range_push("pushed")
paddle.profiler.RecordEvent("mine").end()
torch.cuda.nvtx.range_pop()
torch.cuda.nvtx.range_pop()
""")
        self.assertEqual(done.recorded(), ["14 pushed", "end"])

    def test_a_readers_own_thread_reads(self):
        done = self.paddle("""
import threading
from paddle.io.dataloader.fetcher import _MapDatasetFetcher as Fetcher
class Data: pass
fetcher = Fetcher()
fetcher.dataset = Data()
thread = threading.Thread(target=lambda: fetcher.fetch([1]))
thread.start(), thread.join()
""")
        self.assertEqual(done.recorded(), ["7 Data", "end"])
