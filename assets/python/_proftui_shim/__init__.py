"""The shim: reports the phases and steps of an unmodified Python script to the agent.

- `arming`: loads the agent, reads the options, installs the hooks.
- `imports`: runs a hook when a module has been imported.
- `ranges`: the phases that a thread is in, and the tags of names; `steps`: decides what ends a step.
- `control`: functions for the script's module `proftui`, which ends steps and selects the recorded ones.
- `wrappers`: wraps functions to record ranges and to report to `steps`.
- `on_torch`, `on_paddle`, `on_jax`: the calls of a framework that are phases and steps. Each knows only its framework.
- `functions`, `script`: steps that end with a function named by `--step-on`, which may be in the script itself.
- `intervals`: ends steps, and starts and stops the operator tracers with the cycles.
- `operators`: base class of the operator tracers, which yield to the script's own profiler; `operators_torch`, `operators_paddle`:
  the tracers of a framework. `kineto`: writes PyTorch's events to a file; `quiet`: silences the log output of libraries.
- `harmless`: reports exceptions of the shim, and keeps them from the script.
- `children`: closes the recorder in processes that multiprocessing forks.
- `ending`: the note at the end of a process in which no step was seen.
- `facts`: facts about the process for the trace; `secret_names`: parts of the names of values that are secret.
- `libraries`: the folders of Python packages that contain CUPTI.

Standard library only. No function here may print, raise into the script, or change what the script computes.
"""


def arm():
    """Loads the agent and installs the hooks if the process is captured. Called once, before the script runs."""
    from . import arming

    arming.arm()
