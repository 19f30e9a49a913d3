"""Attention written out and fused, and holes that the device has by itself, in the steps in which they were launched."""
from .blocks import Program, calls, train, us
from .proof import SOFTMAX
from .registry import scenario

SOFTMAX_GRAD = "void (anonymous namespace)::softmax_warp_backward<float, c10::BFloat16, float, 10, false, false>(c10::BFloat16*)"
LOG_SOFTMAX = "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, true, false>(c10::BFloat16*)"
CUTLASS = "fmha_cutlassF_bf16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t>::Params)"


def _attention(run, words):
    """Attention in each layer, by operators of these words; those between the products work on the scores."""
    program = Program(run, gemm=us(250))

    def attend(_):
        for word in words:
            is_product = word in ("bmm", "baddbmm")
            kernel = program.gemm if is_product else SOFTMAX if word == "softmax" else None
            program.op(program.main, word, us(120), kernel=kernel)
    train(program, run.count(5), forward=attend)


@scenario("unfused_attention", ("cuda",), findings=("unfused_attention",), when="every step")
def attention_with_a_mask(run):
    """Attention as baddbmm, a scaling, a mask, a softmax, a dropout, and bmm."""
    _attention(run, ("baddbmm", "mul", "add", "softmax", "mul", "bmm"))


@scenario("unfused_attention", ("rocm", "paddle"), findings=("unfused_attention",))
def attention_on_other_platforms(run):
    """Attention written out on other platforms."""
    _attention(run, ("bmm", "mul", "softmax", "bmm"))


@scenario("unfused_attention", ("cuda",), findings=("unfused_attention",), when="every step")
def backward_of_attention(run):
    """The forward pass is fused, the backward one is written out: products with a softmax's backward between them."""
    program = Program(run, gemm=us(250))

    def back(_):
        program.op(program.worker, "bmm", us(120), kernel=program.gemm)
        program.op(program.worker, "softmax_grad", us(260), kernel=SOFTMAX_GRAD)
        program.op(program.worker, "mul", us(200))
        program.op(program.worker, "bmm", us(120), kernel=program.gemm)
    train(program, run.count(5), forward=lambda layer: program.op(program.main, "norm", us(300), kernel=CUTLASS), backward=back)


@scenario(None, ("cuda",), must_not=("unfused_attention",))
def attention_by_cutlass(run):
    """Fused attention by another kernel, forward only; batched products of experts stand around it."""
    program = Program(run, gemm=us(250))

    def attend(_):
        program.op(program.main, "bmm", us(120), kernel=program.gemm)
        program.op(program.main, "norm", us(300), kernel=CUTLASS)
        program.op(program.main, "bmm", us(120), kernel=program.gemm)
    train(program, run.count(5), forward=attend)


@scenario(None, ("cuda",), must_not=("unfused_attention",))
def logarithms_between_products(run):
    """Batched products with the logarithm of a softmax between them, as of a loss: no attention."""
    program = Program(run, gemm=us(250))

    def lose(_):
        program.op(program.main, "bmm", us(120), kernel=program.gemm)
        program.op(program.main, "log_softmax", us(260), kernel=LOG_SOFTMAX)
        program.op(program.main, "bmm", us(120), kernel=program.gemm)
    train(program, run.count(5), forward=lose)


@scenario("graph", ("cuda", "rocm"), when="every step")
def graphs_with_holes_in_every_step(run):
    """Each step replays a graph with holes between its kernels; the host is steps ahead of the device."""
    program = Program(run)
    for _ in range(run.count(8, 6)):
        with program.step():
            nodes = [(program.gemm, run.machine.device_ns("node", us(12)), run.draws.near("hole", us(6), 0.2)) for _ in range(50)]
            calls.graph(program.main, program.stream, nodes, run.machine.host_ns("graph call", us(45)))
            program.short_script(program.main)


@scenario("within_call", ("cuda",), when="every step")
def calls_with_holes_in_every_step(run):
    """Each layer has a call that launches kernels with holes between them; the host is steps ahead of the device."""
    program = Program(run, gemm=us(250))

    def several(_):
        with program.operator(program.main, "norm"):
            works = [(program.pointwise, run.machine.device_ns("part", us(12)), run.draws.near("hole", us(14), 0.2)) for _ in range(12)]
            calls.several(program.main, program.stream, works, run.machine.host_ns("call of several", us(12)))
    train(program, run.count(8, 6), forward=several)


@scenario("unfused_attention", ("cuda",), findings=("unfused_attention",), when="step 6")
def attention_written_out_in_one_step(run):
    """One step of eight computes attention by products and a softmax, as for a batch whose mask the fused kernel does not know."""
    program = Program(run, gemm=us(100))

    def attend(_):
        if program.number == 6:
            for word, ns in (("bmm", us(300)), ("softmax", us(500)), ("bmm", us(300))):
                program.op(program.main, word, ns, kernel=SOFTMAX if word == "softmax" else program.gemm)
        else:
            program.op(program.main, "norm", us(60), kernel=CUTLASS)
    train(program, run.count(8, 6), forward=attend)
