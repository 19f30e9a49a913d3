"""Records calls that are rare and may take long: writing checkpoints, and compiling.

A function that PyTorch compiles is about to be called: the first step begins there. A hook is there before another module imports the
function by its name. Of checkpoints within each other only the outermost one is recorded. What a version lacks is left out. Knows the names
of frameworks' functions, and no more of them.
"""
from _proftui import begin, end

from . import imports, steps
from .hooks import Phase, hooked
from .ranges import CHECKPOINT, COMPILE, Tags
from .wrappers import wrapped

_checkpoints, _compilations = Tags(CHECKPOINT), Tags(COMPILE)

# The functions that write checkpoints: module, function, name of the range.
_SAVING = (
    ("torch.serialization", "save", "torch.save"),
    ("torch.distributed.checkpoint.state_dict_saver", "save", "torch.distributed.checkpoint.save"),
    ("torch.distributed.checkpoint.state_dict_saver", "async_save", "torch.distributed.checkpoint.async_save"),
    ("torch.distributed.checkpoint.state_dict_saver", "save_state_dict", "torch.distributed.checkpoint.save_state_dict"),
    ("safetensors.torch", "save_file", "safetensors.torch.save_file"),
    ("safetensors.paddle", "save_file", "safetensors.paddle.save_file"),
    ("safetensors.flax", "save_file", "safetensors.flax.save_file"),
    ("safetensors.numpy", "save_file", "safetensors.numpy.save_file"),
    ("paddle.framework.io", "save", "paddle.save"),
)


def _of_code(code, *args, **kwargs):
    return code.co_name


def _of_graph(*args, **kwargs):
    return "Inductor"


def _of_source(source, *args, **kwargs):
    return getattr(source, "name", None) or getattr(source, "__name__", "Triton")


def _of_tuner(tuner, *args, **kwargs):
    return "autotune " + (getattr(tuner, "base_fn", None) or tuner.fn).__name__


def _of_module(backend, computation, *args, **kwargs):
    return str(computation.operation.attributes["sym_name"]).strip('"')


# The functions that compile, or measure which variant is fastest: module, function, and what is compiled, by the function's arguments.
_COMPILING = (
    ("torch._dynamo.convert_frame", "_compile", _of_code),
    # The backward of a graph is compiled later than its forward, when it is first run.
    ("torch._inductor.compile_fx", "fx_codegen_and_compile", _of_graph),
    ("torch._inductor.runtime.triton_heuristics", "CachingAutotuner.benchmark_all_configs", _of_tuner),
    ("torch._inductor.triton_heuristics", "CachingAutotuner.benchmark_all_configs", _of_tuner),
    ("triton.compiler.compiler", "compile", _of_source),
    ("triton.runtime.autotuner", "Autotuner._bench", _of_tuner),
    ("jax._src.compiler", "compile_or_get_cached", _of_module),
)


def watch():
    """Records these calls from now on, in modules that are imported already and those that will be."""
    for module, function, name in _SAVING:
        imports.watch(module, _installing(function, _saving(name)))
    for module, function, name_of in _COMPILING:
        imports.watch(module, _installing(function, _compiling(name_of)))


def _installing(path, wrap):
    *owners, function = path.split(".")

    def install(module):
        owner = module
        for name in owners:
            owner = getattr(owner, name, None)
        if hasattr(owner, function):
            wrapped(owner, function, wrap)

    return install


def _saving(name):
    def before(*args, **kwargs):
        begin(_checkpoints[name])
        return True

    return hooked(before, _ends, Phase.CHECKPOINT)


def _compiling(name_of):
    def before(*args, **kwargs):
        try:
            name = str(name_of(*args, **kwargs))
        except Exception:
            # Another version has other arguments.
            name = "(unknown)"
        if name_of is _of_code:
            steps.rule.frame_is_compiled()
        begin(_compilations["compile: " + name])
        return True

    return hooked(before, _ends)


def _ends(begun, is_done, result):
    end()
