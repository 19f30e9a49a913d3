"""Ends steps where no optimizer steps: by the loader's request for the next batch, or else by the forward. Knows no framework.

- While an optimizer exists, such ends only wait. They count if the process ends, or after 1,000 of them without a backward pass or an
  optimizer's step; these drop them.
- An inference (evaluation mode, or no gradients) ends a step at once, but for the first one. Other ends wait until the second one, and count
  with their own times.
- Where the followed thread only infers, and calls several modules one after the other, a step is a request (`periods`): it ends where the
  next one begins.
- After a backward pass without an optimizer (weights updated by hand) the next forward ends the step, if there is no loader, and after the
  last one the end of the backward pass. After 1,000 forwards without a backward pass, forwards count again.
- A forward ends steps only if no loader is asked; a loader is forgotten after 1,000 forwards without a request.
"""
from threading import get_ident

from . import periods
from .count import now
from .sources import FIT, FORWARD, LOADER

_TEXTS = {FORWARD: "forward", LOADER: "dataloader"}
_MOST = 1000
# After so many steps a second module changes nothing; and after so many, the first one that comes again.
_EARLY, _PARTS = 16, 512


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
        # True once an inference has returned.
        self.has_inferred = False
        self._periods = periods.Periods()
        # The thread whose loop is followed; None once it is plain that its forwards are no parts of requests.
        self._thread = get_ident()
        # When the last forward of a request returned.
        self._returned = None

    def batch_asked(self):
        """The next batch is requested."""
        self._asked += 1
        self._forwards = 0

    def forward_begins(self, module, is_inference):
        """A forward begins on the thread whose loop is followed: if weights are updated by hand, or with a request, this may end the step."""
        steps = self._steps
        if is_inference and self._may_be_request():
            with steps.lock:
                self._request_may_begin(module)
        if self.learned and not self._asked and not self._awaits_optimizer() and steps.source in (None, FORWARD):
            self.learned = None
            with steps.lock:
                self._may_end(FORWARD, False)

    def forward_returned(self, is_inference):
        """A forward returned on any thread."""
        self._is_inference = is_inference
        self._forwards += 1
        if self._thread == get_ident() and self._periods.holds:
            self._returned = now()
            return
        if self._forwards > _MOST:
            self._asked, self.learns = 0, False
        if not self._asked and (not self.learns or self._awaits_optimizer()) or self._steps.fixed:
            self.may_end(FORWARD)

    def _may_be_request(self):
        # A child may end at any time, and its last request with it.
        if self._thread is None or self._steps.fixed or self._steps.part.is_child or self._asked or self.learns or self._awaits_optimizer():
            return False
        self._thread = get_ident()
        return self._steps.source in (None, FIT, FORWARD)

    def _are_no_requests(self):
        self._thread = self._returned = None

    def _request_may_begin(self, module):
        steps, count = self._steps, self._steps.count
        what = self._periods.begins(module)
        if what == periods.TRANSIENT:
            if count.source == FORWARD and self._periods.holds:
                steps.settle_as(FORWARD, _TEXTS[FORWARD])
            self._are_no_requests()
        elif what == periods.SECOND:
            ended = count.ended if steps.source == FORWARD else 0
            if ended > _EARLY:
                # It does not belong to what is forwarded usually.
                self._are_no_requests()
                return
            if count.source == FORWARD:
                count.drop()
            if ended:
                steps.source = None
                count.restart()
        elif what in (periods.WAITS, periods.DECIDED, periods.ALL):
            count.wait(FORWARD)
            if what != periods.WAITS:
                ends = self._periods.beginnings() if what == periods.DECIDED else None
                steps.settle_as(FORWARD, _TEXTS[FORWARD], ends)
        elif what == periods.REQUEST:
            steps.choose(FORWARD, _TEXTS[FORWARD])
            steps.end()
        elif what == periods.RESUMED:
            count.begin()
        elif what == periods.ANEW:
            if count.ended > _PARTS:
                self._are_no_requests()
            else:
                count.restart()
                count.begin()

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
                # The first one may be the beginning of a request; but a fork of a server may have no other, and no end that is seen.
                is_known = source == LOADER or self.has_inferred or steps.part.is_child
                is_sure = self._is_inference and not self.learns and is_known
                self._may_end(source, is_sure)
                self.has_inferred = self.has_inferred or self._is_inference

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
        if self._returned is not None and self._periods.holds and not self._asked:
            ends = self._periods.decide()
            ends.add(len(count.waiting))
            count.waiting.append(self._returned + (count.samples,))
            self._steps.settle_as(FORWARD, _TEXTS[FORWARD], ends)
            return
        if self.learned and not self._asked and not self._awaits_optimizer():
            count.waiting.append(self.learned + (count.samples,))
            count.source = FORWARD
        if count.source is not None:
            self._steps.settle_as(count.source, _TEXTS[count.source])
