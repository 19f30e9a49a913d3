"""What is said only with proof, each beside a near miss: attention, loading of kernels, one call of several kernels, retries, unused devices."""
from .blocks import Program, calls, ms, train, us
from .registry import scenario

SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, false, false>(c10::BFloat16*)"
FLASH = "void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::bfloat16_t>>()"


def _attention(program, scores):
    """The operators of one attention, written out; `scores`: ns of each kernel on the matrix of scores."""
    program.op(program.main, "bmm", us(120), kernel=program.gemm)
    program.op(program.main, "mul", scores)
    program.op(program.main, "softmax", scores, kernel=SOFTMAX)
    program.op(program.main, "bmm", us(120), kernel=program.gemm)


@scenario("unfused_attention", ("cuda",), findings=("unfused_attention",))
def attention_written_out(run):
    """Attention as two batched products with a softmax between them, in each layer."""
    program = Program(run, gemm=us(250))
    train(program, run.count(5), forward=lambda layer: _attention(program, us(200)))


@scenario(None, ("cuda",), must_not=("unfused_attention",))
def attention_fused(run):
    """Attention as one kernel."""
    program = Program(run, gemm=us(250))
    train(program, run.count(5), forward=lambda layer: program.op(program.main, "norm", us(400), kernel=FLASH))


@scenario(None, ("cuda",), must_not=("unfused_attention",))
def softmax_of_a_classifier(run):
    """Each layer ends with a softmax between products that are not batched, as of a router."""
    program = Program(run, gemm=us(250))
    train(program, run.count(5), forward=lambda layer: program.op(program.main, "softmax", us(200), kernel=SOFTMAX))


@scenario(None, ("cuda",), once=("compile",))
def kernels_are_loaded(run):
    """The first launches of kernels load their code, for 8 ms each."""
    program = Program(run, gemm=us(300))

    def load(layer):
        if program.number == 4:
            with program.operator(program.main, "norm"):
                calls.first_launch(program.main, program.stream, program.pointwise, run.machine.device_ns("loaded", us(20)), ms(8))
    train(program, run.count(6), forward=load)


@scenario(None, ("cuda",), must_not=("compile",))
def launches_behind_a_full_queue(run):
    """Launches take milliseconds while the queue is full: the device has work."""
    program = Program(run, gemm=ms(2), depth=16)
    train(program, run.count(4))


@scenario("within_call", ("cuda",))
def one_call_of_several_kernels(run):
    """A library launches kernels by one call, with holes between them; it is no graph."""
    program = Program(run, gemm=us(250))

    def several(layer):
        with program.operator(program.main, "norm"):
            works = [(program.pointwise, run.machine.device_ns("part", us(12)), run.draws.near("hole", us(14), 0.2)) for _ in range(12)]
            calls.several(program.main, program.stream, works, run.machine.host_ns("call of several", us(12)))
    train(program, run.count(5), forward=several)


@scenario(None, ("cuda",), must_not=("allocator_retries",))
def workspaces_of_a_first_use(run):
    """One operator asks for memory and frees it three times at its first use, as cuDNN does to try algorithms."""
    program = Program(run, gemm=us(400))

    def first(layer):
        if program.number == 4 and layer == 1:
            with program.operator(program.main, "to"):
                for _ in range(3):
                    calls.malloc(program.main, us(60))
                    calls.free(program.main, program.device, us(40))
                calls.malloc(program.main, us(60))
                calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(6)))
    train(program, run.count(30), forward=first)


@scenario("data_loading", ("cuda",))
def a_second_device_is_not_used(run):
    """A loader holds up the first device; two memsets on the second one are in no sum."""
    program = Program(run)
    other = run.machine.device(1)

    def load(n):
        calls.memset(program.main, other.stream(7), 4096) if n in (1, 3) else None
        program.load_inline(ms(7))
    train(program, run.count(8), before=load)


@scenario(None, ("cuda",))
def a_healthy_device_beside_an_unused_one(run):
    """A healthy run; a memset at each end on the second device makes it no half-idle pair."""
    program = Program(run, layers=8, gemm=us(300))
    other = run.machine.device(1)
    count = run.count(5)
    train(program, count, before=lambda n: calls.memset(program.main, other.stream(7), 4096) if n in (0, count - 1) else None)
