"""The shim: makes a Python script that knows nothing of it tell its phases and steps to the agent.

- `arming`: loads the agent, reads the options, sets everything up.
- `imports`: runs a hook once a module is there.
- `ranges`: what a thread is in, tags, and the wrapper that makes a range of a call.
- `steps`: what ends a step.
- `on_torch`, `on_paddle`, `on_jax`: which calls of a framework are what. Each knows its framework only.
- `functions`, `script`: steps that end with a function that the person named, also one of the script itself.
- `facts`: what a process tells of itself.

Standard library only. Nothing here may print, raise into the script, or change what it computes.
"""


def arm():
    """Starts, where a run asks for it. Called once, before the script."""
    from . import arming

    arming.arm()
