"""Stands in for the agent: writes each call as a line of the file `<pid>` in the run's folder.

The functions that the variable STANDIN_FAILS names raise. With STANDIN_OWN_STEPS, all children are leaders that end steps.
"""
import builtins
import os
import threading

_names = []
_fails = os.environ.get("STANDIN_FAILS", "").split(",")


def _write(call, *words):
    if call in _fails:
        raise RuntimeError("the agent's " + call)
    line = " ".join(str(word).replace("\n", " ") for word in (threading.get_ident(), call) + words) + "\n"
    with builtins.open(os.path.join(os.environ["PROFTUI_RUN"], str(os.getpid())), "a") as file:
        file.write(line)


def open(is_child):
    _write("open", int(is_child), os.environ.get("PROFTUI_LEADER", "-").rpartition("/")[2].partition("-")[0])
    return True


def name(kind, text):
    if "name" in _fails:
        raise RuntimeError("the agent's name")
    _names.append("%d %s" % (kind, text))
    return len(_names)


def begin(tag):
    _write("begin", _names[tag - 1] if tag <= len(_names) else "%d ?" % (tag >> 24))


def end():
    _write("end")


def step(samples):
    global _at
    _write("step", samples)
    _at += 1
    return state()


# The states of steps, in order; steps beyond them have the last one.
_states = [int(state) for state in os.environ.get("STANDIN_STATES", "2").split(",")]
_at = 0


def state():
    return _states[min(_at, len(_states) - 1)]


def step_at(samples, time, waited):
    _write("step_at", samples)
    return step(samples)


def begin_step(time, waited):
    _write("begin_step")


def restart_steps():
    global _at
    _write("restart_steps")
    _at = 0
    return state()


def validation(start, end):
    _write("validation")


def waited():
    return 0


def pause_step(is_step=True, *past):
    _write("pause_step" if is_step else "pause_step_at_end")


def resume_step():
    _write("resume_step")


def cycle():
    """The number of the cycle: each recorded step after one that is not recorded, or that ends its cycle, begins one."""
    states = [0] + [_states[min(at, len(_states) - 1)] for at in range(_at + 1)]
    begun = sum(one in (0, 1, 3) and next >= 2 for one, next in zip(states, states[1:]))
    return begun if states[-1] >= 2 else 0


def folder():
    return os.environ["PROFTUI_RUN"]


def note(kind, text):
    _write("note", kind, text)


def command_line(arguments):
    """The agent hides secrets here; this only shows that each command line goes through it."""
    return "shown: " + arguments.replace("\0", " ")


def reported():
    """How many ranges NVTX and ITT reported; scripts count up where a real library would report one."""
    global is_expected
    is_expected = False
    return count


def expect_own():
    global is_expected
    is_expected = True
    return count


count, is_expected = 0, False


def thread(text):
    _write("thread", text)


def name_process(text):
    _write("name_process", text)


def ends_own_steps(is_other_rank):
    _write("ends_own_steps", int(is_other_rank))
    return is_other_rank or "STANDIN_OWN_STEPS" in os.environ


def libraries(folders):
    _write("libraries", folders)


def close():
    _write("close")
