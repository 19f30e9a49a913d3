"""Findings about kernels and copies, each with near misses: layouts, small copies, float32, communication."""
from .beyond import COLLECTIVE
from .blocks import Program, calls, to_device, train, us
from .registry import scenario

LAYOUT = "void cudnn::ops::nchwToNhwcKernel<__half, __half, float, false, true, (cudnnKernelDataType_t)0>(cudnn::ops::nchw2nhwc_params_t<float>)"
BACK = "void cudnn::ops::nhwcToNchwKernel<__half, __half, float, true, false, (cudnnKernelDataType_t)0>(cudnn::ops::nhwc2nchw_params_t<float>)"
TRANSPOSE = "batched_transpose_32x32_dword"
CONVOLUTION = "sm90_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x64_warpgroupsize1x1x1_g1_kernel__5x_cudnn"
FLOAT32 = ("maxwell_scudnn_128x64_relu_interior_nn_v1", "void cudnn::cnn::dgrad_engine<float, 128, 6, 7, 3, 3, 5, false>(int, int, int)",
           "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3, 3, 1, false, false, true>(int, int, int)",
           "void cudnn::cnn::wgrad_alg0_engine<float, 128, 5, 5, 3, 3, 3, false, 512>(int, int, int)",
           "void cudnn::winograd_nonfused::winogradForwardData4x4<float, float>(cudnn::winograd_nonfused::WinogradDataParams<float, float>)",
           "void fft2d_r2c_32x32<float, false, 0u, false>(float2*, float const*, int, int, int, int, int)", "volta_cgemm_32x32_tn")
GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def _convolutions(run, conversion):
    """Convolutions in the layout that tensor cores need, with a conversion of `conversion` ns before and after each."""
    program = Program(run)

    def layer(_):
        with program.operator(program.main, "conv"):
            for name, ns in ((LAYOUT, conversion), (CONVOLUTION, us(220)), (BACK, conversion)):
                calls.launch(program.main, program.stream, name, run.machine.device_ns("conv", ns))
    train(program, run.count(5), forward=layer)


@scenario("layout_conversion", ("cuda",), findings=("layout_conversion",), when="every step")
def layouts_converted(run):
    """Each convolution has its input and its output brought into another layout."""
    _convolutions(run, us(110))


@scenario(None, ("cuda",), must_not=("layout_conversion",))
def layouts_of_small_tensors(run):
    """The same for small tensors: their conversions take next to no time."""
    _convolutions(run, us(5))


def _copies(run, number, call_ns, size=4, steps=5):
    """Steps with so many copies to the device behind large kernels, whose calls take `call_ns` each."""
    program = Program(run, layers=10, gemm=us(320))

    def send(layer):
        for _ in range(number if layer == 3 else 0):
            with program.operator(program.main, "fill"):
                calls.copy(program.main, program.stream, "HtoD", size, call_ns=call_ns)
    train(program, steps, forward=send)


@scenario("small_copies", ("cuda",), findings=("small_copies",), must_not=("exposed_copy", "launch_bound"), when="every step")
def values_sent_one_by_one(run):
    """Forty values per step are sent to the device one by one, by costly calls; the device has work meanwhile."""
    _copies(run, 40, us(60), steps=run.count(5, 4))


@scenario("blocking_sync", ("cuda",), findings=("small_copies",), when="every step")
def decisions_on_the_host(run):
    """Control flow on the host reads forty values per step, one by one."""
    program = Program(run, layers=10)
    for _ in range(run.count(5, 4)):
        with program.step():
            for _ in range(40):
                program.op(program.main, "linear", us(50))
                program.item()


@scenario(None, ("cuda",), must_not=("small_copies",))
def some_values_sent(run):
    """A dozen values per step are sent one by one: fewer than a hundred in all."""
    _copies(run, 12, us(60), steps=6)


@scenario(None, ("cuda",), must_not=("small_copies",))
def values_sent_by_cheap_calls(run):
    """Hundreds of small copies whose calls take next to no time."""
    _copies(run, 40, us(2.5), steps=run.count(5, 4))


@scenario(None, ("cuda",), must_not=("small_copies",))
def values_copied_into_a_full_queue(run):
    """Small copies on a device that is behind: their calls are cheap, and wait for room in the queue."""
    program = Program(run, layers=10, gemm=us(320), depth=16)

    def send(_):
        for _ in range(4):
            with program.operator(program.main, "fill"):
                calls.copy(program.main, program.stream, "DtoD", 512, call_ns=us(2.5))
    train(program, run.count(5, 4), forward=send)


@scenario(None, ("cuda",), must_not=("small_copies", "exposed_copy"))
def blocks_sent_one_by_one(run):
    """As many copies of 16 KiB by calls as costly: no small values."""
    _copies(run, 40, us(60), 16_384, steps=run.count(5, 4))


def _cudnn(run, names):
    program = Program(run)
    train(program, run.count(5), forward=lambda layer: program.op(program.main, "conv", us(500), kernel=names[layer % len(names)]))


@scenario("no_tensor_cores", ("cuda",), findings=("no_tensor_cores",), when="every step")
def convolutions_in_float32(run):
    """Convolutions by cuDNN's float32 kernels, on a device with tensor cores."""
    _cudnn(run, FLOAT32[:4])


@scenario("no_tensor_cores", ("cuda",), findings=("no_tensor_cores",))
def convolutions_by_other_algorithms(run):
    """Convolutions in float32 by Winograd's algorithm and by Fourier transforms, which use no tensor cores either."""
    _cudnn(run, FLOAT32[4:])


@scenario(None, ("cuda",), must_not=("no_tensor_cores",))
def convolutions_in_float32_on_pascal(run):
    """The same on a device without tensor cores."""
    run.machine.edition["pascal"] = True
    _cudnn(run, FLOAT32[:4])


@scenario(None, ("cuda",), must_not=("no_tensor_cores",))
def convolutions_in_float16(run):
    """Convolutions by kernels that use tensor cores."""
    _cudnn(run, (CONVOLUTION, CONVOLUTION.replace("fprop", "dgrad"), CONVOLUTION.replace("fprop", "wgrad")))


@scenario("layout_conversion", ("rocm",), findings=("layout_conversion",))
def layouts_transposed(run):
    """MIOpen transposes the inputs and outputs of its convolutions."""
    program = Program(run)

    def layer(_):
        with program.operator(program.main, "conv"):
            for name, ns in ((TRANSPOSE, us(110)), (program.gemm, us(220)), (TRANSPOSE, us(110))):
                calls.launch(program.main, program.stream, name, run.machine.device_ns("conv", ns))
    train(program, run.count(5), forward=layer)


def _sharded(run, ahead):
    """Each layer's weights are gathered: right before the layer, or one layer ahead, beside the kernels of the one before."""
    program = Program(run, layers=6, gemm=us(500))
    main, comm = program.main, program.device.stream(20)
    for _ in range(run.count(5)):
        with program.step():
            gathered = []
            for layer in range(8):
                if not ahead or layer == 0:
                    gathered.append(_gather(run, program, comm, not ahead))
                calls.wait_event(main, program.stream, gathered[layer])
                if ahead and layer < 7:
                    gathered.append(_gather(run, program, comm, False))
                for _ in range(2):
                    program.op(main, "linear", us(500))
            program.optimizer()


def _gather(run, program, comm, after_all):
    """One gathering; `after_all`: only after all kernels launched so far."""
    main = program.main
    with main.inside("range", "FSDP::all_gather"):
        if after_all:
            calls.wait_event(main, comm, calls.record_event(main, program.stream))
        calls.launch(main, comm, GATHER, run.machine.device_ns("gather", us(350)), collective=dict(COLLECTIVE, **{"Collective name": "allgather"}))
        return calls.record_event(main, comm)


@scenario("communication", ("cuda", "rocm"), findings=("communication",), must_not=("waits_for_stream",), when="every step")
def weights_gathered_too_late(run):
    """Each layer's weights are gathered after the layer before has ended: no kernel runs meanwhile."""
    _sharded(run, False)


@scenario(None, ("cuda", "rocm"), must_not=("communication", "waits_for_stream"))
def weights_gathered_ahead(run):
    """Each layer's weights are gathered while the layer before is computed."""
    _sharded(run, True)


def _offloaded(run, hidden):
    """Activations go to the host by a stream of their own; the kernels wait for that, or they do not."""
    program = Program(run, layers=6, gemm=us(350))
    main, side = program.main, program.device.stream(22)

    def send(layer):
        if layer not in (1, 4):
            return
        calls.wait_event(main, side, calls.record_event(main, program.stream))
        calls.copy(main, side, "DtoH", 14_000_000)
        if not hidden:
            calls.wait_event(main, program.stream, calls.record_event(main, side))
    train(program, run.count(5), forward=send)


@scenario("exposed_copy", ("cuda",), findings=("exposed_copy",), must_not=("waits_for_stream",), when="every step")
def activations_sent_alone(run):
    """Activations go to the host by a stream of their own, and the kernels wait for it."""
    _offloaded(run, False)


@scenario(None, ("cuda",), must_not=("exposed_copy",))
def activations_sent_beside_kernels(run):
    """The same while kernels run."""
    _offloaded(run, True)


@scenario("exposed_copy", ("cuda",), findings=("exposed_copy",), must_not=("small_copies",), when="every step")
def weights_brought_in_each_step(run):
    """Weights come from the host in each step, on the stream of the kernels."""
    program = Program(run, gemm=us(300))
    train(program, run.count(5), before=lambda n: [to_device(program, 24_000_000) for _ in range(2)])
