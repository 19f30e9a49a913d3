"""Whether it is settled what ends steps, and which hooks show it while the schedule is closed (`installed`)."""
from . import installed
from .sources import ANNOTATION, FIT, FORWARD, LOADER, NOBODY, OPTIMIZER

# Consecutive steps after which it is settled what ends them; and the hooks that then show it, for the sources that need any.
_SETTLED = 16
_SHOWN_BY = {FIT: installed.COUNTING, LOADER: (installed.BATCHES,), FORWARD: installed.COUNTING, ANNOTATION: (installed.ANNOTATIONS,)}


class Settled:
    """How many steps have ended in the same way."""

    def __init__(self):
        self._alike = 0
        # `id` of the optimizer if only that ends steps, and no other exists.
        self.only = None

    def step_ended(self, source, optimizers):
        """A step ended by this source, as the one before."""
        self._alike += 1
        if self._alike == _SETTLED and not optimizers.have_parts:
            self.only = optimizers.only if source == OPTIMIZER else None
            installed.need(_SHOWN_BY.get(source, ()))

    def undo(self, fixed):
        """Something else happened than in the steps before. Returns True if hooks were removed, which are installed again."""
        self._alike, self.only = 0, None
        were_removed = installed.are_removed
        if fixed != NOBODY:
            installed.need(installed.COUNTING)
        return were_removed
