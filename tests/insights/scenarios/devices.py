"""Several devices of one process: which of them is held up, and which are not used."""
from .blocks import Program, calls, ms, us
from .registry import scenario


class Second:
    """A second device with a thread of its own, which does its share of each step."""

    def __init__(self, program, number=1):
        self.program, self.machine = program, program.machine
        self.thread = self.machine.thread("replica-%d" % number)
        self.device = self.machine.device(number)
        self.stream = self.device.stream(7)

    def begin(self):
        """The thread begins its part of the step when the main one does, or when it has finished the one before."""
        self.thread.until(self.program.main.now)

    def work(self, layers, ns):
        """Operators with one kernel each."""
        for _ in range(layers):
            self.program.op(self.thread, "linear", ns, stream=self.stream, label="second")
            self.program.short_script(self.thread)

    def wait_for_both(self):
        """The main thread waits for both devices, and the other thread for the main one."""
        main = self.program.main
        calls.synchronize(main, self.program.device)
        calls.synchronize(main, self.device)
        self.thread.until(main.now)


def _replicas(run, steps, layers, ns, before=None):
    """Steps of two devices, each with its own thread; `before(second, number)` is called before the second one's work."""
    program = Program(run, layers=8, gemm=us(300))
    second = Second(program)
    for number in range(steps):
        with program.step():
            second.begin()
            if before:
                before(second, number)
            second.work(layers, ns)
            program.forward(layers=16)
            second.wait_for_both()


@scenario("data_loading", ("cuda",), device=1, must_not=("launch_bound",))
def loader_of_one_device(run):
    """The second device's thread loads its batches itself; the first device is busy."""
    def load(second, _):
        with second.thread.inside("range", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "data_loading") as activity:
            if activity:
                second.thread.spend(run.machine.host_ns("load", ms(2.0)))
    _replicas(run, run.count(6), 10, us(300), load)


@scenario("cpu_operator", ("cuda",), device=1, when="every step")
def operator_of_one_device(run):
    """The second device's thread sorts on the host in each step; the first device is busy."""
    def sort(second, _):
        if run.machine.without != "cpu_operator":
            second.thread.busy("operator", "aten::sort", run.machine.host_ns("sort", ms(2.0)))
    _replicas(run, run.count(6), 10, us(300), sort)


@scenario("blocking_sync", ("cuda",), device=1)
def devices_of_unlike_load(run):
    """The first device has five times the work of the second; both are waited for after each step."""
    program = Program(run, layers=12, gemm=us(400))
    second = Second(program)
    for _ in range(run.count(6)):
        with program.step():
            for _ in range(3):
                program.op(program.main, "linear", us(330), stream=second.stream, label="second")
            program.forward()
            second.wait_for_both()


@scenario(None, ("cuda",), must_not=("data_loading", "launch_bound"))
def replicas_in_step(run):
    """Two devices with a thread each, both busy all the time."""
    _replicas(run, run.count(6), 16, us(316))


@scenario(None, ("cuda",))
def busy_pair_beside_two_unused(run):
    """Two busy devices; two others have one memset each, and are in no sum."""
    def others(second, number):
        if number == 1:
            for device in (2, 3):
                calls.memset(second.program.main, run.machine.device(device).stream(7), 4096)
    _replicas(run, run.count(6), 16, us(316), others)


@scenario("host_python", ("cuda",), stacks=True, when="every step", reason="collate", device=None)
def script_holds_up_both_devices(run):
    """One thread launches the work of two devices, after Python of its own: a finding of both, not of one."""
    program = Program(run, layers=6, gemm=us(300))
    other = run.machine.device(1).stream(7)
    for _ in range(run.count(6)):
        with program.step():
            program.frame("train.py(44): collate", ms(9))
            for _ in range(8):
                program.op(program.main, "linear", us(300))
                program.op(program.main, "linear", us(300), stream=other)
    with program.step():
        calls.synchronize(program.main, program.device)
        calls.synchronize(program.main, run.machine.devices[1])


@scenario(None, ("cuda",), must_not=("launch_bound", "blocking_sync"))
def a_kernel_on_another_device(run):
    """A healthy run; one tiny kernel at the start and one at the end on a second device make it no half-idle pair."""
    program = Program(run, layers=8, gemm=us(300))
    other = run.machine.device(1).stream(7)
    steps = run.count(6)

    def touch(number):
        if number in (0, steps - 1):
            program.op(program.main, "gelu", us(2), stream=other)
    for number in range(steps):
        with program.step():
            touch(number)
            program.train_step()
