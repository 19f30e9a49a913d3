"""Steps that are calls of a generator function, asynchronous or plain, that `--step-on` names: from the first request to the end.

A step ends when the generator is exhausted or closed, since the request is over then; one that raises is no step. The wrappers are generator
functions of the same kind, and pass on all that is sent and thrown into them. They keep nothing that was sent or yielded. Times between two
requests belong to the step.
"""
from functools import wraps

from . import script
from .calls import begins, is_within, returned


class _Iteration:
    """An iteration that begins: a step, unless it is a part of another call."""

    def __init__(self):
        self._begun = None if is_within.get() else begins()

    def ended(self):
        """The generator is exhausted or closed."""
        if self._begun is not None:
            returned(self._begun)


def generating(bound):
    """A wrapper for a generator function."""

    @wraps(bound)
    def call(*args, **kwargs):
        this, items, given = _Iteration(), [], None
        try:
            inner = bound(*args, **kwargs)
            resume = inner.send
            while True:
                # What the generator calls is a part of it, but not what happens between two requests.
                was_within = is_within.get()
                is_within.set(True)
                try:
                    items.append(resume(given))
                finally:
                    given = None
                    is_within.set(was_within)
                try:
                    given = yield items.pop()
                    resume = inner.send
                except BaseException as error:
                    error.__traceback__ = error.__traceback__.tb_next
                    resume, given = inner.throw, error
        except StopIteration as stop:
            result = stop.value
        except BaseException as error:
            _failed(this, error)
            raise
        finally:
            script.stop()
        this.ended()
        return result

    return call


def generating_async(bound):
    """A wrapper for an asynchronous generator function."""

    @wraps(bound)
    async def call(*args, **kwargs):
        this, items, given = _Iteration(), [], None
        try:
            inner = bound(*args, **kwargs)
            resume = inner.asend
            while True:
                was_within = is_within.get()
                is_within.set(True)
                try:
                    items.append(await resume(given))
                finally:
                    given = None
                    is_within.set(was_within)
                try:
                    given = yield items.pop()
                    resume = inner.asend
                except BaseException as error:
                    error.__traceback__ = error.__traceback__.tb_next
                    resume, given = inner.athrow, error
        except StopAsyncIteration:
            pass
        except BaseException as error:
            _failed(this, error)
            raise
        finally:
            script.stop()
        this.ended()

    return call


def _failed(this, error):
    # Without this frame, from Python 3.11 on.
    error.__traceback__ = error.__traceback__.tb_next
    if isinstance(error, GeneratorExit):
        this.ended()
