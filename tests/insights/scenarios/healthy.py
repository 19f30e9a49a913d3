"""Healthy runs that look like ill ones, and near misses: nothing may be warned of."""
from .blocks import ADAM, Prefetching, Program, calls, ms, to_device, train, us
from .registry import FLAVOURS, scenario

TORCH = ("cuda", "rocm")


@scenario(None, FLAVOURS)
def plain_training(run):
    """Large kernels, and a host that is ahead of them."""
    train(Program(run), run.count(5))


@scenario(None, ("cuda", "paddle"), must_not=("data_loading",))
def prefetched_loader(run):
    """next() of a loader takes long, and the device is busy meanwhile."""
    program = Program(run, layers=8, gemm=us(300))
    loader = Prefetching(program, ms(4.6))
    train(program, run.count(6), before=lambda n: loader.next())


@scenario(None, FLAVOURS, must_not=("blocking_sync",))
def scalar_at_the_end(run):
    """One scalar is read at the end of each step of large kernels."""
    program = Program(run, layers=8, gemm=us(260))
    train(program, run.count(5), after=lambda n: program.item())


@scenario(None, ("cuda",), sync_records=True, must_not=("blocking_sync", "waits_for_stream"))
def synchronize_with_records(run):
    """A synchronization at the end of each step, with records of it on the device's side: they are no work."""
    program = Program(run, layers=8, gemm=us(260))

    def finish(_):
        event = calls.record_event(program.main, program.stream)
        calls.synchronize(program.main, event=event)
        calls.synchronize(program.main, program.device)
    train(program, run.count(5), after=finish)


@scenario(None, TORCH, must_not=("exposed_copy", "blocking_copy"))
def overlapped_copies(run):
    """Large copies of the next batch run on a stream of their own beside the kernels."""
    program = Program(run, layers=8, gemm=us(240))
    side = program.device.stream(21)

    def copy_next(_):
        to_device(program, 40_000_000, stream=side)
    train(program, run.count(5), forward=lambda layer: copy_next(layer) if layer == 0 else None)


@scenario(None, ("cuda",), must_not=("launch_bound", "small_kernels"))
def full_queue_of_small_kernels(run):
    """Small kernels behind a large one: their launches are all in the queue before they are due."""
    program = Program(run, pause=us(0.2), dispatch=us(7), script=us(2))
    for _ in range(run.count(5)):
        with program.step():
            program.op(program.main, "linear", ms(4.2))
            for _ in range(50):
                program.op(program.main, "gelu", us(8))


@scenario(None, ("cuda",), must_not=("launch_bound",))
def queue_that_is_full(run):
    """Launch calls that last long since the queue has no room: the device is busy."""
    program = Program(run, layers=10, gemm=us(220), depth=24)
    train(program, run.count(4))


@scenario(None, TORCH, must_not=("graph", "launch_bound"))
def graph_all_recorded(run):
    """Graphs with everything recorded, launched before the one before has ended."""
    program = Program(run)
    for _ in range(run.count(6)):
        with program.step():
            for _ in range(2):
                nodes = [(program.gemm, run.machine.device_ns("node", us(70))) for _ in range(35)]
                calls.graph(program.main, program.stream, nodes, run.machine.host_ns("graph call", us(60)))
                program.short_script(program.main)


@scenario(None, ("rocm",), must_not=("graph",))
def graph_call_that_lasts(run):
    """A graph's kernels begin long before its launch call returns."""
    program = Program(run)
    for _ in range(run.count(5)):
        with program.step():
            nodes = [(program.gemm, run.machine.device_ns("node", us(60))) for _ in range(50)]
            calls.graph(program.main, program.stream, nodes, run.machine.host_ns("graph call", ms(1.5)), begins_inside=us(60))
            program.short_script(program.main)


@scenario(None, ("cuda",))
def launched_before_the_window(run):
    """The first work of the file was launched before the recording began."""
    program = Program(run, layers=10, gemm=us(250))
    train(program, 2)
    run.machine.window_opens(program.main.now + us(40))
    train(program, run.count(4))


@scenario(None, ("cuda",), may=("profiler",))
def flush_in_the_middle(run):
    """The profiler flushes its buffers in one step while the device waits: said at most, and never warned of."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: n == 3 and calls.overhead(program.main, "Buffer Flush", ms(9), "profiler"))


@scenario(None, ("cuda",), may=("profiler",))
def buffer_requests_apart(run):
    """The profiler's buffer requests, in a file that puts all overheads into a process of their own."""
    run.machine.edition["overhead apart"] = True
    program = Program(run)
    train(program, run.count(6), before=lambda n: n in (2, 4) and calls.overhead(program.main, "Activity Buffer Request", ms(6), "profiler"))


@scenario(None, ("cuda",), stacks=True, must_not=("checkpoint", "compile"))
def activation_checkpointing(run):
    """Frames of torch/utils/checkpoint.py in the backward pass: nothing is written."""
    program = Program(run)
    main = program.main
    for _ in range(run.count(4)):
        with program.step():
            with main.inside("python", "torch/utils/checkpoint.py(496): checkpoint"):
                program.forward()
            program.backward(each=lambda layer: program.op(program.worker, "gelu", us(20)))
            program.optimizer()


@scenario(None, ("cuda",))
def unknown_launch_names(run):
    """Launches by calls with names of their own."""
    program = Program(run)
    main = program.main
    for _ in range(run.count(5)):
        with program.step():
            for number in range(24):
                key = ("driver_launch_ex", "launch_ex", "cudaLaunchCooperativeKernel", "driver_launch")[number % 4]
                program.op(main, "linear", us(110), key=key)
                program.short_script(main)


@scenario(None, ("cuda",), must_not=("outlier_step", "compile", "allocator"))
def initialisation_in_first_step(run):
    """The first recorded step loads kernels and asks for memory before its first work, and is much longer than the others."""
    program = Program(run, layers=8)

    def first(number):
        if number == 0:
            with program.operator(program.main, "mul"):
                calls.overhead(program.main, "Lazy Function Loading", ms(6), "compile")
                calls.malloc(program.main, ms(1.5))
                calls.launch(program.main, program.stream, program.pointwise, us(5))
    train(program, run.count(7), before=first, after=lambda n: calls.synchronize(program.main, program.device))


@scenario(None, ("cuda",), must_not=("launch_delay",))
def dependent_launches(run):
    """Programmatic dependent launch: each kernel begins before the one before has ended."""
    program = Program(run)
    for _ in range(run.count(5)):
        with program.step():
            for _ in range(40):
                program.op(program.main, "linear", us(75), key="launch_ex", overlap=us(4))


@scenario(None, ("cuda",), must_not=("communication", "outlier_step"))
def last_pipeline_stage(run):
    """The last stage of a pipeline: receives, works longer than others, and sends back."""
    program = Program(run, layers=6, gemm=us(240))
    comm = program.device.stream(20)
    name = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"

    def micro_batch(number):
        with program.main.inside("range", "nccl:recv 0<-1"):
            calls.launch(program.main, comm, name, run.machine.device_ns("receive", us(60)),
                         collective={"Collective name": "recv", "Group size": 2})
        if number == 0:
            calls.wait_event(program.main, program.stream, calls.record_event(program.main, comm))
    train(program, run.count(5), before=micro_batch)


@scenario(None, ("cuda",), sync_records=True, must_not=("waits_for_stream",))
def other_stream_is_busy(run):
    """One stream waits for the other's event; the device is busy all the time."""
    program = Program(run)
    main, side = program.main, program.device.stream(13)
    for _ in range(run.count(5)):
        with program.step():
            for _ in range(4):
                program.op(main, "linear", us(500))
                program.op(main, "linear", us(300), stream=side)
                calls.wait_event(main, side, calls.record_event(main, program.stream))
                program.op(main, "linear", us(400), stream=side)
                calls.wait_event(main, program.stream, calls.record_event(main, side))


@scenario(None, ("cuda",), stacks=True, must_not=("garbage_collection", "host_python", "cpu_operator", "data_loading"))
def host_work_behind_busy_device(run):
    """Collections, host operators and Python code, all while the device has work."""
    program = Program(run, layers=10, gemm=us(320))
    main = program.main

    def after(_):
        main.busy("python", "<built-in function gc.collect>", run.machine.host_ns("gc", ms(1.2)), "garbage_collection")
        main.busy("operator", "aten::sort", run.machine.host_ns("sort", ms(1)))
        program.frame("train.py(88): log_metrics", ms(1))
        with main.inside("range", "## wait_for_batch ##"):
            main.spend(us(300))
    train(program, run.count(4), after=after)


@scenario(None, ("cuda",), must_not=("checkpoint",))
def checkpoint_in_background(run):
    """A thread writes a checkpoint while the main one trains."""
    program = Program(run)
    writer = run.machine.thread("writer")
    with program.step():
        program.train_step()
    writer.until(program.main.now)
    writer.busy("range", "torch.save", run.machine.host_ns("write", ms(12)), "checkpoint")
    train(program, run.count(4))


@scenario(None, ("cuda",), stacks=True, must_not=("data_loading",))
def loader_on_its_own_thread(run):
    """A thread of the loader waits and pins memory all the time; the main thread finds its batches ready."""
    program = Program(run)
    pinning = run.machine.thread("pin_memory")
    train(program, run.count(5))
    while pinning.now < program.main.now - ms(1):
        pinning.busy("python", "torch/utils/data/_utils/pin_memory.py(18): _pin_memory_loop", us(900), "data_loading")


@scenario(None, ("cuda",), must_not=("unfused_optimizer", "small_kernels"))
def fused_optimizer_of_many(run):
    """An optimizer of many launches whose kernels are large."""
    program = Program(run, layers=4)
    main = program.main
    for _ in range(run.count(3)):
        with program.step():
            program.forward()
            program.backward()
            with main.inside("range", "Optimizer.step#AdamW.step"):
                for _ in range(60):
                    with main.inside("operator", "aten::_fused_adamw_"):
                        program.dispatch(main)
                        calls.launch(main, program.stream, ADAM, run.machine.device_ns("adam", us(55)))
