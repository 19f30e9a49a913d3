"""PyTorch: wraps the calls that are phases and ends of steps; public functions as far as there are any. `ranges_torch`: named ranges."""
import sys

from _proftui import note

from . import gpu_profilers, imports, installed, ranges_torch, steps
from .harmless import harmless
from .hooks import followed, preceded
from .installed import BATCHES, RECORDING, WORK
from .wrappers import backwarding, fetching, forwarding, loading, never, optimizer_begins, optimizer_ends, wrapped


def install(torch, is_timer_only):
    """Installs all hooks; writes a note for each hook whose function this version of PyTorch lacks."""
    compiler = getattr(torch, "compiler", None)
    # True while a compiler looks at Python code, or traces the operators that it found there.
    is_compiling = getattr(compiler, "is_compiling", never)
    # True only in the former case, in which the compiler may see nothing of a hook.
    is_read = getattr(compiler, "is_dynamo_compiling", is_compiling)
    parts = [
        ("data loading", "torch.utils.data.dataloader", _loader),
        ("optimizer steps", "torch.optim.optimizer", lambda module: _optimizers(module, is_compiling)),
        ("the steps of the script's profiler", "torch.profiler.profiler", _profiler),
        ("GPU work beside the script's profiler", "torch.autograd.profiler", gpu_profilers.torch),
        ("the files of the script's profiler", "torch.profiler.profiler", _profiler_files),
        ("gradient scalers", "torch.amp.grad_scaler", _scaler),
        ("gradient scalers", "torch.cuda.amp.grad_scaler", _scaler),
        ("gradient scalers", "torch.distributed.fsdp.sharded_grad_scaler", _scaler),
        # The compiler is not to compile the hooks.
        ("calls of compiled functions", "torch._dynamo.trace_rules", lambda module: module.add(__package__)),
    ]
    if not is_timer_only:
        parts.append(("data loader workers", "torch.utils.data._utils.fetch", _workers))
    if not is_timer_only or steps.rule.looks_at_annotations:
        parts += [
            ("named ranges", "torch.autograd.profiler", lambda module: ranges_torch.record_function(module, is_read, not is_timer_only)),
            ("NVTX ranges", "torch.cuda.nvtx", lambda module: ranges_torch.nvtx(module, is_read, not is_timer_only)),
        ]
    if not is_timer_only or steps.rule.looks_at_forwards:
        backward = lambda module: _backward(torch, is_compiling, not is_timer_only)  # noqa: E731
        parts.append(("backward passes", "torch.autograd", backward))
        forward = forwarding(is_compiling, _uncompiled, _gradients(torch), not is_timer_only)
        parts.append(("forward passes", "torch.nn", lambda module: wrapped(module.Module, "__call__", forward, WORK, _forward_changed)))
    for what, module, hook in parts:
        imports.watch(module, _part(torch, what, hook))


def _part(torch, what, hook):
    def install_part(module):
        try:
            hook(module)
        except Exception as error:
            note(2, "torch %s: cannot record %s: %r" % (torch.__version__, what, error))

    return install_part


def _forward_changed(forward):
    """Has the compiler take `forward` for PyTorch's own `Module.__call__`: what it compiled then holds with the hook and without."""
    part = sys.modules.get("torch._dynamo.variables.nn_module")
    if part is not None and hasattr(part, "unpatched_nn_module_call"):
        part.unpatched_nn_module_call = forward


def _uncompiled(module):
    """The module that a compiled module was made of; any other module itself."""
    try:
        return module._orig_mod if type(module).__name__ == "OptimizedModule" else module
    except AttributeError:
        return module


def _loader(module):
    wrapped(module._BaseDataLoaderIter, "__next__", loading(), BATCHES)


def _workers(module):
    for fetcher in (module._MapDatasetFetcher, module._IterableDatasetFetcher):
        wrapped(fetcher, "fetch", fetching(), RECORDING)


def _gradients(torch):
    """A function that is true if gradients are recorded; None for a replica of `DataParallel`, whose forward is part of the whole one."""

    def gradients_of(module):
        return None if getattr(module, "_is_replica", False) else torch.is_grad_enabled()

    return gradients_of


def _backward(torch, is_compiling, is_recorded):
    for owner, name, text in (
        (torch.Tensor, "backward", "Tensor.backward"),
        (torch.autograd, "backward", "autograd.backward"),
        (torch.autograd, "grad", "autograd.grad"),
    ):
        wrapped(owner, name, backwarding(text, is_compiling, is_recorded), WORK)


def _optimizers(module, is_compiling):
    rule = steps.rule

    def before(optimizer, args, kwargs):
        if not (is_compiling() or installed.are_removed):
            optimizer_begins(optimizer)

    def after(optimizer, args, kwargs):
        if is_compiling():
            return
        if installed.are_removed:
            rule.optimizer_passed(optimizer)
        else:
            optimizer_ends(optimizer)

    module.register_optimizer_step_pre_hook(before)
    module.register_optimizer_step_post_hook(after)
    # Called by each optimizer's `__init__` before it does anything that may fail.
    prepare = "_patch_step_function" if hasattr(module.Optimizer, "_patch_step_function") else "_hook_for_profile"
    wrapped(module.Optimizer, prepare, preceded(steps.rule.optimizer_made))


def _scaler(module):
    scaler = getattr(module, "ShardedGradScaler", None) or module.GradScaler
    # Some inherit what is wrapped already.
    if "update" in vars(scaler):
        wrapped(scaler, "update", followed(steps.rule.scaler_updated))


def _profiler_files(module):
    gpu_profilers.torch_files(getattr(module, "_KinetoProfile", module.profile))


def _profiler(module):
    @harmless
    def stepped(profiler):
        steps.rule.profiler_stepped("torch.profiler.profile")

    wrapped(module.profile, "step", preceded(stepped))
    wrapped(module.profile, "stop", followed(steps.rule.profiler_stopped))
