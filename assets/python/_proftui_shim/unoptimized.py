"""Ends steps where no optimizer steps: by the loader's request for the next batch, or else by the forward. Knows no framework.

- While an optimizer exists, such ends only wait. They count if the process ends, or after 1,000 of them without a backward pass or an
  optimizer's step; these drop them.
- An inference (evaluation mode, or no gradients) ends a step at once. Other ends wait until the second one, and count with their own times.
- After a backward pass without an optimizer (weights updated by hand) the next forward ends the step, if there is no loader, and after the
  last one the end of the backward pass. After 1,000 forwards without a backward pass, forwards count again.
- A forward ends steps only if no loader is asked; a loader is forgotten after 1,000 forwards without a request.
"""
from .count import now
from .sources import FORWARD, LOADER

_TEXTS = {FORWARD: "forward", LOADER: "dataloader"}
_MOST = 1000


class Unoptimized:
    """What was seen of loaders, forwards and backward passes."""

    def __init__(self, steps):
        self._steps = steps
        # True after a backward pass. The moment when one returned, if the step that it belongs to may not have ended; else None.
        self.learns = False
        self.learned = None
        # True once it is plain that nobody steps the optimizers that exist.
        self._are_idle = False
        self._asked = self._forwards = 0
        self._is_inference = False

    def batch_asked(self):
        """The next batch is requested."""
        self._asked += 1
        self._forwards = 0

    def forward_begins(self):
        """A forward begins on the thread whose loop is followed: if weights are updated by hand, this may end the step."""
        steps = self._steps
        if self.learned and not self._asked and not self._awaits_optimizer() and steps.source in (None, FORWARD):
            self.learned = None
            with steps.lock:
                self._may_end(FORWARD, False)

    def forward_returned(self, is_inference):
        """A forward returned on any thread."""
        self._is_inference = is_inference
        self._forwards += 1
        if self._forwards > _MOST:
            self._asked, self.learns = 0, False
        if not self._asked and (not self.learns or self._awaits_optimizer()) or self._steps.fixed:
            self.may_end(FORWARD)

    def gradients_computed(self):
        """A backward pass begins: what was loaded and forwarded before belongs to the same step."""
        count = self._steps.count
        if self._awaits_optimizer() or (count.source == FORWARD and not self.learns):
            if count.source in (FORWARD, LOADER):
                count.drop()
        if self._steps.source == FORWARD and not (self._steps.fixed or self.learns) and count.ended <= 2:
            # These forwards were the first ones of the loop's first step.
            self._steps.source = None
            count.restart()
        self.learns, self._forwards = True, 0

    def may_end(self, source):
        """Something happened that ends a step, unless the program trains with an optimizer."""
        steps = self._steps
        with steps.lock:
            if steps.fixed:
                steps.choose(source, _TEXTS[source])
                steps.end()
            else:
                self._may_end(source, self._is_inference and not self.learns)

    def _may_end(self, source, is_sure):
        steps, count = self._steps, self._steps.count
        if self._awaits_optimizer():
            if count.source in (None, source, FORWARD):
                count.wait(source)
            if len(count.waiting) >= _MOST:
                self._are_idle = True
                steps.settle_as(source, _TEXTS[source])
        elif is_sure or source in (count.source, steps.source):
            if count.source == source:
                count.wait(source)
                steps.settle_as(source, _TEXTS[source])
            else:
                steps.choose(source, _TEXTS[source])
                steps.end()
        else:
            count.wait(source)

    def _awaits_optimizer(self):
        return not self._are_idle and bool(self._steps.optimizers)

    def settle(self):
        """The process ends: what waits counts."""
        count = self._steps.count
        if self.learned and not self._asked and not self._awaits_optimizer():
            count.waiting.append(self.learned + (count.samples,))
            count.source = FORWARD
        if count.source is not None:
            self._steps.settle_as(count.source, _TEXTS[count.source])
