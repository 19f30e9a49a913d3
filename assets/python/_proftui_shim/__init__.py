"""The shim: records the phases and steps of a Python script that knows nothing of it.

- `arming`: loads the agent, reads the options, sets everything up.
- `imports`: runs a hook once a module is there.
- `ranges`: what a thread is in, and the tags of names; `steps`: what ends a step.
- `steering`: what a profiler that the script has of us says: when steps end, what is recorded.
- `wrappers`: makes a range, or a report to `steps`, of a call.
- `on_torch`, `on_paddle`, `on_jax`: which calls of a framework are what. Each knows its framework only.
- `functions`, `script`: steps that end with a function that the person named, also one of the script itself.
- `windows`: where a step ends, and tracers of operators are on between two such.
- `operators`: how a tracer is switched on and off, and gives way to the script's own profiler; `operators_torch`,
  `operators_paddle`: those of a framework. `kineto`: a file of what PyTorch found; `quiet`: libraries that say what they do.
- `harmless`: what goes wrong in all this.
- `children`: processes that multiprocessing forks, and how they end.
- `ending`: what is said at the end, where no step was seen.
- `facts`: what a process reports about itself; `secret_names`: what it must not report.
- `libraries`: where packages have what records devices.

Standard library only. Nothing here may print, raise into the script, or change what it computes.
"""


def arm():
    """Starts, where a run asks for it. Called once, before the script."""
    from . import arming

    arming.arm()
