"""The shim: reports the phases and steps of a Python script to the agent, without a change in the script.

- `arming`: loads the agent, reads the options, sets everything up.
- `imports`: runs a hook once a module is imported.
- `ranges`: the phases that a thread is in, and the tags of names; `steps`: decides what ends a step.
- `control`: the module `proftui` in the script says when steps end and what is recorded.
- `wrappers`: makes a call a range, or a report to `steps`.
- `on_torch`, `on_paddle`, `on_jax`: which calls of a framework are phases and steps. Each knows only its framework.
- `functions`, `script`: steps that end with a function that the user named, also one of the script itself.
- `intervals`: ends steps, and starts and stops the tracers of operators with the cycles.
- `operators`: a tracer of operators, which gives way to the script's own profiler; `operators_torch`, `operators_paddle`: those of a
  framework. `kineto`: writes PyTorch's events to a file; `quiet`: silences libraries.
- `harmless`: reports errors of the shim, and keeps them from the script.
- `children`: processes that multiprocessing forks, and how they end.
- `ending`: the note at the end of a process in which no step was seen.
- `facts`: the facts of the process for the trace; `secret_names`: the names of values that must not be among them.
- `libraries`: the folders in which packages have CUPTI.

Standard library only. Nothing here may print, raise into the script, or change what the script computes.
"""


def arm():
    """Loads the agent and installs the hooks, where the environment asks for it. Called once, before the script."""
    from . import arming

    arming.arm()
