"""Runs in which two causes meet: which of them owns which time is what these are about."""
from .blocks import Program, calls, ms, to_device, train, us
from .registry import FLAVOURS, scenario


@scenario("data_loading", FLAVOURS)
def loader_after_scalar(run):
    """A scalar is read at the end of each step, then the loader makes the next batch on an idle device: the loader keeps its time."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: program.load_inline(ms(6)), after=lambda n: program.item())


@scenario("data_loading", ("cuda",))
def synchronize_inside_loader(run):
    """The loader itself copies and waits: the outermost activity owns the time."""
    program = Program(run)

    def load(_):
        with program._loader("", "_SingleProcessDataLoaderIter") as activity:
            if activity:
                program.main.spend(run.machine.host_ns("load", ms(5)))
                to_device(program, 600_000, pinned=False)
                calls.synchronize(program.main, program.device)
                program.main.spend(run.machine.host_ns("load more", ms(1)))
    train(program, run.count(6), before=load)


@scenario("data_loading", ("cuda",), stacks=True)
def collection_inside_loader(run):
    """Python's garbage collector runs while the loader makes a batch: the loader owns it."""
    program = Program(run)

    def load(_):
        with program._loader("", "_SingleProcessDataLoaderIter") as activity:
            if activity:
                program.main.spend(run.machine.host_ns("load", ms(3)))
                program.main.busy("python", "<built-in function gc.collect>", run.machine.host_ns("gc", ms(4)), "garbage_collection")
    train(program, run.count(6), before=load)


@scenario("garbage_collection", ("cuda",), stacks=True)
def collection_after_synchronize(run):
    """A collection in the time after a synchronization keeps its own name."""
    program = Program(run)

    def finish(_):
        calls.synchronize(program.main, program.device)
        program.main.busy("python", "<built-in function gc.collect>", run.machine.host_ns("gc", ms(2.5)), "garbage_collection")
    train(program, run.count(6), after=finish)


@scenario("launch_bound", ("cuda",), findings=("small_kernels",))
def small_operators_and_scalar(run):
    """Small kernels with a scalar read now and then: the waits are short, so what follows them is the price of dispatch."""
    program = Program(run, layers=24, gemm=us(5), small=us(3.5))
    for _ in range(run.count(4)):
        with program.step():
            program.forward()
            program.item()


@scenario("host_python", ("cuda", "rocm"), stacks=True)
def results_then_long_python(run):
    """A small result goes to the host, then Python works for longer than the copy had waited: beyond that the script is the cause."""
    program = Program(run)
    for _ in range(run.count(7)):
        with program.step():
            program.forward(layers=5)
            with program.operator(program.main, "to"):
                calls.copy(program.main, program.stream, "DtoH", 20_000, pinned=False)
            program.frame("eval.py(57): decode", ms(3.6))


@scenario("host_python", ("cuda",))
def short_wait_then_python(run):
    """A synchronization that waits for little work, then much Python."""
    program = Program(run, layers=2, gemm=us(120))
    for _ in range(run.count(7)):
        with program.step():
            program.forward()
            calls.synchronize(program.main, program.device)
            program.frame("train.py(90): update_curriculum", ms(3))


@scenario("compile", ("cuda",))
def loading_and_allocating(run):
    """A first use: kernels are loaded and memory is asked for, in the same operators."""
    program = Program(run)

    def first_use(number):
        if number in (1, 2):
            for _ in range(6):
                with program.operator(program.main, "mul"):
                    calls.overhead(program.main, "Lazy Function Loading", ms(2.6), "compile")
                    calls.malloc(program.main, us(900))
                    calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("mul", us(9)))
    train(program, run.count(6), before=first_use)


@scenario("checkpoint", ("cuda",), stacks=True)
def checkpoint_and_python(run):
    """A checkpoint is written in one step, and each step has some Python code."""
    program = Program(run)
    main = program.main

    def save(number):
        if number % 6 == 1:
            with main.inside("python", "torch/serialization.py(943): save", "checkpoint") as activity:
                if activity:
                    main.spend(run.machine.host_ns("write", ms(34)))
    train(program, run.count(6), before=lambda n: program.frame("train.py(61): augment", ms(4.6)), after=save)


@scenario("data_loading", ("cuda", "paddle"))
def loader_and_small_operators(run):
    """A slow loader, and small kernels."""
    program = Program(run, layers=8, gemm=us(5), small=us(4))
    for _ in range(run.count(6)):
        with program.step():
            program.load_inline(ms(2.4))
            program.forward()


@scenario("data_loading", ("cuda",), allowed_unknown=20)
def loader_and_peer(run):
    """A slow loader on this rank, and a collective that waits for a peer."""
    program = Program(run)
    comm = program.device.stream(20)

    def reduce(_):
        calls.wait_event(program.main, comm, calls.record_event(program.main, program.stream))
        peer = program.stream.free + run.machine.device_ns("peer", ms(0.6))
        calls.launch(program.main, comm, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                     run.machine.device_ns("transfer", us(90)), collective={"Collective name": "allreduce", "Group size": 2}, peer=peer)
        calls.wait_event(program.main, program.stream, calls.record_event(program.main, comm))
    train(program, run.count(6), before=lambda n: program.load_inline(ms(8)), after=reduce)


def _reduce_with_late_peer(program, delay):
    """An all-reduce whose peer comes `delay` ns after it was launched."""
    machine = program.machine
    peer = program.main.now + machine.device_ns("peer", delay)
    calls.launch(program.main, program.stream, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                 machine.device_ns("transfer", us(40)), collective={"Collective name": "allreduce", "Group size": 2}, peer=peer)


@scenario(None, ("cuda",), stacks=True, allowed_unknown=100)
def collective_launched_late(run):
    """The device runs dry beside Python code, then a collective is launched: its peer comes later still."""
    program = Program(run, layers=2)

    def reduce(_):
        program.frame("train.py(88): log_metrics", ms(2))
        _reduce_with_late_peer(program, ms(3.4))
    train(program, run.count(6), after=reduce)


@scenario(None, ("cuda",), must_not=("not_recorded",), allowed_unknown=100)
def scalar_behind_late_collective(run):
    """A scalar is read while a collective waits for its peer: the call waits, the device is idle, and no record is missing."""
    program = Program(run)

    def reduce(_):
        program.item()
        _reduce_with_late_peer(program, ms(2))
    train(program, run.count(6), after=reduce)


@scenario("cpu_operator", ("cuda",))
def host_operator_and_results(run):
    """Results go to the host, and an operator works on them there."""
    program = Program(run)
    for _ in range(run.count(6)):
        with program.step():
            program.forward(layers=4)
            with program.operator(program.main, "to"):
                calls.copy(program.main, program.stream, "DtoH", 400_000, pinned=False)
            if run.machine.without != "cpu_operator":
                program.main.busy("operator", "aten::topk", run.machine.host_ns("topk", ms(1.7)))


@scenario("data_loading", ("cuda",), may=("profiler",))
def loader_and_flush(run):
    """A slow loader, and the profiler's flush in some steps: the flush is said apart and is no warning."""
    program = Program(run)

    def before(number):
        program.load_inline(ms(7))
        if number % 3 == 1:
            calls.overhead(program.main, "Buffer Flush", ms(5), "profiler")
    train(program, run.count(6), before=before)


@scenario("launch_bound", ("cuda",), stacks=True, findings=("small_kernels",), must_not=("checkpoint", "compile"))
def recompute_and_compiled_names(run):
    """Small operators inside frames of activation checkpointing and of compiled graphs: neither is a checkpoint nor a compilation."""
    program = Program(run, layers=10, gemm=us(5), small=us(4))
    main = program.main
    for _ in range(run.count(5, 4)):
        with program.step():
            with main.inside("python", "torch/utils/checkpoint.py(264): forward"):
                program.forward()
            main.busy("operator", "TorchDynamo Cache Lookup", run.machine.host_ns("lookup", us(25)))
            with main.inside("operator", "Torch-Compiled Region: 0/0"):
                with main.inside("range", "## Call CompiledFxGraph fal4xpiah2v6blbfmwwonu52dvevbsmlh743q5tkclrt4gcqpzea ##"):
                    for _ in range(12):
                        with main.inside("python", "triton/compiler/compiler.py(487): launch_metadata"):
                            main.spend(run.machine.host_ns("metadata", us(9)))
                        calls.launch(main, program.stream, "triton_red_fused_add_mean_mul_pow_rsqrt_0", run.machine.device_ns("fused", us(5)), "driver_launch")
