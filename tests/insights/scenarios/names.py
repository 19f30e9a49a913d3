"""Names of loaders and checkpoints in frames of Python, each beside names that only look so."""
from .blocks import Program, ms, train, us
from .registry import scenario

LIBRARY = "/usr/lib/python3/site-packages/"


def _frames(run, names, ns, cause, numbers=None):
    """Before each step, or those of `numbers`, frames in which the script spends `ns`: each of `names` inside the one before."""
    program = Program(run)
    main = program.main

    def enter(rest, cause):
        with main.inside("python", rest[0], cause) as activity:
            if activity:
                main.spend(us(30))
                if rest[1:]:
                    enter(rest[1:], None)
                else:
                    main.spend(run.machine.host_ns("frame", ns))

    def before(number):
        if (numbers is None or number in numbers) and run.machine.without != (cause or "host_python"):
            enter(names, cause)
    train(program, run.count(6, 5), before=before)


@scenario("data_loading", ("cuda",), stacks=True)
def loader_of_webdataset(run):
    """Batches come from webdataset."""
    _frames(run, (LIBRARY + "webdataset/pipeline.py(80): __iter__", LIBRARY + "PIL/Image.py(2100): convert"), ms(7), "data_loading")


@scenario("data_loading", ("cuda",), stacks=True)
def loader_of_datasets(run):
    """Batches come from a data set of Hugging Face."""
    _frames(run, (LIBRARY + "datasets/arrow_dataset.py(2777): __getitem__", LIBRARY + "pyarrow/table.py(51): take"), ms(7), "data_loading")


@scenario("data_loading", ("cuda",), stacks=True)
def loader_of_dali(run):
    """Batches come from DALI."""
    _frames(run, (LIBRARY + "nvidia/dali/plugin/pytorch/__init__.py(240): __next__",), ms(7), "data_loading")


@scenario("data_loading", ("cuda",), stacks=True)
def loader_of_mosaic(run):
    """Batches come from mosaic streaming."""
    _frames(run, (LIBRARY + "streaming/base/dataset.py(1400): __iter__", LIBRARY + "streaming/base/format/mds/reader.py(90): get_sample_data"),
            ms(7), "data_loading")


@scenario("data_loading", ("cuda",), stacks=True)
def loader_of_litdata(run):
    """Batches come from litdata."""
    _frames(run, (LIBRARY + "litdata/streaming/dataset.py(400): __next__",), ms(7), "data_loading")


@scenario("checkpoint", ("cuda",), stacks=True, when="step 6")
def checkpoint_of_safetensors(run):
    """A checkpoint is written by safetensors before one step."""
    _frames(run, (LIBRARY + "safetensors/torch.py(290): save_file",), ms(25), "checkpoint", (2,))


@scenario("checkpoint", ("cuda",), stacks=True, when="step 6")
def checkpoint_of_a_trainer(run):
    """The trainer of transformers writes a checkpoint before one step."""
    _frames(run, (LIBRARY + "transformers/trainer.py(3280): _save_checkpoint", "<built-in method write of _io.BufferedWriter object at 0x7f>"),
            ms(25), "checkpoint", (2,))


@scenario("host_python", ("cuda",), stacks=True, reason="encode", must_not=("data_loading", "checkpoint", "compile"))
def frames_that_look_like_a_loader(run):
    """The script's own file is called datasets.py and its function encodes texts: no loader is known."""
    _frames(run, ("/home/me/project/datasets.py(10): encode",), ms(7), None)


@scenario("host_python", ("cuda",), stacks=True, reason="stream_tokens", must_not=("data_loading",))
def frames_that_look_like_streaming(run):
    """A function streams tokens to a client: no loader is known."""
    _frames(run, ("/home/me/project/streaming/client.py(88): stream_tokens",), ms(7), None)


@scenario("host_python", ("cuda",), stacks=True, reason="load_file", must_not=("checkpoint", "data_loading"))
def weights_read_again(run):
    """Weights are read by safetensors before each step: nothing is saved, and they are no batch."""
    _frames(run, ("serve.py(33): swap_adapter", LIBRARY + "safetensors/torch.py(313): load_file"), ms(7), None)


@scenario(None, ("cuda",), stacks=True, must_not=("data_loading",))
def loader_of_webdataset_behind_a_busy_device(run):
    """Batches come from webdataset while the device has work for longer."""
    program = Program(run, layers=10, gemm=us(320))
    train(program, run.count(5), after=lambda n: program.main.busy(
        "python", LIBRARY + "webdataset/pipeline.py(80): __iter__", run.machine.host_ns("load", ms(2)), "data_loading"))


@scenario(None, ("cuda",), stacks=True, must_not=("checkpoint",))
def checkpoint_of_safetensors_on_a_thread(run):
    """A thread writes a checkpoint by safetensors while the main one trains."""
    program = Program(run)
    writer = run.machine.thread("writer")
    train(program, 2)
    writer.until(program.main.now)
    writer.busy("python", LIBRARY + "safetensors/torch.py(290): save_file", run.machine.host_ns("write", ms(9)), "checkpoint")
    train(program, run.count(4))
