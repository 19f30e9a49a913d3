"""In which steps something holds up the device: once, in some steps, in every step, or only at the start."""
from .blocks import Program, calls, ms, train, us
from .registry import scenario

TORCH = ("cuda", "rocm")


def _python(program, name, ns):
    """A pause in a function of the script."""
    return lambda: program.frame(name, ns, "pause")


def _in_steps(program, steps, numbers, pause, waits=True):
    """Training steps; before those of `numbers` (from 0) there is a pause. If the script `waits` for each step's end, no pause is hidden."""
    after = (lambda n: calls.synchronize(program.main, program.device)) if waits else None
    train(program, steps, before=lambda n: pause() if n in numbers else None, after=after)


@scenario("host_python", TORCH, stacks=True, when="step 7", reason="save_plots")
def pause_in_one_step(run):
    """The script draws plots before one step, the fourth."""
    program = Program(run)
    _in_steps(program, run.count(8, 6), (3,), _python(program, "train.py(70): save_plots", ms(30)), False)


@scenario("data_loading", ("cuda", "paddle"), when="steps 6, 9")
def loader_slow_in_two_steps(run):
    """The loader is slow in two steps."""
    program = Program(run)
    _in_steps(program, run.count(8, 7), (2, 5), lambda: program.load_inline(ms(10)))


@scenario("garbage_collection", ("cuda",), stacks=True, when="every 3rd")
def collection_in_every_third_step(run):
    """Python collects garbage in every third step."""
    program = Program(run)
    steps = run.count(9, 9)
    _in_steps(program, steps, range(1, steps, 3), lambda: program.main.busy(
        "python", "<built-in function gc.collect>", run.machine.host_ns("gc", ms(12)), "garbage_collection"))


@scenario("checkpoint", ("cuda",), stacks=True)
def checkpoint_in_the_last_step(run):
    """A checkpoint is written after the last step's work."""
    program = Program(run)
    steps = run.count(7, 5)

    def save(number):
        if number == steps - 1:
            calls.synchronize(program.main, program.device)
            program.main.busy("python", "torch/serialization.py(943): save", run.machine.host_ns("write", ms(18)), "checkpoint")
    train(program, steps, after=save)
    run.says(when="step %d" % (4 + steps - 1))


@scenario("data_loading", ("cuda",), when="4 of 12")
def loader_slow_in_four_of_twelve(run):
    """The loader is slow in four of twelve steps, at no regular distance."""
    program = Program(run)
    _in_steps(program, 12, (1, 2, 6, 9), lambda: program.load_inline(ms(9)))


@scenario("data_loading", ("cuda",), when="every step")
def loader_slow_in_most_steps(run):
    """The loader is slow in ten of twelve steps: as good as all."""
    program = Program(run)
    _in_steps(program, 12, (0, 1, 2, 4, 5, 6, 8, 9, 10, 11), lambda: program.load_inline(ms(7)))


@scenario("checkpoint", ("rocm",), stacks=True, when="every 4th")
def checkpoint_in_every_fourth_step(run):
    """A checkpoint is written in every fourth step."""
    program = Program(run)
    _in_steps(program, 16, (3, 7, 11, 15), lambda: program.main.busy(
        "python", "torch/serialization.py(943): save", run.machine.host_ns("write", ms(16)), "checkpoint"))


@scenario("data_loading", ("cuda",), when="step 6")
def steps_marked_twice(run):
    """Each step is marked twice, one mark inside the other; the loader is slow in one step."""
    program = Program(run)
    for number in range(run.count(6, 5)):
        with program.main.inside("step", "ProfilerStep#%d" % program.number):
            program.main.spend(us(3))
            with program.step():
                if number == 2:
                    program.load_inline(ms(16))
                program.train_step()
                calls.synchronize(program.main, program.device)
            program.main.spend(us(3))


@scenario("allocator", ("cuda", "paddle"), when="every step")
def allocations_in_every_step(run):
    """Each step asks the driver for a large block of memory before its work."""
    program = Program(run)

    def allocate(_):
        with program.operator(program.main, "to"):
            calls.malloc(program.main, ms(8))
            calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(5)))
    train(program, run.count(6), before=allocate)


@scenario("host_python", ("cuda",), stacks=True, when="only step", reason="build_masks")
def pause_in_the_only_step(run):
    """One step is recorded, and the script computes masks in it."""
    program = Program(run, layers=run.count(8, 6))
    program.number = 9
    _in_steps(program, 1, (0,), _python(program, "train.py(31): build_masks", ms(6)), False)


@scenario("data_loading", ("cuda",), when="no steps")
def loader_without_steps(run):
    """The loader is slow again and again; no steps are marked."""
    program = Program(run)
    for _ in range(run.count(6)):
        program.train_step()
        program.load_inline(ms(7))
    program.train_step()


@scenario("garbage_collection", ("cuda",), when="once")
def collection_without_steps(run):
    """Python collects garbage once, in the middle; no steps are marked."""
    program = Program(run)
    rounds = run.count(6, 4)
    for number in range(rounds):
        program.train_step()
        if number == rounds // 2:
            calls.synchronize(program.main, program.device)
            program.main.busy("range", "gc", run.machine.host_ns("gc", ms(20)), "garbage_collection")


@scenario("compile", ("cuda",), stacks=True, when="every step")
def compiled_again_in_every_step(run):
    """Each step has a new shape, for which the model is compiled again: not only at the start."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: program.main.busy(
        "python", "torch/_dynamo/convert_frame.py(1050): _compile", run.machine.host_ns("compile", ms(8)), "compile"))


@scenario("data_loading", ("cuda",), when="every step")
def first_batch_and_all_others(run):
    """The first batch takes 40 ms, each other one 6 ms: a cost that comes once beside one of the loop."""
    program = Program(run)
    train(program, run.count(8, 6), before=lambda n: program.load_inline(ms(6 if n else 40)))


@scenario(None, ("cuda",), stacks=True, once=("compile",), when="first step")
def compiled_in_the_first_step(run):
    """The model is compiled in the first step only."""
    program = Program(run)
    _in_steps(program, run.count(7), (0,), lambda: program.main.busy(
        "python", "torch/_dynamo/convert_frame.py(1050): _compile", run.machine.host_ns("compile", ms(25)), "compile"))


@scenario(None, ("cuda", "paddle"), once=("data_loading",), when="first step")
def first_batch_of_the_loader(run):
    """The loader starts with the first step; all other batches are ready."""
    program = Program(run)
    _in_steps(program, run.count(7), (0,), lambda: program.load_inline(ms(22)))


@scenario(None, ("cuda",), once=("allocator",), when="first step")
def memory_in_the_first_step(run):
    """The first step asks for all the memory, while the device has nothing to do."""
    program = Program(run)

    def allocate():
        with program.operator(program.main, "to"):
            for _ in range(6):
                calls.malloc(program.main, ms(2.5))
            calls.launch(program.main, program.stream, program.pointwise, run.machine.device_ns("fill", us(5)))
    _in_steps(program, run.count(7), (0,), allocate)


@scenario(None, TORCH, stacks=True, once=("host_python",), when="first step", reason="warm_up_tokenizer")
def python_in_the_first_step(run):
    """The script fills a table in the first step only."""
    program = Program(run)
    _in_steps(program, run.count(7), (0,), _python(program, "train.py(18): warm_up_tokenizer", ms(20)), False)


@scenario(None, ("cuda",), stacks=True, must_not=("host_python", "garbage_collection"))
def pauses_behind_a_busy_device(run):
    """Python and a collection in every third step, while the device has work for longer."""
    program = Program(run, layers=10, gemm=us(320))

    def after(number):
        if number % 3 == 1:
            program.frame("train.py(88): log_metrics", ms(1.6))
            program.main.busy("python", "<built-in function gc.collect>", run.machine.host_ns("gc", ms(1.2)), "garbage_collection")
    train(program, run.count(6), after=after)


@scenario(None, ("cuda",), stacks=True, must_not=("host_python",))
def short_pause_in_every_step(run):
    """The script pauses in each step for half a millisecond, of which the device notices next to nothing."""
    program = Program(run, layers=8, gemm=us(300))
    train(program, run.count(6), after=lambda n: program.frame("train.py(90): update_meter", us(500)))
