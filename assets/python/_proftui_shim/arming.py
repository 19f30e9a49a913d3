"""Loads the agent, reads the run's options, and installs the hooks that they ask for.

Knows the environment variables that `proftui capture` sets; knows no framework.
"""
import os
import sys
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, ModuleSpec

# Beginnings of the code with which multiprocessing starts a worker process; a worker follows the cycles of its parent.
_CHILDREN = ("from multiprocessing.spawn import", "from multiprocessing.forkserver import")
# Beginning of the code of multiprocessing's resource tracker, in which nothing is recorded.
_HELPER = "from multiprocessing.resource_tracker import"


def arm():
    """Loads the agent and installs the hooks if the process is captured."""
    if not _is_main_interpreter():
        return
    command = _command()
    code = command[command.index("-c") + 1] if "-c" in command[:-1] else ""
    if code.startswith(_HELPER):
        return
    is_child = code.startswith(_CHILDREN)
    if sys.implementation.name != "cpython":
        if not is_child:
            sys.stderr.write("proftui: phases and steps are not captured: the recorder is made for CPython, and this is %s\n" % _implementation())
        return
    # Loading an extension of the stable ABI would enable the GIL again for the whole program.
    if "t" in getattr(sys, "abiflags", ""):
        if not is_child:
            sys.stderr.write("proftui: phases and steps are not captured: this Python runs without the GIL (free-threaded build)\n")
        return
    agent = _agent()
    if not agent.open(is_child):
        return
    import atexit

    atexit.register(agent.close)
    try:
        _set_up(command, is_child)
    except Exception as error:
        from .harmless import fail

        fail("cannot record phases and steps", error)


def _set_up(command, is_child):
    from . import children, facts, gpu_profilers_proton, imports, installed, intervals, iterations, kept, libraries, operators
    from . import operators_chosen, part, steps

    kept.keep(sys.modules)
    options = _options()
    batch_size = options.get("batch_size", "")
    samples = int(batch_size) if batch_size.isdigit() else 0
    steps.rule = steps.Steps(options.get("step_on") or "auto", samples, is_child)
    libraries.report()
    facts.gather(command, not is_child)
    is_first = part.LEADER not in os.environ
    if not is_child:
        part.be_followed()
    is_timer_only = options.get("timer_only") == "1"
    intervals.is_by_time = options.get("by_time") == "1"
    if is_timer_only or intervals.is_by_time:
        installed.hold()
    operators.most = int(options.get("most", "") or operators.most)
    operators_chosen.follow(options)
    for framework in ("torch", "paddle", "jax"):
        imports.watch(framework, _hooks(framework, is_timer_only))
    iterations.watch()
    for module, hooks in (("onnxruntime.capi.onnxruntime_inference_collection", "on_onnxruntime"), ("sklearn.base", "on_sklearn")):
        imports.watch(module, _library_hooks(hooks, is_timer_only))
    imports.watch("multiprocessing.util", children.install)
    # A script that profiles itself gets what its profiler's classes record, and no more.
    if not is_timer_only and options.get("schedule") != "manual":
        _watch_what_leaves_devices_idle()
    gpu_profilers_proton.watch()
    if steps.rule.function:
        from . import functions

        functions.watch(steps.rule.function, is_child)
    if options.get("functions"):
        from . import function_calls

        function_calls.watch(options["functions"], is_child)
    import atexit

    atexit.register(_report_the_end, is_first)
    atexit.register(intervals.finish)
    # Runs first.
    atexit.register(steps.rule.settle)


def _watch_what_leaves_devices_idle():
    from .harmless import fail

    for part in ("garbage", "slow_imports", "rare_calls", "collectives"):
        try:
            import_module("." + part, __package__).watch()
        except Exception as error:
            fail("cannot record all of %s" % part, error)


def _report_the_end(is_first):
    from . import ending

    ending.report(is_first)


def _implementation():
    return {"pypy": "PyPy", "graalpy": "GraalPy"}.get(sys.implementation.name, sys.implementation.name)


def _is_main_interpreter():
    """False in a subinterpreter, whose end is not the end of the process."""
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = __import__(name)
        except ImportError:
            continue
        return interpreters.get_current() == interpreters.get_main()
    return True


def _hooks(framework, is_timer_only):
    def install(module):
        from . import facts, operators_chosen, process
        from .harmless import fail

        # A process that multiprocessing spawned has its name by now.
        process.name_child()
        facts.version(framework, module)
        import_module(".on_" + framework, __package__).install(module, is_timer_only)
        # JAX reports no operators.
        if operators_chosen.are_wanted() and framework != "jax":
            try:
                import_module(".operators_" + framework, __package__).install(module)
            except Exception as error:
                fail("cannot record operators of " + framework, error)

    return install


def _library_hooks(name, is_timer_only):
    def install(module):
        import_module("." + name, __package__).install(module, is_timer_only)

    return install


def _agent():
    """The agent's module; loads it if necessary."""
    name = "_proftui"
    if name not in sys.modules:
        path = os.environ["PROFTUI_AGENT"]
        loader = ExtensionFileLoader(name, path)
        spec = ModuleSpec(name, loader, origin=path)
        module = loader.create_module(spec)
        loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


def _command():
    """The process's command line as a list; empty if the system does not report it."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return file.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return []


def _options():
    """The options of the run, by key; empty if they cannot be read."""
    from . import own

    try:
        return own.options(os.environ["PROFTUI_RUN"])
    except OSError:
        return {}
