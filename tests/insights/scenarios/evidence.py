"""What may be said only with proof: waits, lost records, servers without work, ranges of the script, drains, allocations."""
from .blocks import Program, calls, ms, train, us
from .registry import scenario
from .serving import Engine


@scenario(None, ("cuda",), findings=("not_attributable",), must_not=("waits_for_stream", "launch_delay"), allowed_unknown=100, when="every step")
def held_by_another_process(run):
    """Kernels wait for a flag that another process writes; the file has no record of that."""
    program = Program(run)
    for _ in range(run.count(6)):
        with program.step():
            program.train_step()
            peer = program.stream.free + run.machine.device_ns("peer", ms(3))
            calls.launch(program.main, program.stream, "wait_for_flag_kernel", run.machine.device_ns("flag", us(4)), peer=peer)
            program.op(program.main, "gelu", us(20))


@scenario(None, ("cuda",), findings=("not_attributable",), must_not=("host_python", "launch_bound"), allowed_unknown=100, when="once")
def one_hole_without_records(run):
    """Once, nothing is recorded for 15 ms; no steps are marked."""
    program = Program(run)
    rounds = run.count(6, 4)
    for number in range(rounds):
        program.train_step()
        if number == rounds // 2:
            calls.synchronize(program.main, program.device)
            program.main.spend(run.machine.host_ns("unseen", ms(18)))


@scenario("not_recorded", ("cuda", "rocm"))
def last_wait_lost_its_work(run):
    """The last synchronization begins before the last recorded kernel ends, and waits for kernels whose records are missing."""
    program = Program(run)
    for _ in range(run.count(4)):
        program.train_step()
    with run.machine.losing():
        for _ in range(20):
            program.op(program.main, "linear", us(600))
    calls.synchronize(program.main, program.device)


@scenario(None, ("cuda",), must_not=("not_recorded",))
def last_wait_has_its_work(run):
    """The last synchronization waits for kernels that are all recorded."""
    program = Program(run)
    for _ in range(run.count(4)):
        program.train_step()
    for _ in range(20):
        program.op(program.main, "linear", us(600))
    calls.synchronize(program.main, program.device)


def _server(run, names, in_steps, ns=ms(7)):
    """A server that answers a request by some replays, then waits for the next one in frames, each of `names` but the first in that one."""
    engine = Engine(run)
    for _ in range(run.count(7)):
        if in_steps:
            for _ in range(2):
                engine.in_step("execute_context_0(0)_generation_8(8)", engine.decode, "decode", 8, 8)
        else:
            engine.decode(80)
            calls.synchronize(engine.main, engine.program.device)
        with engine.main.inside("wait", names[0], "no_requests"):
            engine.main.spend(us(5))
            for inner in names[1:]:
                engine.main.busy("wait", inner, run.machine.host_ns("request", ns))
    engine.decode(20)
    engine.finish()


@scenario(None, ("cuda",), stacks=True, findings=("no_requests",), must_not=("blocking_sync", "host_python"), when="no steps")
def server_waits_in_a_queue(run):
    """A server without marked steps waits for requests in a queue's get, and no other thread works: no fault."""
    _server(run, ("queue.py(171): get", "threading.py(323): wait"), False)


@scenario(None, ("cuda",), stacks=True, findings=("no_requests",), must_not=("blocking_sync", "host_python", "not_attributable"))
def server_waits_in_a_queue_of_processes(run):
    """The same with a queue between processes."""
    _server(run, ("multiprocessing/queues.py(103): get", "multiprocessing/connection.py(219): recv_bytes"), False)


@scenario(None, ("cuda",), stacks=True, findings=("no_requests",), must_not=("blocking_sync", "host_python", "not_attributable"))
def server_waits_in_poll(run):
    """The same with a poll of sockets."""
    _server(run, ("zmq/sugar/poll.py(106): poll", "<built-in function zmq_poll>"), False)


@scenario("host_python", ("cuda",), stacks=True, reason="select", must_not=("no_requests",))
def trainer_waits_in_select(run):
    """A training run's script sits in select before each step: a program that trains waits for no requests."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: program.frame("selectors.py(451): select", ms(7)))


@scenario(None, ("cuda", "rocm"), stacks=True, findings=("no_requests",), must_not=("blocking_sync", "host_python"))
def server_waits_in_select(run):
    """A server with marked steps waits for requests in its event loop's select: no fault."""
    _server(run, ("selectors.py(451): select", "<built-in method poll of select.epoll object at 0x7f3e>"), True)


@scenario("host_python", ("cuda",), stacks=True, must_not=("no_requests",))
def server_waits_for_its_tokenizer(run):
    """The engine's thread waits in a queue's get, while another thread of the server computes tokens in Python: that one is the reason."""
    engine = Engine(run)
    tokenizer = run.machine.thread("tokenizer")
    for _ in range(run.count(7)):
        engine.decode(80)
        calls.synchronize(engine.main, engine.program.device)
        tokenizer.until(engine.main.now)
        tokenizer.script("server/tokenize.py(44): encode_batch", run.machine.host_ns("tokenize", ms(7)))
        engine.main.busy("wait", "queue.py(154): get", max(us(1), tokenizer.now - engine.main.now + us(20)))
    engine.decode(20)
    engine.finish()


def _gradients(run, operator_ns, script_ns, number, is_script):
    """Steps whose optimizer sets gradients to nothing, one parameter after the other, on an idle device."""
    program = Program(run)
    main = program.main

    def zero(_):
        if run.machine.without in ("host_python", "launch_bound"):
            return
        with main.inside("range", "Optimizer.zero_grad#AdamW.zero_grad", "host_python" if is_script else None):
            for _ in range(number):
                main.spend(run.machine.host_ns("script", script_ns))
                main.busy("operator", "aten::detach_", run.machine.host_ns("detach", operator_ns))
            main.spend(us(20))
    train(program, run.count(6), before=zero)


@scenario("host_python", ("cuda",), must_not=("launch_bound",))
def gradients_freed_by_the_script(run):
    """Optimizer.zero_grad frees gradients in Python, with a short operator every 80 us: the script's time, not dispatch."""
    _gradients(run, us(6), us(75), 80, True)


@scenario("launch_bound", ("cuda",), must_not=("host_python",))
def gradients_freed_by_operators(run):
    """The same range full of operators: dispatch."""
    _gradients(run, us(55), us(12), 100, False)


@scenario("host_python", ("cuda",), stacks=True, reason="write_report", must_not=("blocking_sync",))
def long_function_after_a_wait(run):
    """A wait of 200 ms, then a function of the script of 130 ms: the wait's end is no reason for all of that."""
    program = Program(run, layers=3, gemm=ms(20))

    def report(_):
        calls.synchronize(program.main, program.device)
        program.frame("train.py(101): write_report", ms(150))
    train(program, run.count(3), after=report)


@scenario("blocking_sync", ("cuda",), stacks=True, must_not=("host_python",))
def short_function_after_a_wait(run):
    """A wait of 60 ms, then a function of 25 ms, which would have run beside the device without the wait."""
    program = Program(run, layers=3, gemm=ms(6))

    def report(_):
        calls.synchronize(program.main, program.device)
        program.frame("train.py(101): write_report", ms(25))
    train(program, run.count(4), after=report)


@scenario("data_loading", ("cuda",), when="every step")
def empty_kernels_in_a_gap(run):
    """While the loader works, another thread sorts on the host and launches a kernel of 0 us, which splits the gap."""
    program = Program(run)
    watchdog, stream = run.machine.thread("watchdog"), program.device.stream(30)

    def load(_):
        begun = program.main.now
        program.load_inline(ms(8))
        watchdog.until(begun + us(500))
        with watchdog.inside("operator", "aten::sort"):
            watchdog.spend(run.machine.host_ns("sort", ms(3)))
        with watchdog.inside("operator", "aten::fill_"):
            calls.launch(watchdog, stream, program.pointwise, 0)
    train(program, run.count(6), before=load)


@scenario("allocator", ("cuda",), must_not=("allocator_retries",))
def caches_emptied_in_each_step(run):
    """The script frees cached memory in each step, and operators ask for it again: nothing failed."""
    program = Program(run)

    def empty(layer):
        if layer == 1:
            with program.main.inside("range", "empty_cache"):
                for _ in range(4):
                    calls.free(program.main, program.device, us(300))
        if layer in (2, 3, 4):
            with program.operator(program.main, "to"):
                calls.malloc(program.main, us(700))
                calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(6)))
    train(program, run.count(6), forward=empty)


def _mallocs(run, between):
    """In each step an operator allocates, frees and allocates again; `between()` is what it does after the first allocation."""
    program = Program(run)

    def layer(number):
        if number in (1, 3):
            with program.operator(program.main, "to"):
                calls.malloc(program.main, us(200))
                between(program)
                for _ in range(3):
                    calls.free(program.main, program.device, us(300))
                calls.malloc(program.main, us(1100))
                calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(6)))
    train(program, run.count(6), forward=layer)


@scenario("allocator", ("cuda",), findings=("allocator_retries",))
def allocations_that_failed(run):
    """Allocations fail: the error is asked for, the device is waited for, memory is freed, and it is tried again."""
    def between(program):
        calls.call(program.main, "cudaGetLastError", us(1))
        calls.synchronize(program.main, program.device)
    _mallocs(run, between)


@scenario("allocator", ("cuda",), must_not=("allocator_retries",))
def allocations_that_are_used(run):
    """An operator allocates a block, launches a kernel on it, frees it, and allocates another: nothing failed."""
    _mallocs(run, lambda program: calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("use", us(20))))


@scenario(None, ("cuda",), once=("compile",), when="once")
def kernels_loaded_without_steps(run):
    """The first launch of a kernel loads its code for 30 ms, at the start; no steps are marked."""
    program = Program(run)
    with program.operator(program.main, "norm"):
        calls.first_launch(program.main, program.stream, program.pointwise, run.machine.device_ns("loaded", us(20)), ms(30))
    for _ in range(run.count(6)):
        program.train_step()


@scenario(None, ("cuda",), abstains=("launch_delay",), allowed_unknown=100)
def work_without_launches(run):
    """The file has small kernels and operators, and no runtime calls: how long a launch took is not known."""
    run.machine.edition["no calls"] = True
    program = Program(run, layers=20, gemm=us(9), small=us(9), dispatch=us(6), script=us(1))
    for _ in range(run.count(5)):
        with program.step():
            program.forward()
