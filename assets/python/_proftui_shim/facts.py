"""What a process tells of itself: its Python, its script, its place among others.

Of the environment only the names of an allow-list are told, of the command line no value that may be a secret.
"""
import os
import sys

from _proftui import note

_FACT = 1
# Where a process stands among those of its job.
_PLACE = (
    "RANK",
    "LOCAL_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "PADDLE_TRAINER_ID",
    "PADDLE_TRAINERS_NUM",
    "CUDA_VISIBLE_DEVICES",
)
_SECRET = ("token", "key", "passw", "secret", "credential")
_HIDDEN = "***"

# What is known; and whether it is told as it comes to be known. A child has it told when it leads.
_known = {}
_is_telling = False


def gather(command, is_leader):
    """Gathers what is known before the script runs. `command` is the command line as the system has it."""
    global _is_telling
    _is_telling = is_leader
    _learn("python", "%d.%d.%d" % sys.version_info[:3])
    argv = list(getattr(sys, "argv", ()))
    if argv[:1] == ["-m"] and "-m" in command[:-1]:
        argv.insert(1, command[command.index("-m") + 1])
    _learn("argv", " ".join(redacted(argv)))
    if argv and os.path.isfile(argv[0]):
        _learn("script", os.path.abspath(argv[0]))
    place()


def place():
    """Gathers the place among others; scripts may set it themselves, before the first step."""
    found = {name: os.environ[name] for name in _PLACE if os.environ.get(name)}
    try:
        distributed = sys.modules.get("torch.distributed")
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            found["RANK"], found["WORLD_SIZE"] = distributed.get_rank(), distributed.get_world_size()
    except Exception:
        # The variables tell it too, mostly.
        pass
    for name in found:
        _learn(name, str(found[name]))


def version(framework, module):
    """Gathers a framework's version, and that of the CUDA that it was built for."""
    _learn(framework, str(getattr(module, "__version__", "unknown")))
    try:
        cuda = module.version.cuda
        cuda = cuda() if callable(cuda) else cuda
    except Exception:
        # Not all say it, and not all in this way.
        return
    # Paddle says "False" where it was built for none.
    if isinstance(cuda, str) and cuda[:1].isdigit():
        _learn("cuda", cuda)


def lead():
    """Tells all that is known: the process has steps of its own."""
    global _is_telling
    _is_telling = True
    for key, value in _known.items():
        note(_FACT, "%s=%s" % (key, value))


def follow():
    """Keeps still from now on."""
    global _is_telling
    _is_telling = False


def redacted(argv):
    """The command line without values that may be secrets."""
    words, is_secret = [], False
    for word in argv:
        key, equals, _ = word.partition("=")
        if equals and _is_secret(key):
            word = key + equals + _HIDDEN
        elif is_secret and not word.startswith("-"):
            word = _HIDDEN
        is_secret = not equals and word.startswith("-") and _is_secret(key)
        words.append(_without_login(word))
    return words


def _is_secret(key):
    return any(secret in key.lower() for secret in _SECRET)


def _without_login(word):
    """An address without the name and password in front of its host."""
    scheme, mark, rest = word.partition("://")
    host, slash, path = rest.partition("/")
    if mark and "@" in host:
        host = _HIDDEN + "@" + host.rpartition("@")[2]
    return scheme + mark + host + slash + path


def _learn(key, value):
    if _known.get(key) != value:
        _known[key] = value
        if _is_telling:
            note(_FACT, "%s=%s" % (key, value))
