"""Findings that are about work and not about idle time, each with a near miss."""
from .blocks import ADAM, Program, calls, ms, to_device, train, us
from .registry import scenario

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
COLLECTIVE = {"Collective name": "allreduce", "In msg nelems": 33554432, "Out msg nelems": 33554432, "Group size": 8, "dtype": "BFloat16",
              "Process Group Name": "0", "Process Group Description": "default_pg"}


@scenario("exposed_copy", ("cuda", "rocm"), findings=("exposed_copy",))
def large_copies_in_stream(run):
    """Each batch is copied on the stream of the kernels: the device copies and computes nothing."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: to_device(program, 44_000_000))


@scenario("exposed_copy", ("cuda", "paddle"), findings=("exposed_copy",))
def large_pageable_copies(run):
    """Large pageable copies to the host: the work of the copies is what costs, not the wait for them."""
    program = Program(run, layers=8, gemm=us(300))

    def results(_):
        with program.operator(program.main, "to"):
            calls.copy(program.main, program.stream, "DtoH", 9_000_000, pinned=False)
    for _ in range(run.count(5)):
        with program.step():
            program.forward()
            results(0)


@scenario(None, ("cuda",), must_not=("exposed_copy",))
def copies_of_some_bytes(run):
    """Many small copies, of a share that does not matter."""
    program = Program(run, layers=10, gemm=us(240))
    train(program, run.count(4), forward=lambda layer: calls.copy(program.main, program.stream, "HtoD", 60_000))


def _data_parallel(run, hidden):
    """Gradients are reduced on a stream of their own: beside the backward pass, or after it."""
    program = Program(run, layers=6, gemm=us(240))
    main, comm = program.main, program.device.stream(20)

    def reduce(thread, ns):
        with thread.inside("range", "nccl:all_reduce"):
            calls.wait_event(thread, comm, calls.record_event(thread, program.stream))
            calls.launch(thread, comm, ALL_REDUCE, run.machine.device_ns("reduce", ns), collective=COLLECTIVE)

    for _ in range(run.count(5)):
        with program.step():
            program.forward()
            if hidden:
                program.backward(each=lambda layer: layer < 5 and reduce(program.worker, us(380)))
            else:
                program.backward()
                reduce(main, ms(1.9))
            calls.wait_event(main, program.stream, calls.record_event(main, comm))
            program.optimizer()


@scenario("communication", ("cuda", "rocm"), findings=("communication",))
def reduced_after_backward(run):
    """All gradients are reduced after the backward pass: the kernels wait for it."""
    _data_parallel(run, False)


@scenario(None, ("cuda", "rocm"), must_not=("communication", "waits_for_stream"))
def reduced_beside_backward(run):
    """Gradients are reduced layer by layer while the backward pass goes on."""
    _data_parallel(run, True)


@scenario("no_tensor_cores", ("cuda",), findings=("no_tensor_cores",))
def float32_matrices(run):
    """Matrix products in float32 without tensor cores, on a device that has them."""
    train(Program(run, simt=True), run.count(5))


@scenario(None, ("cuda",), must_not=("no_tensor_cores",))
def float32_on_pascal(run):
    """The same on a device that has no tensor cores."""
    run.machine.edition["pascal"] = True
    train(Program(run, simt=True), run.count(5))


@scenario(None, ("cuda",), must_not=("no_tensor_cores",))
def one_float32_matrix(run):
    """One small float32 product (a router) among others that use tensor cores."""
    program = Program(run, layers=8)
    train(program, run.count(5), before=lambda n: program.op(
        program.main, "linear", us(30), kernel="void cutlass::Kernel2<cutlass_80_simt_sgemm_64x64_8x5_tn_align1>(cutlass_80_simt_sgemm_64x64_8x5_tn_align1::Params)"))


@scenario("unfused_optimizer", ("cuda",), findings=("unfused_optimizer",))
def optimizer_of_small_kernels(run):
    """An optimizer launches hundreds of small kernels, behind large ones, so that the device never waits."""
    program = Program(run, gemm=us(420), dispatch=us(7), script=us(2), pause=us(0.2))
    for _ in range(run.count(4)):
        with program.step():
            program.forward()
            program.backward()
            program.unfused_optimizer(62, us(4.2))


@scenario(None, ("cuda",), must_not=("unfused_optimizer",))
def optimizer_of_few_parameters(run):
    """An optimizer of small kernels for few parameters: its share does not matter."""
    program = Program(run, gemm=us(420), dispatch=us(7), script=us(2), pause=us(0.2))
    for _ in range(run.count(4)):
        with program.step():
            program.forward()
            program.backward()
            program.unfused_optimizer(12, us(3))


@scenario("outlier_step", ("cuda",), findings=("outlier_step",))
def one_slow_step(run):
    """One step of ten has kernels that take three times as long (the device was slowed down)."""
    program = Program(run, layers=4, gemm=us(260))
    usual = program.gemm_ns

    def finish(number):
        calls.synchronize(program.main, program.device)
        program.gemm_ns = usual * 3 if number % 10 == 4 else usual
    train(program, run.count(10, 8), after=finish)


@scenario(None, ("cuda",), must_not=("outlier_step",))
def long_first_step(run):
    """The first recorded step is much longer than the others, for its kernels are."""
    program = Program(run, layers=4, gemm=us(260))
    usual = program.gemm_ns
    program.gemm_ns = usual * 3

    def finish(_):
        calls.synchronize(program.main, program.device)
        program.gemm_ns = usual
    train(program, run.count(10, 8), after=finish)


def _with_memory(run, kept):
    """Steps with records of memory; `kept(number)` bytes more are in use after each step."""
    program = Program(run)
    state = {"allocated": 1_400_000_000}

    def note(size):
        state["allocated"] += size
        run.machine.memory.append((program.main, program.main.now, size, state["allocated"], 4_000_000_000))

    def layer(_):
        note(24_000_000)

    def finish(number):
        for _ in range(program.layers):
            program.main.spend(us(1))
            note(-24_000_000)
        program.main.spend(us(1))
        note(kept(number))
    train(program, run.count(8, 6), forward=layer, after=finish)


@scenario("memory_growth", ("cuda",), findings=("memory_growth",))
def memory_grows(run):
    """More memory is in use after each step."""
    _with_memory(run, lambda number: 90_000_000)


@scenario(None, ("cuda",), must_not=("memory_growth",))
def memory_goes_up_and_down(run):
    """Memory goes up within each step, and in the first two steps; then it stays."""
    _with_memory(run, lambda number: 60_000_000 if number < 2 else 4096 if number % 2 else -4096)


@scenario("allocator", ("cuda",), findings=("allocator_retries",))
def allocator_tries_again(run):
    """An allocation fails, all cached memory is freed, and it is tried again, in each step."""
    program = Program(run)

    def retry(layer):
        if layer == 2:
            with program.operator(program.main, "to"):
                calls.malloc(program.main, us(150))
                for _ in range(5):
                    calls.free(program.main, program.device, us(260))
                calls.malloc(program.main, us(1100))
                calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(6)))
    train(program, run.count(6), forward=retry)


@scenario(None, ("cuda",), must_not=("allocator_retries", "allocator"))
def allocations_at_first(run):
    """Memory is asked for in the first step only, while the device is busy; cached memory is freed once at the end."""
    program = Program(run, layers=8, gemm=us(300))

    def allocate(layer):
        if program.number == 4 and layer > 4:
            with program.operator(program.main, "to"):
                calls.malloc(program.main, us(160))
                calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(6)))
    train(program, run.count(5), forward=allocate)
    for _ in range(3):
        calls.free(program.main, program.device, us(150))


@scenario("launch_bound", ("cuda",), findings=("small_kernels",))
def small_kernels_for_long(run):
    """Thousands of small kernels, each waited for by nothing but the host's dispatch: a large file."""
    program = Program(run, layers=60, gemm=us(5), small=us(3))
    for _ in range(run.count(14)):
        with program.step():
            program.forward()


@scenario(None, ("cuda",), must_not=("small_kernels",))
def few_small_kernels(run):
    """Some small kernels between large ones, all of them queued in time."""
    program = Program(run, gemm=us(300), small=us(6))
    for _ in range(run.count(5)):
        with program.step():
            program.forward()
            with program.main.inside("range", "Optimizer.step#SGD.step"):
                calls.launch(program.main, program.stream, ADAM, run.machine.device_ns("sgd", us(60)))
