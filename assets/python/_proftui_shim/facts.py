"""Gathers facts about the process and reports them to the agent: Python's version, the script, the rank.

Of the environment only the variables in a list are reported; in the command line, values that may be secrets are hidden.
"""
import os
import sys

from _proftui import note

from .secret_names import NAMES

_FACT = 1
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
# Values are hidden by the same rules as in `src/capture/secrets.rs`, which hides those of the captured command line.
_HIDDEN = "***"
_SCHEMES = ("basic", "bearer")

# The known facts, and whether a new one is reported at once. A child reports its facts when it becomes a leader.
_known = {}
_is_reporting = False


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
    learn("argv", " ".join(redacted(argv)))
    if argv and os.path.isfile(argv[0]):
        learn("script", os.path.abspath(argv[0]))


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
        learn(name, str(found[name]))


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


def report_all():
    """Reports all facts, and from now on each new one; called when the process has steps of its own."""
    global _is_reporting
    if "argv" not in _known:
        _learn_command(())
    _is_reporting = True
    for key, value in _known.items():
        note(_FACT, "%s=%s" % (key, value))


def stop_reporting():
    """Reports no further facts."""
    global _is_reporting
    _is_reporting = False


def redacted(argv):
    """The command line with `***` instead of values that may be secrets: in `--key V`, `X_KEY=V`, `Authorization: Bearer V`."""
    shown, hides_next = [], False
    for word in argv:
        if hides_next and word.lower() in _SCHEMES:
            pass
        elif hides_next and not word.startswith("-"):
            word, hides_next = _HIDDEN, False
        else:
            word, hides_next = _without_value(word)
        shown.append(_without_login(word))
    return shown


def _without_value(word):
    """The argument with the value of a secret in it hidden; and True if the next argument is that value."""
    # Lower case keeps the offsets of letters in bytes.
    text = word.encode("utf-8", "surrogatepass")
    lower = text.lower()
    offsets = [at for at in (lower.find(secret.encode()) for secret in NAMES) if at >= 0]
    if not offsets:
        return word, False
    ends = [at for at in (lower.find(mark, min(offsets)) for mark in (b"=", b":", b" ")) if at >= 0]
    if not ends:
        return word, word.startswith("-") or lower == b"bearer"
    at = min(ends)
    if text[at:] == b":":
        return word, True
    return text[: at + 1].decode("utf-8", "surrogatepass") + _HIDDEN, False


def _without_login(word):
    """A URL without the user name and password before its host."""
    scheme, mark, rest = word.partition("://")
    host, slash, path = rest.partition("/")
    if mark and "@" in host:
        host = _HIDDEN + "@" + host.rpartition("@")[2]
    return scheme + mark + host + slash + path


def learn(key, value):
    """Keeps a fact, and reports it if facts are reported at once."""
    if _known.get(key) != value:
        _known[key] = value
        if _is_reporting:
            note(_FACT, "%s=%s" % (key, value))
