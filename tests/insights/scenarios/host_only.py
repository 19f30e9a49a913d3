"""Runs without any device work: what the thread of the steps does beside computing."""
from .blocks import Prefetching, Program, calls, ms, us
from .reasons import loader_thread
from .registry import scenario

PRODUCTS = ("aten::mm", "aten::addmm", "aten::mkldnn_convolution")
COMPUTES = ("cpu_operator",)


class Host:
    """A program that computes on the host: each operator takes its time there."""

    def __init__(self, run):
        self.run, self.machine = run, run.machine
        self.program = Program(run)
        self.main, self.worker = self.program.main, self.program.worker

    def compute(self, name, ns, thread=None, cause=None):
        """An operator; one of cause `cpu_operator` is slow for what it does."""
        (thread or self.main).busy("operator", name, self.machine.host_ns("computes " + name, ns), cause)

    def forward(self, number=12, ns=us(450)):
        """Products, and small operators between them."""
        for _ in range(number):
            for name in PRODUCTS:
                self.compute(name, ns)
            self.compute("aten::relu", ns * 0.3)
            self.program.short_script(self.main)

    def backward(self, number=12, ns=us(450)):
        """The same on the thread of backward passes, for which the main one waits."""
        with self.main.inside("python", "torch/_tensor.py(570): backward"):
            self.worker.until(self.main.now + us(20))
            for _ in range(number):
                with self.worker.inside("operator", "autograd::engine::evaluate_function: AddmmBackward0"):
                    for name in PRODUCTS[:2]:
                        self.compute(name, ns, self.worker)
            self.main.wait_for(self.worker, "<built-in method run_backward of torch._C._EngineBase object at 0x7f21c0e5>", us(10))

    def steps(self, count, before=None, number=12):
        """Training steps; `before(number)` is called inside each."""
        for at in range(count):
            with self.program.step():
                if before:
                    before(at)
                self.forward(number)


@scenario("data_loading", ("cuda", "paddle"), may=COMPUTES, when="every step")
def host_waits_for_its_loader(run):
    """A run on the host alone, whose loader takes a third of each step."""
    host = Host(run)
    host.steps(run.count(6), lambda n: host.program.load_inline(ms(9)))


@scenario("garbage_collection", ("cuda",), stacks=True, may=COMPUTES, when="every 3rd")
def host_collects_garbage(run):
    """A run on the host alone; Python collects garbage in every third step."""
    host = Host(run)
    host.steps(run.count(9, 9), lambda n: n % 3 == 1 and host.main.busy(
        "python", "<built-in function gc.collect>", run.machine.host_ns("gc", ms(25)), "garbage_collection"))


@scenario("host_python", ("cuda",), stacks=True, may=COMPUTES, reason="augment", when="every step")
def host_runs_python(run):
    """A run on the host alone; the script's own Python takes a third of each step."""
    host = Host(run)
    host.steps(run.count(6), lambda n: host.program.frame("train.py(61): augment", ms(9)))


@scenario("checkpoint", ("cuda",), stacks=True, may=COMPUTES, when="step 6")
def host_saves_a_checkpoint(run):
    """A run on the host alone; a checkpoint is written before the third step."""
    host = Host(run)
    host.steps(run.count(6, 5), lambda n: n == 2 and host.main.busy(
        "python", "torch/serialization.py(943): save", run.machine.host_ns("write", ms(40)), "checkpoint"))


@scenario("cpu_operator", ("cuda",), severity="critical", when="every step", must_not=("host_python", "data_loading"))
def host_in_one_slow_operator(run):
    """A run on the host alone; an operator that is no product has most of the time."""
    host = Host(run)
    host.steps(run.count(6), lambda n: host.compute("aten::unique_dim", ms(40), cause="cpu_operator"), number=3)


@scenario("data_loading", ("cuda",), may=COMPUTES, when="no steps")
def host_loads_without_steps(run):
    """A run on the host alone without marked steps; its loader is slow again and again."""
    host = Host(run)
    for _ in range(run.count(6)):
        host.forward()
        host.program.load_inline(ms(9))
    host.forward()


@scenario("compile", ("cuda",), stacks=True, may=COMPUTES, when="steps 6, 8")
def host_compiles_twice(run):
    """A run on the host alone; code is compiled in two steps that have new shapes."""
    host = Host(run)
    host.steps(run.count(7, 6), lambda n: n in (2, 4) and host.main.busy(
        "python", "torch/_inductor/compile_fx.py(711): compile_fx_inner", run.machine.host_ns("compile", ms(35)), "compile"))


@scenario("host_python", ("paddle",), may=COMPUTES, when="every step")
def host_runs_python_of_paddle(run):
    """The script's own Python takes a third of each step, in a file without frames."""
    host = Host(run)
    host.steps(run.count(6), lambda n: host.program.frame("train.py(61): augment", ms(9)))


@scenario("waits_for_stream", ("cuda",), may=COMPUTES, when="every step")
def host_waits_for_another_rank(run):
    """A run on the host alone; each step ends in a collective, to which another rank comes late."""
    host = Host(run)
    for _ in range(run.count(6)):
        with host.program.step():
            host.forward()
            host.main.busy("operator", "gloo:all_reduce", run.machine.host_ns("late", ms(9)), "waits_for_stream")


@scenario("data_loading", ("cuda",), stacks=True, may=COMPUTES, reason="decode_jpeg", must_not=("no_requests",))
def host_waits_for_a_loader_thread(run):
    """A run on the host alone; the main thread waits for a queue, and a thread of the loader decodes images."""
    host = Host(run)
    host.steps(run.count(6), loader_thread(run, host.program, ms(30), "decode_jpeg"))


@scenario(None, ("cuda",), stacks=True, findings=("no_requests",), may=COMPUTES, must_not=("host_python", "not_attributable"))
def host_server_without_requests(run):
    """A server on the host alone waits for requests in a queue's get for most of the time."""
    host = Host(run)
    for _ in range(run.count(6)):
        host.forward(3)
        host.main.busy("wait", "queue.py(171): get", run.machine.host_ns("request", ms(12)), "no_requests")
    host.forward(3)


@scenario(None, ("cuda",), stacks=True, once=("compile",), may=COMPUTES, when="first step")
def host_compiles_at_first(run):
    """A run on the host alone; code is compiled in the first step only."""
    host = Host(run)
    host.steps(run.count(6), lambda n: n == 0 and host.main.busy(
        "python", "torch/_inductor/compile_fx.py(711): compile_fx_inner", run.machine.host_ns("compile", ms(60)), "compile"))


@scenario(None, ("cuda",), stacks=True, may=COMPUTES)
def host_trains(run):
    """A healthy run on the host alone: forward passes, and backward ones on a thread of their own."""
    host = Host(run)
    for _ in range(run.count(5)):
        with host.program.step():
            host.forward(8)
            host.backward(8)


@scenario(None, ("cuda",), may=COMPUTES, must_not=("data_loading",))
def host_finds_its_batches_ready(run):
    """A healthy run on the host alone: workers of the loader are faster than the steps."""
    host = Host(run)
    loader = Prefetching(host.program, ms(9))
    loader.ready = [0, 0]
    host.steps(run.count(6), lambda n: loader.next())


@scenario(None, ("cuda",), may=COMPUTES, must_not=("host_python", "launch_bound"))
def host_of_many_small_operators(run):
    """A healthy run on the host alone: hundreds of small operators of many names, none of which has most of the time."""
    host = Host(run)
    names = ("aten::add", "aten::mul", "aten::sub", "aten::exp", "aten::cat", "aten::index_select", "aten::sum", "aten::copy_")
    for _ in range(run.count(5)):
        with host.program.step():
            for number in range(160):
                host.compute(names[number % 8], us(60))
                host.program.short_script(host.main)


@scenario("cpu_operator", ("cuda",), stacks=True, severity="critical", when="every step", must_not=("host_python",))
def host_in_a_slow_backward(run):
    """A run on the host alone; an operator of the backward pass, on its own thread, has most of the time."""
    host = Host(run)
    for _ in range(run.count(6)):
        with host.program.step():
            host.forward(2)
            with host.main.inside("python", "torch/_tensor.py(570): backward"):
                host.worker.until(host.main.now + us(20))
                with host.worker.inside("operator", "autograd::engine::evaluate_function: EmbeddingBackward0"):
                    host.compute("aten::embedding_dense_backward", ms(25), host.worker, "cpu_operator")
                host.main.wait_for(host.worker, "<built-in method run_backward of torch._C._EngineBase object at 0x7f21c0e5>", us(10))


@scenario(None, ("cuda",), may=("cpu_operator", "profiler"))
def host_beside_the_profiler(run):
    """A healthy run on the host alone; the profiler flushes its buffers in each step."""
    host = Host(run)
    host.steps(run.count(6), lambda n: calls.overhead(host.main, "Buffer Flush", ms(6), "profiler"))


@scenario(None, ("cuda",), findings=("not_attributable",), may=COMPUTES, must_not=("host_python",), allowed_unknown=100, when="once")
def host_hole_without_records(run):
    """A run on the host alone without marked steps; once, nothing is recorded for a long time."""
    host = Host(run)
    rounds = run.count(6, 4)
    for number in range(rounds):
        host.forward()
        if number == rounds // 2:
            host.main.spend(run.machine.host_ns("unseen", ms(40)))


@scenario(None, ("cuda", "paddle"), may=COMPUTES, must_not=("launch_bound",))
def host_in_convolutions(run):
    """A healthy run on the host alone; convolutions have nearly all the time, which is what the host is there for."""
    host = Host(run)
    name = "conv2d dygraph" if host.program.is_paddle else "aten::mkldnn_convolution"
    for _ in range(run.count(5)):
        with host.program.step():
            for _ in range(20):
                host.compute(name, ms(1.2))
                host.program.short_script(host.main)


@scenario(None, ("cuda",), stacks=True, may=COMPUTES, must_not=("data_loading", "garbage_collection", "host_python"))
def host_with_small_costs(run):
    """A healthy run on the host alone; each step has a little loading, a little collection and a little Python."""
    host = Host(run)

    def before(_):
        host.program.load_inline(us(300))
        host.main.busy("python", "<built-in function gc.collect>", run.machine.host_ns("gc", us(300)), "garbage_collection")
        host.program.frame("train.py(90): update_meter", us(300))
    host.steps(run.count(5), before)
