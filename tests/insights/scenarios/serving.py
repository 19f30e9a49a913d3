"""Serving engines: steps by their annotations, in every form, with true counts by kind."""
from .blocks import POINTWISE, Program, calls, ms, us
from .registry import scenario

TORCH = ("cuda", "rocm")


class Engine:
    """A serving engine: prefill steps of large kernels, decode steps that replay a graph."""

    def __init__(self, run, **model):
        self.run, self.machine = run, run.machine
        self.program = Program(run, **model)
        self.main, self.stream = self.program.main, self.program.stream
        self.before = None

    def prefill(self, layers=6, small=False):
        """Kernels launched one by one."""
        for _ in range(layers):
            self.program.op(self.main, "linear", us(5) if small else us(420), label="prefill")
            self.program.op(self.main, "norm", us(3) if small else us(40), label="prefill")

    def decode(self, nodes=40, ns=us(48)):
        """A replay."""
        rows = [(self.program.gemm if k % 2 else POINTWISE["cuda"], self.machine.device_ns("node", ns)) for k in range(nodes)]
        calls.graph(self.main, self.stream, rows, self.machine.host_ns("graph call", us(55)))

    def tokens(self, count):
        """Copies the new tokens to the host; returns the event at which they are there."""
        calls.copy(self.main, self.stream, "DtoH", 8 * count)
        return calls.record_event(self.main, self.stream)

    def schedule(self, ns=us(300)):
        """The scheduler's Python code between two steps."""
        self.program.frame("vllm/v1/core/sched/scheduler.py(183): schedule", ns, "schedule")

    def ahead(self, name, work, kind, requests, tokens, padded=None, outer=None):
        """A step whose results are waited for only after the next one has been launched."""
        self._annotated(name, outer, work, tokens or requests, kind, requests, tokens, padded)
        if self.before:
            calls.synchronize(self.main, event=self.before[-2] if len(self.before) > 1 else self.before[-1])
        self.schedule(us(130))

    def in_step(self, name, work, kind, requests, tokens, padded=None, outer=None):
        """A step whose results are waited for before anything else is done."""
        self._annotated(name, outer, work, tokens or requests, kind, requests, tokens, padded)
        calls.synchronize(self.main, event=self.before[-1])

    def _annotated(self, name, outer, work, copied, kind, requests, tokens, padded):
        if outer:
            with self.main.inside("range", outer):
                self.main.spend(us(20))
                with self.main.inside("range", name):
                    work()
                self.main.spend(us(9))
        else:
            with self.main.inside("range", name):
                work()
        self.before = (self.before or []) + [self.tokens(copied)]
        self.machine.count_step(kind, requests, tokens, padded)

    def finish(self):
        """Waits for what is still to come."""
        calls.synchronize(self.main, self.program.device)


def roofline(kind, requests, keys):
    """vLLM's longer names: sums of query and key lengths and of their products."""
    parts = {"context": "(sq0sk0sqsq0sqsk0)", "generation": "(sq0sk0sqsq0sqsk0)"}
    parts[kind] = "(sq%dsk%dsqsq%dsqsk%d)" % (requests, keys, requests, keys)
    counts = {"context": 0, "generation": 0}
    counts[kind] = requests
    return "execute_%d_context_%d%s_generation_%d%s" % (requests, counts["context"], parts["context"], counts["generation"], parts["generation"])


@scenario(None, TORCH, stacks=True, must_not=("launch_bound", "blocking_sync"))
def vllm_ahead(run):
    """vLLM: prefill, mixed and decode steps, scheduled ahead of the device."""
    engine = Engine(run)
    engine.ahead("execute_context_2(6144)_generation_0(0)", engine.prefill, "prefill", 2, 6144)
    engine.ahead("execute_context_1(2048)_generation_3(3)", engine.prefill, "mixed", 4, 2051)
    for _ in range(run.count(10, 8)):
        engine.ahead("execute_context_0(0)_generation_5(5)", engine.decode, "decode", 5, 5)
    engine.finish()


@scenario(None, TORCH, stacks=True)
def vllm_roofline_names(run):
    """vLLM's longer names with sums of lengths, decode only."""
    engine = Engine(run)
    for number in range(run.count(10, 8)):
        engine.ahead(roofline("generation", 64, 131072 + 64 * number), engine.decode, "decode", 64, 64)
    engine.finish()


@scenario("blocking_sync", ("cuda",), stacks=True)
def vllm_waits_each_step(run):
    """vLLM without scheduling ahead: each step's tokens are waited for, then the scheduler runs beside an idle device."""
    engine = Engine(run)
    engine.in_step("execute_context_1(512)_generation_0(0)", engine.prefill, "prefill", 1, 512)
    for _ in range(run.count(8, 8)):
        engine.in_step("execute_context_0(0)_generation_8(8)", engine.decode, "decode", 8, 8)
        engine.schedule(ms(1.1))
    engine.finish()


@scenario("launch_bound", ("cuda",), findings=("small_kernels",))
def vllm_eager_decode(run):
    """vLLM in eager mode: decode steps of small kernels, launched one by one."""
    engine = Engine(run)
    for _ in range(run.count(5)):
        engine.in_step("execute_context_0(0)_generation_4(4)", lambda: engine.prefill(20, True), "decode", 4, 4)
    engine.finish()


@scenario(None, TORCH, stacks=True)
def sglang_ahead(run):
    """SGLang: extend, mixed and decode steps."""
    engine = Engine(run)
    engine.ahead("step[EXTEND bs=2 toks=14721]", engine.prefill, "prefill", 2, 14721)
    engine.ahead("step[MIXED bs=3 toks=4099]", engine.prefill, "mixed", 3, 4099)
    for _ in range(run.count(9, 8)):
        engine.ahead("step[DECODE bs=64]", engine.decode, "decode", 64, 64)
    engine.finish()


@scenario(None, ("rocm",), stacks=True)
def sglang_nested(run):
    """SGLang with another annotation around each of its own: one step each."""
    engine = Engine(run)
    for number in range(run.count(9, 8)):
        engine.ahead("step[DECODE bs=32]", engine.decode, "decode", 32, 32, outer=roofline("generation", 32, 32785 + 32 * number))
    engine.finish()


@scenario(None, ("cuda",), stacks=True)
def sglang_long_names(run):
    """SGLang's longer names with sums of lengths."""
    engine = Engine(run)
    name = "step[EXTEND bs=2 toks=4096 c_sq=4096 c_sqsq=8388608 c_sqsk=8388608 c_sk=4096 g_sq=0 g_sqsq=0 g_sqsk=0 g_sk=0]"
    engine.ahead(name, engine.prefill, "prefill", 2, 4096)
    for _ in range(run.count(8, 8)):
        name = "step[DECODE bs=16 c_sq=0 c_sqsq=0 c_sqsk=0 c_sk=0 g_sq=16 g_sqsq=16 g_sqsk=32784 g_sk=32784]"
        engine.ahead(name, engine.decode, "decode", 16, 16)
    engine.finish()


@scenario(None, ("rocm",), stacks=True)
def atom_padded(run):
    """ATOM: decode steps padded to the size of their graph."""
    engine = Engine(run)
    engine.ahead("prefill[bs=2 tok=14721 ctx=[7803, 6918]]", engine.prefill, "prefill", 2, 14721)
    for _ in range(run.count(8, 8)):
        engine.ahead("decode[bs=117/128 tok=117 d=117]", lambda: engine.decode(), "decode", 117, 117, padded=128)
    engine.finish()


@scenario(None, ("cuda",), stacks=True)
def diffusion_steps(run):
    """A diffusion server: one annotation for each batch of images."""
    engine = Engine(run)
    for _ in range(run.count(5)):
        engine.ahead("execute_diffusion_1_1024x1024", lambda: engine.prefill(8), "diffusion", 1, 0)
    engine.finish()


@scenario(None, TORCH, stacks=True)
def captures_then_decode(run):
    """Graphs are captured for several batch sizes, then decode steps replay them: captures are no steps, so they are not in the run."""
    engine = Engine(run)
    main = engine.main
    engine.prefill(2)
    for name in ("capture_8_decode", "capture_16_decode", "capture_1_prefill", "capture_256_mixed_prefill"):
        with main.inside("range", name, "compile") as activity:
            if activity:
                calls.call(main, "begin_capture", us(14))
                main.spend(run.machine.host_ns("capture", ms(2.5)))
                calls.call(main, "end_capture", us(60))
                calls.call(main, "instantiate", run.machine.host_ns("instantiate", ms(1.5)), "compile")
    for _ in range(run.count(6)):
        engine.ahead("step[DECODE bs=8]", engine.decode, "decode", 8, 8)
    engine.finish()


@scenario("host_python", ("cuda",), stacks=True)
def tokenizer_between_steps(run):
    """The server's own Python code (tokenizing, sampling on the host) takes longer than the device's work."""
    engine = Engine(run)
    for _ in range(run.count(7)):
        engine.ahead("step[DECODE bs=4]", lambda: engine.decode(20), "decode", 4, 4)
        engine.program.frame("server/tokenize.py(44): decode_stream", ms(4), "tokenize")
    engine.finish()


@scenario("blocking_sync", ("rocm",), stacks=True)
def sglang_copy_with_stream(run):
    """SGLang on ROCm: each step ends in one hipMemcpyWithStream, then Python prepares the next."""
    engine = Engine(run)
    for _ in range(run.count(7)):
        with engine.main.inside("range", "step[DECODE bs=32]"):
            engine.decode()
            with engine.main.inside("operator", "aten::to"):
                calls.copy(engine.main, engine.stream, "DtoH", 256, pinned=False)
        run.machine.count_step("decode", 32, 32)
        engine.program.frame("sglang/srt/managers/scheduler.py(2919): process_batch_result", us(900), "process")
    engine.finish()


@scenario(None, ("cuda",), stacks=True)
def serving_for_long(run):
    """Many decode steps: a large file."""
    engine = Engine(run)
    for number in range(run.count(120)):
        if number % 20 == 0:
            engine.ahead("execute_context_1(1024)_generation_31(31)", engine.prefill, "mixed", 32, 1055)
        else:
            engine.ahead("execute_context_0(0)_generation_32(32)", lambda: engine.decode(60), "decode", 32, 32)
    engine.finish()
