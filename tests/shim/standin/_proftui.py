"""Stands in for the agent: writes each call as a line of the file `<pid>` in the run's folder.

The functions that the variable STANDIN_FAILS names raise. With STANDIN_OWN_STEPS, all children are leaders that end steps.
"""
import builtins
import os
import sys
import threading
import types

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


def end_numbered(number):
    _write("end", number)


def watch_functions(look):
    global _look
    _look = look


def choose_function(code, tag):
    if "choose_function" in _fails:
        raise RuntimeError("the agent's choose_function")
    _tags[id(code)] = tag


def forget_function(address):
    _tags.pop(address, None)
    _write("forget_function")


def function_begins(code, offset):
    try:
        answer = None if id(code) in _tags else _look(code)
    except Exception as error:
        _write("raised", repr(error))
        answer = None
    function_goes_on(code)
    return answer


def function_goes_on(code, *arguments):
    if _tags.get(id(code)) and cycle():
        begin(_tags[id(code)])
        _here.functions.append(code)


def function_ends(code, *arguments):
    if code in _here.functions:
        while _here.functions.pop() is not code:
            _write("end")
        _write("end")


def profile_thread(*ignored):
    sys.setprofile(_profile)


def _profile(frame, event, argument):
    if event == "call":
        function_begins(frame.f_code, frame.f_lasti)
    elif event == "return":
        function_ends(frame.f_code)


# The tags of code objects, by id; 0 for those that are not recorded.
_tags = {}


def record(tag, start, cycle):
    _write("record", _names[tag - 1], cycle)


def collections(callbacks):
    def collected(phase, info):
        if phase == "start" and "STANDIN_GC" in os.environ:
            _write("collection", info["generation"])
        for call in callbacks:
            call(phase, info)

    return collected


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


def begin_call(time, cycle):
    _write("begin_call", cycle)


def read_clocks(time):
    pass


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


def resume_step(since):
    _write("resume_step")


def cycle():
    """The number of the cycle: each recorded step after one that is not recorded, or that ends its cycle, begins one."""
    states = [0] + [_states[min(at, len(_states) - 1)] for at in range(_at + 1)]
    begun = sum(one in (0, 1, 3) and next >= 2 for one, next in zip(states, states[1:]))
    return begun if states[-1] >= 2 else 0


def folder():
    return os.environ["PROFTUI_RUN"]


# The files of a ring.
_files = []


def add_file(name, bytes, events):
    """In a ring (STANDIN_RING) keeps the last two files."""
    if "STANDIN_RING" not in os.environ:
        return False
    _files.append(name)
    if len(_files) > 2:
        os.unlink(os.path.join(folder(), _files.pop(0)))
    return True


def note(kind, text):
    _write("note", kind, text)


def stand_aside(profiler):
    _write("stand_aside", profiler)
    print("aside")
    return os.environ.get("STANDIN_CUPTI")


def leave_gpu(profiler):
    _write("leave_gpu", profiler)


def is_subscribed():
    return False


def command_line(arguments):
    """The agent hides secrets here; this only shows that each command line goes through it."""
    return "shown: " + arguments.replace("\0", " ")


def announce(tag):
    global announced
    announced = _names[tag - 1].partition(" ")[2] if tag <= len(_names) else ""


def was_reported():
    """True if NVTX or ITT reported the announced range; scripts call `report` where a real library would."""
    global announced
    announced, before = None, announced
    return before is True


def report(name):
    """Returns what the agent takes the range for."""
    global announced
    if announced != name:
        return "operator"
    announced = True
    return "own"


announced = None


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


class hook:
    """Stands in for the agent's hooks, but has a frame. Functions bind it; other callables do as they bind themselves."""

    def __init__(self, function, before, after, phase, failed):
        self.__dict__.update(__wrapped__=function, _parts=(before, after, phase, failed))

    def __call__(self, *args, **kwargs):
        before, after, phase, failed = self._parts
        function, begun = self.__wrapped__, None
        if not _here.phases & phase:
            begun = _spared(failed, before, *args, **kwargs)
        if begun is None:
            return function(*args, **kwargs)
        _here.phases |= phase
        is_done, result = False, None
        try:
            result = function(*args, **kwargs)
            is_done = True
            return result
        except BaseException as error:
            result = type(error)
            raise
        finally:
            _here.phases &= ~phase
            _spared(failed, after, begun, is_done, result)

    def __get__(self, owner, kind=None):
        if owner is None:
            return self
        if isinstance(self.__wrapped__, types.FunctionType):
            return types.MethodType(self, owner)
        bind = getattr(self.__wrapped__, "__get__", None)
        return hook(bind(owner, kind), *self._parts) if bind else self

    def __getattr__(self, name):
        return getattr(self.__dict__["__wrapped__"], name)

    @property
    def __class__(self):
        # Of several hooks, what the innermost one stands for.
        return self.__dict__["__wrapped__"].__class__


def _spared(failed, part, *args, **kwargs):
    try:
        return part(*args, **kwargs)
    except Exception as error:
        failed(part, error)


class _Here(threading.local):
    phases = 0

    def __init__(self):
        self.functions = []


_here = _Here()


def leave_phases():
    _here.phases = 0
