"""Files in which records of device work are missing while a call waits for it, and files that only look so."""
from .blocks import Program, calls, ms, train, us
from .registry import scenario


@scenario("not_recorded", ("cuda", "rocm", "paddle"))
def lost_behind_scalar(run):
    """Kernels of a pass are missing; the scalar that is read after it waits for them."""
    program = Program(run, layers=1, gemm=us(4600))
    for number in range(run.count(6)):
        with program.step():
            if number % 2:
                with run.machine.losing():
                    program.forward()
            else:
                program.forward()
            program.item()


@scenario("not_recorded", ("cuda", "rocm"))
def lost_graph(run):
    """Whole replays of a graph are missing behind a synchronization."""
    program = Program(run)
    for number in range(run.count(6)):
        with program.main.inside("range", "step[DECODE bs=16]"):
            nodes = [(program.gemm, run.machine.device_ns("node", us(50))) for _ in range(40)]
            if number % 3 == 1:
                with run.machine.losing():
                    calls.graph(program.main, program.stream, nodes, run.machine.host_ns("graph call", us(60)))
            else:
                calls.graph(program.main, program.stream, nodes, run.machine.host_ns("graph call", us(60)))
            calls.synchronize(program.main, stream=program.stream)
        run.machine.count_step("decode", 16, 16)


@scenario("not_recorded", ("cuda",))
def lost_and_loader(run):
    """Missing records in some steps, and a slow loader in all: what is missing is said first."""
    program = Program(run, layers=1, gemm=us(2700))

    def finish(_):
        calls.synchronize(program.main, program.device)
    for number in range(run.count(5)):
        with program.step():
            program.load_inline(ms(4.5))
            if number % 2 == 1:
                with run.machine.losing():
                    program.forward()
            else:
                program.forward()
            finish(number)


@scenario("blocking_sync", ("cuda",), must_not=("not_recorded",))
def waits_for_other_device(run):
    """The script waits for the second device while the first has nothing to do: nothing is missing."""
    program = Program(run)
    other = run.machine.device(1)
    far = other.stream(7)
    for _ in range(run.count(5)):
        with program.step():
            for _ in range(3):
                program.op(program.main, "linear", us(500))
            calls.synchronize(program.main, program.device)
            for _ in range(4):
                program.op(program.main, "linear", us(500), stream=far)
            calls.synchronize(program.main, other)


@scenario(None, ("cuda",), must_not=("not_recorded",))
def graph_holes_under_wait(run):
    """A graph has holes of some microseconds while a call waits for it: nothing is missing."""
    program = Program(run)
    for _ in range(run.count(5)):
        with program.step():
            nodes = [(program.gemm, run.machine.device_ns("node", us(900)), run.draws.near("hole", us(14), 0.2)) for _ in range(6)]
            calls.graph(program.main, program.stream, nodes, run.machine.host_ns("graph call", us(50)))
            calls.synchronize(program.main, program.device)


@scenario(None, ("cuda",), must_not=("not_recorded",), allowed_unknown=100)
def little_lost(run):
    """One kernel of 60 us is missing in each step: too little to be seen, and too little to matter."""
    program = Program(run, layers=8, gemm=us(260))

    def lose(layer):
        if layer == 7:
            with run.machine.losing():
                program.op(program.main, "gelu", us(60))
    train(program, run.count(4), forward=lose, after=lambda n: calls.synchronize(program.main, program.device))
