"""Named ranges in a script. While nothing is recorded they do nothing."""
import functools
import warnings

from . import recorder
from .names import TracerEventType

# The types of ranges that scripts may record.
_KINDS = (
    TracerEventType.Dataloader,
    TracerEventType.ProfileStep,
    TracerEventType.Forward,
    TracerEventType.Backward,
    TracerEventType.Optimization,
    TracerEventType.PythonOp,
    TracerEventType.PythonUserDefined,
)

_USER = TracerEventType.PythonUserDefined

# The shim's tags of names, by the event type that was given; those of the default type apart, for a faster lookup.
_tags = {}
_user_tags = None


class _Decorates:
    """Lets a context manager be used as a decorator: each call of the function is a range of its own."""

    def __call__(self, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)

        return call


class RecordEvent(_Decorates):
    """A named range: a context manager, a decorator, or `begin()` and `end()` on the same thread."""

    def __init__(self, name, event_type=_USER):
        self.name = name
        self.event_type = event_type
        # The functions that end this object's open ranges; several if the range is entered recursively.
        self._ends = ()

    def _again(self):
        return type(self)(self.name, self.event_type)

    def begin(self):
        """Begins the range on this thread."""
        agent = recorder.there()
        if agent is None:
            return
        tags = _user_tags if self.event_type is _USER else _tags.get(self.event_type)
        if tags is None:
            tags = _tags_of(self.event_type)
            if tags is None:
                return
        agent.begin(tags[self.name])
        self._ends += (agent.end,)

    def end(self):
        """Ends the range that this object began last; does nothing if none is open."""
        if self._ends:
            finish, self._ends = self._ends[-1], self._ends[:-1]
            finish()

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, *error):
        self.end()


class record_function(_Decorates):
    """A named range with the interface of PyTorch's `record_function`; `args` is accepted and ignored."""

    def __init__(self, name, args=None):
        self.name = name
        self.args = args
        self._event = RecordEvent(name)

    def _again(self):
        return type(self)(self.name, self.args)

    def __enter__(self):
        self._event.begin()
        return self

    def __exit__(self, *error):
        self._event.end()


def _tags_of(given):
    """The tags of an event type, which may be a member of Paddle's enumeration; None, with a warning, for a type that is not recorded."""
    global _user_tags
    kind = getattr(TracerEventType, getattr(given, "name", ""), given)
    if kind not in _KINDS:
        names = ", ".join(kind.name for kind in _KINDS)
        warnings.warn("events of type %r are not recorded; the recorded types are %s" % (given, names), stacklevel=3)
        return None
    from _proftui_shim.ranges import Tags

    tags = _tags[given] = Tags(int(kind))
    if given is _USER:
        _user_tags = tags
    return tags
