"""Whether anything was forwarded in a step: one without is none, where other steps have forwards."""

# Consecutive steps without a forward after which such steps count again.
_MOST = 16


class Work:
    """The forwards and backward passes since the last step ended."""

    def __init__(self, missed):
        """`missed()` is called for a step without any, where others have some."""
        # True if a forward returned or gradients were computed in this step; and whether that was so in any step.
        self.is_done = self._is_seen = False
        self._missed = missed
        self._without = 0

    def is_missing(self, is_unknown, is_needed):
        """The step ends: True if it had none, and is therefore no step. `is_unknown`: it is taken to have had some."""
        was_done, self.is_done = self.is_done or is_unknown, False
        if was_done or not (self._is_seen and is_needed):
            self._is_seen = self._is_seen or was_done
            self._without = 0
            return False
        self._without += 1
        self._missed()
        if self._without > _MOST:
            self._is_seen = False
        return self._is_seen
