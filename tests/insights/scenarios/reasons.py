"""What is named as the reason: operators that compute on the host, a frame around many small ones, another thread."""
from .blocks import Program, calls, ms, train, us
from .registry import scenario


def _computing(program, name, *parts):
    """An operator that computes on the host, ns by part; between two parts it launches a kernel, and after a last one if that is 0."""
    main = program.main
    with main.inside("operator", name):
        for number, ns in enumerate(parts):
            if number:
                calls.launch(main, program.stream, program.pointwise, program.machine.device_ns("of " + name, us(12)))
            if ns:
                main.compute(program.machine.host_ns(name, ns))


@scenario("cpu_operator", ("cuda", "rocm"), reason="slice_grad", when="every step", must_not=("launch_bound",))
def operator_computes_before_its_launch(run):
    """An operator computes on the host for milliseconds, then launches one kernel."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: _computing(program, "slice_grad", ms(6), 0))


@scenario("cpu_operator", ("cuda",), reason="custom::beam_search")
def operator_computes_between_launches(run):
    """An operator launches a kernel, computes on the host, launches another, and so on."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: _computing(program, "custom::beam_search", us(20), ms(3), ms(3), us(10)))


@scenario("cpu_operator", ("paddle",), reason="slice_grad dygraph")
def operator_of_paddle_computes(run):
    """The same in Paddle."""
    program = Program(run)
    train(program, run.count(6), before=lambda n: _computing(program, "slice_grad dygraph", ms(6), 0))


@scenario("launch_bound", ("cuda",), must_not=("cpu_operator", "host_python"))
def operators_compute_a_little(run):
    """Many operators compute for 100 us each before their launch: dispatch, since none computes for long."""
    program = Program(run, gemm=us(60))

    def many(_):
        for _ in range(40):
            _computing(program, "aten::embedding_bag", us(90), 0)
    train(program, run.count(5), before=many)


@scenario("cpu_operator", ("cuda",), reason="aten::embedding_bag", must_not=("launch_bound",))
def operators_compute_for_long(run):
    """The same operators compute for 400 us each: long enough to be a reason of its own."""
    program = Program(run, gemm=us(60))

    def many(_):
        for _ in range(12):
            _computing(program, "aten::embedding_bag", us(400), 0)
    train(program, run.count(5), before=many)


@scenario("data_loading", ("cuda",), stacks=True, reason="decode_video")
def loader_whose_function_is_known(run):
    """The loader decodes videos on the main thread: its function is the reason, not the loader's frames around it."""
    program = Program(run)
    main = program.main

    def load(_):
        with main.inside("python", "torch/utils/data/dataloader.py(708): __next__", "data_loading") as activity:
            if activity:
                with main.inside("python", "torch/utils/data/_utils/fetch.py(54): fetch"):
                    main.spend(us(100))
                    main.busy("python", "videos.py(70): decode_video", run.machine.host_ns("decode", ms(7)))
    train(program, run.count(6), before=load)


@scenario(None, ("cuda",), must_not=("cpu_operator",))
def operator_computes_behind_a_busy_device(run):
    """An operator computes for milliseconds and launches, while the device has work."""
    program = Program(run, layers=10, gemm=us(320))
    train(program, run.count(5), after=lambda n: _computing(program, "slice_grad", ms(1.5), 0))


@scenario("launch_bound", ("cuda",), stacks=True, reason="normalize_boxes", must_not=("small_kernels", "cpu_operator"))
def frame_around_small_operators(run):
    """A function of the script runs hundreds of small operators of different names on the host: its name is the reason, not theirs."""
    program = Program(run)
    main = program.main
    names = ("aten::slice", "aten::narrow", "aten::view", "aten::unsqueeze", "aten::select", "aten::expand")

    def normalize(_):
        if run.machine.without == "launch_bound":
            return
        with main.inside("python", "detect.py(77): normalize_boxes"):
            for number in range(180):
                main.busy("operator", names[number % 6], run.machine.host_ns("view", us(32)))
                main.spend(us(4))
    train(program, run.count(5), before=normalize)


@scenario("host_python", ("cuda",), stacks=True, reason="evaluate")
def frame_around_two_functions(run):
    """A function of the script calls two others, which have half of its time each: it is the reason."""
    program = Program(run)
    main = program.main

    def evaluate(_):
        if run.machine.without == "host_python":
            return
        with main.inside("python", "train.py(93): evaluate"):
            for _ in range(6):
                main.busy("python", "metrics.py(12): bleu", run.machine.host_ns("bleu", ms(0.9)))
                main.busy("python", "metrics.py(40): rouge", run.machine.host_ns("rouge", ms(0.9)))
    train(program, run.count(6), after=evaluate)


def loader_thread(run, program, ns, decode):
    """A thread of the loader, one batch ahead, known by its frames; the main thread takes batches from a queue."""
    loader, main = run.machine.thread("Thread-3 (_loader)"), program.main
    taken = []

    def get(_):
        if run.machine.without == "data_loading":
            return
        if taken:
            loader.until(taken[-1])
        with loader.inside("python", "torch/utils/data/dataloader.py(708): __next__", "data_loading"):
            with loader.inside("python", "dataset.py(58): %s" % decode):
                loader.spend(run.machine.host_ns("decode", ns if taken else us(300)))
        taken.append(main.now)
        main.wait_for(loader, "queue.py(154): get", run.machine.host_ns("wake", us(15)))
    return get


@scenario("launch_bound", ("cuda",), stacks=True, reason="RotaryEmbedding", findings=("small_kernels",))
def module_around_small_operators(run):
    """A module launches hundreds of small kernels by operators of many names: the module is the reason."""
    program = Program(run, gemm=us(6))
    words = ("mul", "add", "gelu", "sqrt", "norm", "mul_")
    for _ in range(run.count(5)):
        with program.step():
            program.op(program.main, "linear", us(30))
            with program.main.inside("python", "nn.Module: RotaryEmbedding_0"):
                with program.main.inside("python", "torch/nn/modules/module.py(1773): _call_impl"):
                    for number in range(90):
                        program.op(program.main, words[number % 6], us(4))
            program.op(program.main, "linear", us(30))


@scenario("host_python", ("cuda",), stacks=True, reason=("preprocess", "zoom"), must_not=("data_loading",))
def library_in_a_function_of_the_script(run):
    """A function of the script calls one of a library, which has nearly all the time: both are named."""
    program = Program(run)
    main = program.main

    def preprocess(_):
        if run.machine.without == "host_python":
            return
        with main.inside("python", "image_processing.py(210): preprocess"):
            main.spend(us(60))
            main.busy("python", "/usr/lib/python3/site-packages/scipy/ndimage/_interpolation.py(720): zoom", run.machine.host_ns("zoom", ms(8)))
    train(program, run.count(6), before=preprocess)


@scenario("data_loading", ("cuda",), stacks=True, reason="decode_jpeg", when="every step", must_not=("no_requests", "not_attributable"))
def queue_of_a_loader_thread(run):
    """The main thread waits for a queue; a thread of the loader decodes images: that is the reason, not the wait."""
    program = Program(run)
    get = loader_thread(run, program, ms(11), "decode_jpeg")
    train(program, run.count(6, 5), before=get)


@scenario(None, ("cuda",), stacks=True, must_not=("data_loading", "no_requests"))
def queue_behind_a_busy_device(run):
    """The same with a fast loader: the main thread waits for the queue while the device has work."""
    program = Program(run, layers=8, gemm=us(300))
    get = loader_thread(run, program, ms(3.5), "decode_jpeg")
    train(program, run.count(6), before=get)
