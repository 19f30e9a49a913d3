"""The shim: reports the phases and steps of an unmodified Python script to the agent.

- `arming`: loads the agent, reads the options, installs the hooks.
- `imports`: runs a hook when a module has been imported. `kept`: the shim's own modules, should their files be gone by then.
- `ranges`: the phases that a thread is in, and the tags of names.
- `steps`: decides what ends a step, of the `sources` that there are; `optimizers`: which of several optimizers; `unoptimized`: loader or
  forward, where no optimizer steps, or a request of several modules (`periods`). `followed`: the thread whose loop is looked at; `settled`:
  whether all that need not be looked at; `part`: whose steps the process ends; `work`: whether a step had any.
- `beginnings`, `validation`: when a step begins, and what is no step; `count`: gives the ends to the agent; `batches`: counts samples.
- `control`: functions for the script's module `proftui`, which ends steps and selects the recorded ones.
- `wrappers`: wraps functions to record ranges and to report to `steps`. `hooks`: callables of the agent that stand for functions.
  `installed`: which wrappers are in the path of calls.
- `on_torch` (`ranges_torch`), `on_paddle`, `on_jax`: the calls of a framework that are phases and steps. Each knows only its framework.
- `on_onnxruntime`, `on_sklearn`: the calls of a library that are forwards, or fits.
- `iterations`: steps that are iterations of a library that runs the loop itself.
- `calls`: steps from the beginning to the end of a call, or of a range with one of the names in `annotations`.
- `garbage`, `slow_imports`, `rare_calls`, `collectives`: what may leave a device idle: Python's garbage collections, imports, checkpoints,
  compilations, waiting for other ranks.
- `functions`, `generators`, `script`: steps that end with a function named by `--step-on`, which may be in the script itself.
- `function_calls`, `qualified_names`: the calls of functions that `--functions` chooses. `monitoring`: a tool id of `sys.monitoring`.
- `intervals`: ends steps, and starts and stops the operator tracers with the cycles.
- `operators_chosen`: which operator tracer is used. `operators`: their base class; they yield to the script's own profiler; `operators_torch` (`torch_tracer`,
  `operators_torch_light`, `operators_torch_full`), `operators_paddle`: the tracers of a framework. `threads`: begins and ends tracing on
  each thread. `kineto`: writes PyTorch's events to a file; `quiet`: silences the log output of libraries.
- `gpu_profilers`: has the agent leave the GPU to the script's own profiler, and reports which files that writes (of JAX and Triton:
  `gpu_profilers_jax`, `gpu_profilers_proton`). `profiler_runs`: when such a profiler ran, and whether its file can still come.
  `kineto_cupti`: how PyTorch's profiler comes to CUPTI.
- `harmless`: reports exceptions of the shim, and keeps them from the script.
- `children`: closes the recorder in processes that multiprocessing forks.
- `ending`: the note at the end of a process in which no step was seen.
- `own`: opens folders of the run, which another user may have made anew.
- `facts`: facts about the process for the trace; `process`: its folder and its part in the run.
- `libraries`: reports the folders of Python packages that contain CUPTI; `cupti_folders` lists them.

`sitecustomize`, which Python imports from the first folder on its path, calls `arm`. Every Python that finds it there reads it, Python 2
included; it removes its folder from the path and runs the user's own `sitecustomize`.

- A hook waits for its module: a finder at the head of the import path lets the other finders find the module, and wraps its execution. So a
  framework costs nothing until it is imported, and a part that a version lacks costs only that part.
- A wrapper calls the wrapped function exactly once, and has no frame (except around named ranges, coroutines and generators): it is in no
  traceback, and takes nothing of the recursion limit. An error of the wrapper itself is reported to the agent, once. A compiler that traces
  the call finds the function's own code.
- Frameworks trace their operators themselves: their tracers are on between the step that opens a cycle and the step that closes it. A
  framework has room for one profiler, so a tracer stops before the script's own profiler starts, and reads that profiler's result.
- While the schedule is closed and it is settled what ends steps, only the hook that shows it is left in the path of calls.
- Phases are the outermost calls on a thread: a loader's `next`, a module, the backward pass, an optimizer.
- A step ends by the best evidence so far (the table in `steps`); an iteration is never counted twice. A child process ends steps only if it
  trains itself; a loader's worker never does.
- `--step-on module:function` replaces the function where its name is bound, so that a compiled function counts per call. The script's own
  module is not imported: its lines are watched up to the last one that binds the name, or up to the function's first call.
- No value that may be a secret is recorded: of the environment only the variables of a fixed list, of the command line no secret values.

Standard library only, Python 3.8 and later. No function here may print, raise into the script, or change what the script computes.
"""


def arm():
    """Loads the agent and installs the hooks if the process is captured. Called once, before the script runs."""
    from . import arming

    arming.arm()
