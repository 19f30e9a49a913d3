"""Gathers facts about the process and reports them to the agent: Python's version, the script, the rank.

Of the environment only the variables in a list are reported, and only plausible values of them; in the command line, the agent hides
values that may be secrets (`crates/wire/src/secrets.rs`).
"""
import os
import sys

from _proftui import command_line, note

_FACT, _WARNING = 1, 2
# Environment variables with a process's rank in its job, and its devices. The ranks are those in `src/capture/process.rs`.
_RANK_VARIABLES = (
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "PADDLE_TRAINER_ID",
    "PADDLE_TRAINERS_NUM",
    "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
    "CUDA_VISIBLE_DEVICES",
)
# The variables of that list in which a rank differs from other ranks, and the variable in which a process finds its leader's rank.
_RANKS = ("RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", "LOCAL_RANK")
_LEADERS_RANK = "PROFTUI_LEADER_RANK"
# Most digits of a rank or a number of ranks; most characters of a list of devices: numbers, or names such as `MIG-GPU-1f/1/0`.
_DIGITS = 9
_LONGEST = 4000
# The known facts and warnings as notes, each by a key, and whether a new one is reported at once. A child reports its facts when it
# becomes a leader.
_known = {}
_is_reporting = False
# The rank of the process that this one follows, as `_rank` returns it.
_leaders_rank = os.environ.get(_LEADERS_RANK, "")


def gather(command, is_leader):
    """Gathers the facts that are known before the script runs. `command` is the command line that the system reports."""
    global _is_reporting
    _is_reporting = is_leader
    learn("python", "%d.%d.%d" % sys.version_info[:3])
    # A process that multiprocessing starts gets `sys.argv` from its parent, and has it when it becomes a leader.
    if is_leader:
        _learn_command(command)
    gather_rank()


def _learn_command(command):
    argv = [str(word) for word in getattr(sys, "argv", ())]
    if argv[:1] == ["-m"] and "-m" in command[:-1]:
        argv.insert(1, command[command.index("-m") + 1])
    learn("argv", command_line("\0".join(argv)))
    if argv and os.path.isfile(argv[0]):
        learn("script", command_line(os.path.abspath(argv[0])))


def gather_rank():
    """Gathers the rank; a script may set it itself before its first step."""
    found = {name: os.environ[name] for name in _RANK_VARIABLES if os.environ.get(name)}
    try:
        distributed = sys.modules.get("torch.distributed")
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            found["RANK"], found["WORLD_SIZE"] = distributed.get_rank(), distributed.get_world_size()
    except Exception:
        # In most jobs the environment variables have the rank, too.
        pass
    for name in found:
        _learn_variable(name, str(found[name]).strip())
    if _is_reporting:
        share_rank()


def _rank():
    return " ".join(_known[name][1] for name in _RANKS if name in _known)


def is_other_rank():
    """True if this process is another rank than its leader."""
    return bool(_rank()) and _rank() != _leaders_rank


def share_rank():
    """Passes the rank on to processes that multiprocessing starts from now on."""
    os.environ[_LEADERS_RANK] = _rank()


def _learn_variable(name, value):
    """Gathers a variable of the list, or the warning that its value is not one that a launcher sets."""
    if name == "CUDA_VISIBLE_DEVICES":
        letters = value.translate(dict.fromkeys(map(ord, ",:/_.- ")))
        is_plausible, expected = len(value) <= _LONGEST and letters.isascii() and (letters.isalnum() or not letters), "a list of devices"
    else:
        is_plausible = value.isascii() and value.isdigit() and len(value) <= _DIGITS
        expected = "a number of at most %d digits" % _DIGITS
    if is_plausible:
        learn(name, value)
    elif value != "-1":
        # Scripts set the rank to -1 where there is no job.
        _keep(name + "?", _WARNING, "the environment variable %s is ignored: its value is not %s" % (name, expected))


def version(framework, module):
    """Gathers a framework's version, and the version of CUDA that it was built for."""
    learn(framework, str(getattr(module, "__version__", "unknown")))
    try:
        cuda = module.version.cuda
        cuda = cuda() if callable(cuda) else cuda
    except Exception:
        # Not every framework states the version, or states it in this way.
        return
    # Paddle returns the text "False" if it was built without CUDA.
    if isinstance(cuda, str) and cuda[:1].isdigit():
        learn("cuda", cuda)


def operators(framework, how):
    """Gathers how the operators of a framework are traced."""
    learn("ops", "%s %s" % (framework, how))


def class_path(thing):
    """`torch.optim.SGD` for an object of the class `torch.optim.sgd.SGD`."""
    module, name = type(thing).__module__, type(thing).__qualname__
    parent, _, own = module.rpartition(".")
    return "%s.%s" % (parent if own.lower() == name.lower() else module, name)


def report_all():
    """Reports all facts, and from now on each new one; called when the process has steps of its own."""
    global _is_reporting
    if "argv" not in _known:
        _learn_command(())
    _is_reporting = True
    for kind, text in _known.values():
        note(kind, text)


def follow():
    """The process begins as the child of a fork: it reports no further facts, and its leader has the rank that is known here."""
    global _is_reporting, _leaders_rank
    if _is_reporting:
        _leaders_rank = _rank()
    _is_reporting = False


def learn(key, value):
    """Keeps a fact, and reports it if facts are reported at once."""
    _keep(key, _FACT, "%s=%s" % (key, value))


def _keep(key, kind, text):
    if _known.get(key) != (kind, text):
        _known[key] = kind, text
        if _is_reporting:
            note(kind, text)
