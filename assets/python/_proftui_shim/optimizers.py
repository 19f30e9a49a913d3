"""Decides which of the program's optimizers ends steps: the one that steps least often. Knows no framework, and ends no step itself.

While only one optimizer exists, it is followed from its first step on. If several exist, their steps wait until the order in which they
step has repeated; then the ends among them are known, and the optimizer that steps least often in that order is followed, of several the
last one. At most 16 steps of an optimizer wait; 8 if no other has stepped.

Another optimizer replaces the followed one when that is deleted, or when two of these three signs show that it is no longer used: it
stepped eight times in a row before, which means that iterations had no other optimizer; a batch was loaded since its last step; others
stepped more often without it than they used to. An optimizer that was made or steps for the first time is a reason to look at the order again, a few times.
"""
import weakref

# What a step of an optimizer is: no end of a step, an end, one that waits for a decision, or one with which the decision is taken.
NO_END, END, WAITS, DECIDED = range(4)

# Numbers of consecutive steps that show that the followed optimizer is no longer used: its own before, and those of others since; and
# the number of steps of others that suffices alone.
_ALONE, _PASSED_OVER, _FORGOTTEN = 8, 3, 100
# Most steps of one optimizer that wait for a decision, and most per optimizer if one that exists has not stepped.
_MOST, _ENOUGH = 16, 8
# Most looks at the order: some programs make an optimizer in each step.
_LOOKS = 4


class Optimizers:
    """The optimizers of the program, and the one that is followed."""

    def __init__(self):
        # The number of each optimizer that exists, and the last number; whether one was made or stepped first since the order was decided;
        # how often the order was decided; the numbers of those that stepped; the optimizer that is followed, as a weak reference.
        self._numbers = weakref.WeakKeyDictionary()
        self._last_number = 0
        self._is_new = False
        self._looks = 0
        self._stepped = set()
        self._followed = None
        # The numbers of the optimizers whose steps wait for a decision, in their order; and the last number when the first one waited.
        self._order = []
        self._newest = 0
        # Indices in that order that are ends, once it is decided.
        self.ends = ()
        # Consecutive steps: of the followed optimizer before others stepped, of others since, and most of others in the order decided.
        self._alone = self._others = self._usual = 0
        # True once one was a part of another one.
        self.have_parts = False
        self.has_batch_since = False

    def __bool__(self):
        """True if an optimizer exists."""
        return len(self._numbers) > 0

    @property
    def followed(self):
        """The optimizer that ends steps; None if there is none."""
        return self._followed and self._followed()

    @property
    def only(self):
        """The `id` of the followed optimizer if no other one exists; else None."""
        followed = self.followed
        return id(followed) if followed is not None and len(self._numbers) == 1 else None

    @property
    def are_unusual(self):
        """True if they do not step in the order that was decided."""
        return bool(self._order) or self._others > self._usual

    def made(self, optimizer):
        """An optimizer was made, or seen; returns its number."""
        number = self._numbers.get(optimizer)
        if number is None:
            self._last_number += 1
            number = self._numbers[optimizer] = self._last_number
            self._is_new = True
        return number

    def is_part(self, optimizer):
        """The optimizer is a part of another one, in whose steps it steps."""
        self._numbers.pop(optimizer, None)
        self.have_parts = True

    def stepped(self, optimizer):
        """An optimizer has stepped. Returns what that is; after `DECIDED`, `ends` has the indices of the ends among those that waited."""
        followed = self.followed
        if followed is optimizer and not (self._is_new or self._order):
            self._counts(optimizer, followed)
            return END
        number = self.made(optimizer)
        self._is_new = self._is_new or number not in self._stepped
        self._stepped.add(number)
        if not self._order:
            if len(self._numbers) == 1 and followed is not optimizer:
                self._follow(optimizer, 0)
                return END
            if followed is not None and not (self._is_new and self._looks < _LOOKS and len(self._numbers) > 1):
                return END if self._counts(optimizer, followed) else NO_END
            self._newest = self._last_number
        self._order.append(number)
        return DECIDED if self._is_decided(number) else WAITS

    def _counts(self, optimizer, followed):
        """True if this step of an optimizer ends a step, where one is followed."""
        if followed is optimizer:
            self._alone = 1 if self._others else self._alone + 1
            self._others = 0
            self.has_batch_since = False
            return True
        self._others += 1
        if self._is_out_of_use():
            self._follow(optimizer, 0)
            return True
        return False

    def decide(self):
        """Decides at once, since the process ends; False if nothing waits."""
        if not self._order:
            return False
        self._choose(self._period())
        return True

    def _is_out_of_use(self):
        others = max(_PASSED_OVER, 2 * self._usual + 1)
        signs = (self._alone >= _ALONE) + self.has_batch_since + (self._others >= others)
        return signs > 1 or self._others >= max(_FORGOTTEN, 16 * self._usual)

    def _follow(self, optimizer, usual):
        self._followed = weakref.ref(optimizer)
        self._alone, self._others, self._usual = 1, 0, usual
        self._is_new = self.has_batch_since = False

    def _is_decided(self, number):
        seen = set(self._order)
        period = None
        if seen.issuperset(self._numbers.values()) or len(self._order) >= _ENOUGH * len(seen):
            period = self._period()
        if period is None and self._order.count(number) < _MOST:
            return False
        self._choose(period)
        return True

    def _period(self):
        """After how many steps the order repeats, by its last steps; None if it does not yet."""
        order, seen = self._order, set(self._order)
        for period in range(len(seen), len(order) // 2 + 1):
            if order[-period:] == order[-2 * period : -period] and set(order[-period:]) == seen:
                return period
        return None

    def _choose(self, period):
        order, self._order = self._order, []
        self._looks += 1
        if period is None:
            # Those that were there from the beginning, are still there, and stepped at least twice, if there are any.
            alive = [number for number in order if number <= self._newest and number in set(self._numbers.values())]
            often = [number for number in alive if order.count(number) > 1]
            iteration = often or alive or order
            chosen = _least(iteration)
            begin = order.index(chosen)
        else:
            begin = len(order) - 2 * period
            while begin and order[begin - 1] == order[begin - 1 + period]:
                begin -= 1
            iteration = order[begin : begin + period]
            chosen = _least(iteration)
        # Steps of a single optimizer before the others began.
        before = set(order[:begin])
        is_alone = len(before) == 1 and before.issubset(self._numbers.values())
        if period is not None:
            is_alone = is_alone and begin >= 2 * iteration.count(order[0])
        self.ends = {at for at, number in enumerate(order) if number == chosen or (at < begin and is_alone)}
        for optimizer, number in list(self._numbers.items()):
            if number == chosen:
                self._follow(optimizer, _longest(number != chosen for number in order))
                self._alone = next((at for at, other in enumerate(reversed(order)) if other != number), len(order))


def _longest(truths):
    """The most consecutive true values."""
    longest = current = 0
    for is_true in truths:
        current = current + 1 if is_true else 0
        longest = max(longest, current)
    return longest


def _least(numbers):
    """The number that occurs least often; of several the one that occurs last."""
    least = min(map(numbers.count, numbers))
    return [number for number in numbers if numbers.count(number) == least][-1]
