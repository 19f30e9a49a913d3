"""Runs in which one cause holds up the device."""
from .blocks import Prefetching, Program, calls, ms, to_device, train, us
from .registry import FLAVOURS, scenario

TORCH = ("cuda", "rocm")


@scenario("data_loading", FLAVOURS)
def loader_inline(run):
    """A loader without workers makes each batch while the device waits."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: program.load_inline(ms(7)))


@scenario("data_loading", ("cuda", "paddle"))
def loader_slow_workers(run):
    """Workers of a loader are slower than the device; next() waits for them."""
    program = Program(run)
    loader = Prefetching(program, ms(8))
    train(program, run.count(7), before=lambda n: loader.next())


@scenario("data_loading", stacks=True)
def loader_in_python(run):
    """A loader that is seen only as Python frames."""
    program = Program(run)

    def load(_):
        with program.main.inside("python", "torch/utils/data/dataloader.py(708): __next__", "data_loading") as activity:
            if activity:
                with program.main.inside("python", "torch/utils/data/_utils/fetch.py(54): fetch"):
                    program.main.spend(run.machine.host_ns("load", ms(7)))
    train(program, run.count(6), before=load)


@scenario("data_loading", ("cuda", "rocm"))
def loader_before_backward(run):
    """A loader runs between the passes: the thread whose work ends the gap has done nothing, the other one is to be asked."""
    program = Program(run)
    for _ in range(run.count(6)):
        with program.step():
            program.forward()
            program.load_inline(ms(6))
            program.backward()


@scenario("data_loading", TORCH, stacks=True)
def loader_behind_queue(run):
    """The main thread waits for a queue; a thread of the loader, seen by its frames, makes the batches."""
    program = Program(run)
    loader = run.machine.thread("loader")

    def get(_):
        if run.machine.without == "data_loading":
            return
        loader.until(program.main.now)
        with loader.inside("python", "torch/utils/data/dataloader.py(708): __next__", "data_loading"):
            loader.spend(run.machine.host_ns("load", ms(7)))
        program.main.wait_for(loader, "<built-in method acquire of _thread.lock object at 0x7f1c2a40>", run.machine.host_ns("wake", us(15)))
    train(program, run.count(6), before=get)


@scenario("data_loading", ("cuda",), must_not=("cpu_operator",))
def loader_beside_bystander(run):
    """A slow loader on the launching thread, while another thread runs operators on the host all the time."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: program.load_inline(ms(7)))
    bystander = run.machine.thread("metrics")
    while bystander.now < program.main.now - ms(1):
        bystander.busy("operator", "aten::histc", run.machine.host_ns("histogram", us(800)))
        bystander.spend(us(20))


@scenario("data_loading", ("cuda",))
def loader_of_the_script(run):
    """The script's own range around what makes the batch."""
    program = Program(run)

    def load(_):
        with program.main.inside("range", "## load_batch ##", "data_loading") as activity:
            if activity:
                program.main.spend(run.machine.host_ns("load", ms(7)))
    train(program, run.count(6), before=load)


@scenario("data_loading", tick=1000)
def loader_before_2022(run):
    """A file of Kineto before 2022: ranges are operators, times are whole microseconds."""
    run.machine.edition["old"] = True
    program = Program(run, pause=us(1))
    train(program, run.count(6), before=lambda n: program.load_inline(ms(7)))


@scenario("blocking_sync", FLAVOURS)
def scalar_in_each_layer(run):
    """A scalar is read after each layer, so the next one is dispatched to a device that is idle."""
    program = Program(run, layers=12, gemm=us(75))
    for _ in range(run.count(5)):
        with program.step():
            program.forward(each=lambda layer: program.item())


@scenario("blocking_sync", TORCH)
def synchronize_then_python(run):
    """A synchronization at the end of each step, and long Python code after it that would have run beside the device."""
    program = Program(run, layers=8)

    def finish(_):
        calls.synchronize(program.main, program.device)
        program.frame("train.py(88): log_metrics", ms(1.6))
    train(program, run.count(6), after=finish)


@scenario("blocking_sync", ("cuda",), sync_records=True)
def synchronize_each_operator(run):
    """A synchronization after each operator (a timing wrapper)."""
    program = Program(run, gemm=us(60), layers=8)
    main = program.main
    for _ in range(run.count(4)):
        with program.step():
            for _ in range(16):
                program.op(main, "linear", us(45))
                calls.synchronize(main, stream=program.stream)
                program.short_script(main)


@scenario("blocking_sync", ("cuda",))
def event_synchronize(run):
    """The script waits for an event after each micro-batch."""
    program = Program(run, gemm=us(50))
    main = program.main
    for _ in range(run.count(4)):
        with program.step():
            for _ in range(10):
                program.op(main, "linear", us(50))
                event = calls.record_event(main, program.stream)
                calls.synchronize(main, event=event)
                program.short_script(main)


@scenario("blocking_sync", ("cuda",))
def driver_synchronizes(run):
    """Waits by calls of the driver's interface."""
    run.machine.names.update(stream_sync="cuStreamSynchronize", device_sync="cuCtxSynchronize")
    program = Program(run, gemm=us(60))
    for _ in range(run.count(4)):
        with program.step():
            for number in range(12):
                program.op(program.main, "linear", us(70))
                calls.synchronize(program.main, program.device, program.stream if number % 2 else None)
                program.short_script(program.main)


@scenario("blocking_copy", ("cuda",))
def results_by_plain_copy(run):
    """Results go to the host by cudaMemcpy, which always waits."""
    run.machine.names["copy_wait"] = "cudaMemcpy"
    results_to_host(run)


@scenario("blocking_copy", FLAVOURS)
def results_to_host(run):
    """Results go to pageable memory after each small batch, then Python works on them."""
    program = Program(run)
    main = program.main
    for _ in range(run.count(8)):
        with program.step():
            program.forward(layers=3)
            with program.operator(main, "to"):
                calls.copy(main, program.stream, "DtoH", 1_500_000, pinned=False)
            program.frame("eval.py(57): decode", us(420))


@scenario("blocking_copy", ("cuda",))
def batch_from_pageable(run):
    """Many pageable copies of inputs, each of which waits for the device and holds the caller."""
    program = Program(run, layers=2, gemm=us(90))
    for _ in range(run.count(6)):
        with program.step():
            for _ in range(5):
                program.op(program.main, "linear", us(60))
                to_device(program, 60_000, pinned=False)
                program.short_script(program.main)


@scenario("allocator", FLAVOURS)
def allocations(run):
    """Each layer asks the driver for memory."""
    program = Program(run, layers=5)

    def allocate(_):
        with program.operator(program.main, "to"):
            calls.malloc(program.main, us(1300))
            calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(5)))
    train(program, run.count(5), forward=allocate)


@scenario("allocator", ("cuda",))
def allocations_of_segments(run):
    """Expandable segments: memory is created and mapped by the driver's interface."""
    program = Program(run, layers=5)

    def allocate(_):
        with program.operator(program.main, "to"):
            calls.malloc(program.main, us(700), "mem_create")
            calls.malloc(program.main, us(350), "mem_map")
            calls.malloc(program.main, us(400), "set_access")
            calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(5)))
    train(program, run.count(5), forward=allocate)


@scenario("garbage_collection", TORCH, stacks=True)
def collections(run):
    """Python's garbage collector runs in each step."""
    program = Program(run)

    def collect(_):
        with program.main.inside("python", "torchtitan/tools/utils.py(57): collect"):
            program.main.busy("python", "<built-in function gc.collect>", run.machine.host_ns("gc", ms(7)), "garbage_collection")
    train(program, run.count(6), after=collect)


@scenario("garbage_collection", ("cuda",))
def collections_by_range(run):
    """Collections that a hook records as ranges."""
    program = Program(run)
    train(program, run.count(6), after=lambda n: program.main.busy("range", "gc", run.machine.host_ns("gc", ms(7)), "garbage_collection"))


@scenario("compile", ("cuda",))
def lazy_loading(run):
    """The driver loads kernels at their first use."""
    program = Program(run)

    def load(number):
        if number in (1, 2):
            for _ in range(5):
                with program.operator(program.main, "mul"):
                    calls.overhead(program.main, "Lazy Function Loading", ms(2.4), "compile")
                    calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("mul", us(9)))
    train(program, run.count(6), before=load)


@scenario("compile", TORCH, stacks=True)
def triton_compiles(run):
    """Triton compiles a kernel in the middle of the run, and tries its configurations."""
    program = Program(run)
    main = program.main

    def compile_(number):
        if number not in (1, 3):
            return
        with main.inside("python", "triton/runtime/autotuner.py(212): run", "compile") as activity:
            if activity:
                with main.inside("python", "triton/compiler/compiler.py(226): compile"):
                    main.spend(run.machine.host_ns("triton", ms(14)))
                for _ in range(4):
                    with main.inside("python", "triton/runtime/autotuner.py(138): _bench"):
                        calls.launch(main, program.stream, "triton_poi_fused_add_0", run.machine.device_ns("bench", us(20)), "driver_launch")
                        calls.synchronize(main, program.device)
    train(program, run.count(6), before=compile_)


@scenario("compile", TORCH)
def graph_instantiation(run):
    """Graphs are captured and instantiated again in every other step."""
    program = Program(run)
    main = program.main

    def capture(number):
        if number % 2:
            with main.inside("range", "capture_8_decode", "compile") as activity:
                if activity:
                    calls.call(main, "begin_capture", us(15))
                    main.spend(run.machine.host_ns("capture", ms(5)))
                    calls.call(main, "end_capture", us(40))
                    calls.call(main, "instantiate", run.machine.host_ns("instantiate", ms(6)), "compile")
    train(program, run.count(6), before=capture)


@scenario("checkpoint", TORCH, stacks=True)
def checkpoint_saved(run):
    """A checkpoint is written in the middle: copies to the host, then a file."""
    program = Program(run)
    main = program.main

    def save(number):
        if number != 1:
            return
        with main.inside("python", "torch/serialization.py(943): save", "checkpoint") as activity:
            if activity:
                for _ in range(6):
                    with program.operator(main, "to"):
                        calls.copy(main, program.stream, "DtoH", 2_000_000, pinned=False)
                    main.spend(run.machine.host_ns("pickle", ms(2.5)))
                main.spend(run.machine.host_ns("write", ms(12)))
    train(program, run.count(6), after=save)


@scenario("checkpoint", ("paddle",))
def checkpoint_of_paddle(run):
    """`paddle.save` after a step."""
    program = Program(run)

    def save(number):
        if number == 1:
            program.main.busy("range", "paddle.save", run.machine.host_ns("write", ms(28)), "checkpoint")
    train(program, run.count(6), after=save)


@scenario("waits_for_stream", ("cuda",), must_not=("cpu_operator", "host_python"))
def collective_on_the_host(run):
    """Losses are averaged over ranks on the host after each step, with an operator inside; another rank is late."""
    program = Program(run)
    main = program.main

    def average(_):
        with main.inside("operator", "gloo:all_reduce", "waits_for_stream") as activity:
            if activity:
                main.busy("operator", "aten::copy_", run.machine.host_ns("copy", us(4)))
                main.spend(run.machine.host_ns("late", ms(6)))
    train(program, run.count(6), after=average)


@scenario("cpu_operator", FLAVOURS)
def operator_on_the_host(run):
    """An operator computes on the host in each step."""
    program = Program(run)
    name = "unique dygraph" if program.is_paddle else "aten::sort"

    def sort(_):
        program.main.busy("operator", name, run.machine.host_ns("sort", ms(6.5)))
    if run.machine.without == "cpu_operator":
        sort = None
    train(program, run.count(6), before=sort)


@scenario("launch_bound", ("cuda", "paddle"), findings=("small_kernels",))
def small_operators(run):
    """Small kernels, each launched after the one before has ended."""
    program = Program(run, layers=16, gemm=us(5), small=us(3.5))
    for _ in range(run.count(5, 4)):
        with program.step():
            program.forward()


@scenario("launch_bound", ("rocm",), findings=("small_kernels",))
def small_operators_late(run):
    """Small kernels on a device that begins each one long after its call: the host is still what limits the run."""
    program = Program(run, layers=16, gemm=us(5), small=us(3.5), dispatch=us(22), script=us(9))
    for _ in range(run.count(5, 4)):
        with program.step():
            program.forward()


@scenario("launch_bound", ("cuda",), findings=("small_kernels",))
def small_operators_early(run):
    """Small kernels that begin before their launch calls have returned."""
    program = Program(run)
    for _ in range(run.count(5, 4)):
        with program.step():
            for _ in range(36):
                program.op(program.main, "gelu", us(5), early=us(1.7))
                program.short_script(program.main)


@scenario("launch_bound", ("cuda",), findings=("small_kernels",))
def calls_without_operators(run):
    """A file with runtime calls and device work only: between the calls the thread is bare, for less than 100 us each time."""
    run.machine.edition["calls only"] = True
    program = Program(run)
    for _ in range(run.count(5, 4)):
        for _ in range(36):
            program.op(program.main, "gelu", us(5))
            program.short_script(program.main)


@scenario("launch_bound", ("cuda",))
def dispatch_in_backward(run):
    """Small kernels in a backward pass, on a thread of its own."""
    program = Program(run, layers=30, gemm=us(6), small=us(4))
    train(program, run.count(3))


@scenario("host_python", TORCH, stacks=True)
def python_between_steps(run):
    """Python code of the script runs between the steps' work."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: program.frame("train.py(61): augment", ms(7)))


@scenario("host_python", ("cuda", "paddle"))
def script_without_stacks(run):
    """The same where the file has no Python frames: only the step's own range says that the script runs."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: program.frame("train.py(61): augment", ms(7)))


@scenario("host_python", ("cuda",))
def script_in_a_range(run):
    """Code of the script in a range of its own."""
    program = Program(run)

    def metrics(_):
        if run.machine.without != "host_python":
            program.main.busy("range", "## metrics:publish ##", run.machine.host_ns("metrics", ms(7)))
    train(program, run.count(6), after=metrics)


@scenario("launch_delay", ("cuda",))
def slow_to_begin(run):
    """The device takes long to begin after each wait (a virtual device)."""
    program = Program(run, gemm=us(90))
    main = program.main
    for _ in range(run.count(4)):
        with program.step():
            for _ in range(14):
                program.op(main, "linear", us(90), latency=us(105))
                calls.synchronize(main, program.device)


@scenario("graph", TORCH)
def graph_with_holes(run):
    """A graph of small kernels with holes between them."""
    program = Program(run)
    main = program.main
    names = [program.gemm, program.pointwise]
    for _ in range(run.count(6)):
        with program.step():
            nodes = [(names[k % 2], run.machine.device_ns("node", us(6)), run.draws.near("hole", us(3.2), 0.2)) for k in range(60)]
            calls.graph(main, program.stream, nodes, run.machine.host_ns("graph call", us(45)))
            program.short_script(main)


@scenario("graph", ("cuda",))
def graph_with_branches(run):
    """A graph with holes whose kernels run on two streams."""
    program = Program(run)
    side = program.device.stream(15)
    for _ in range(run.count(6)):
        with program.step():
            nodes = []
            for k in range(50):
                nodes.append((program.gemm, run.machine.device_ns("node", us(6)), run.draws.near("hole", us(4), 0.2)))
                if k % 5 == 0:
                    nodes.append((program.pointwise, run.machine.device_ns("branch", us(3)), run.draws.near("side hole", us(45), 0.2), side))
            calls.graph(program.main, program.stream, nodes, run.machine.host_ns("graph call", us(45)))
            program.short_script(program.main)


@scenario("host_python", ("cuda",), must_not=("garbage_collection", "compile", "data_loading", "checkpoint", "allocator", "blocking_sync"))
def names_that_mislead(run):
    """Ranges of the script whose names have parts of other causes' names: all of them are the script's own work."""
    program = Program(run)
    names = ("gcn_forward", "precompiled_inputs", "reload_weights_table", "save_tokens_for_backward", "malloc_free_list", "async_metrics")

    def script(number):
        if run.machine.without != "host_python":
            program.main.busy("range", names[number % len(names)], run.machine.host_ns("script", ms(7)))
    train(program, run.count(6), before=script)


@scenario(None, ("cuda",), may=("cpu_operator",))
def no_device_work(run):
    """A run on the host alone, which computes: no fault, though one operator has most of the time."""
    program = Program(run)
    for _ in range(run.count(5)):
        with program.step():
            for _ in range(20):
                program.main.busy("operator", "aten::mm", run.machine.host_ns("mm", us(600)))
                program.short_script(program.main)


@scenario(None, ("cuda",), may=("profiler",))
def profiler_all_the_time(run):
    """The profiler's buffers hold up the host in every step: to be said, and no fault of the program."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: calls.overhead(program.main, "Buffer Flush", ms(7), "profiler"))


# While the devices finish what was launched, the host records nothing.
@scenario("waits_for_stream", ("cuda",), sync_records=True, allowed_unknown=40)
def two_devices_alternate(run):
    """Two devices of one process work one after the other, each waiting for the other's event."""
    program = Program(run)
    other = run.machine.device(1)
    streams = [program.stream, other.stream(7)]
    main = program.main
    for _ in range(run.count(6)):
        with program.step():
            for side in (0, 1):
                for _ in range(5):
                    program.op(main, "linear", us(400), stream=streams[side])
                event = calls.record_event(main, streams[side])
                calls.wait_event(main, streams[1 - side], event)


@scenario(None, TORCH, allowed_unknown=100)
def collective_waits_for_peer(run):
    """A collective that was launched long before begins only when its peer has come."""
    program = Program(run)
    comm = program.device.stream(20)
    machine = run.machine
    for _ in range(run.count(6)):
        with program.step():
            program.train_step()
            with program.main.inside("range", "nccl:all_reduce"):
                event = calls.record_event(program.main, program.stream)
                calls.wait_event(program.main, comm, event)
                peer = program.stream.free + machine.device_ns("peer", ms(2.6))
                calls.launch(program.main, comm, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                             machine.device_ns("transfer", us(150)), collective=COLLECTIVE, peer=peer)
                done = calls.record_event(program.main, comm)
            calls.wait_event(program.main, program.stream, done)


COLLECTIVE = {"Collective name": "allreduce", "In msg nelems": 1048576, "Out msg nelems": 1048576, "Group size": 2, "dtype": "BFloat16",
              "Process Group Name": "0", "Process Group Description": "default_pg"}


@scenario(None, ("cuda",), allowed_unknown=100)
def thread_without_records(run):
    """Nothing is recorded where the time goes: no step, no frame, no range. No cause may be named for it."""
    program = Program(run)
    for _ in range(run.count(6)):
        program.train_step()
        program.main.spend(run.machine.host_ns("unseen", ms(7)))


@scenario(None, ("cuda",), allowed_unknown=100)
def waits_without_records(run):
    """Two devices that wait for each other, in a file without records of the waits: there is no proof."""
    two_devices_alternate(run)


@scenario(None, ("cuda",))
def long_edges(run):
    """Much time before the first and after the last step: what is outside of the run is no cause."""
    program = Program(run)
    program.main.busy("operator", "aten::randn", run.machine.host_ns("make data", ms(6)))
    train(program, run.count(5))
    calls.synchronize(program.main, program.device)
    program.main.busy("operator", "aten::mean", run.machine.host_ns("statistics", ms(8)))
