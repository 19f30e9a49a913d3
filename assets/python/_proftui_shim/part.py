"""Whose steps this process ends: its own, those of the process that it follows, or none."""
import os

from _proftui import ends_own_steps

from . import facts, process
from .sources import ANNOTATION, FORWARD

LEADER = "PROFTUI_LEADER"


class Part:
    """The part of this process in the run."""

    def __init__(self, is_child, serves=False):
        # True in a child that has no steps yet.
        self.is_child = is_child
        # True in a forked child whose forwards may be the program's steps.
        self.serves = serves
        # True once a step has ended.
        self.has_ended = False
        # False in a child that ends its leader's steps.
        self._is_leader = True
        self._is_aside = False

    def may_end_by(self, source):
        """True if `source` may end steps in this process."""
        # The work of a child is part of its parent's step, unless the child has an optimizer or a serving engine of its own, or serves in
        # the parent's stead.
        return not self.is_child or source >= ANNOTATION or (self.serves and source == FORWARD)

    def has_steps(self):
        """A step is about to end, or ends that waited are about to count: returns False in a process that never ends steps."""
        if not self.has_ended:
            self.has_ended = True
            self._is_aside = self.is_child and process.is_loader_worker()
            if not self._is_aside:
                self._before_first_step()
        return not self._is_aside

    def has_step(self):
        """A step that `control` ends has ended, or the first one has begun."""
        if not self.has_ended:
            self.has_ended = True
            self._before_first_step()
        self.become_leader()

    def become_leader(self):
        """After the end of a step: if the steps are the process's own, the processes that it starts follow it."""
        if self.is_child:
            self.is_child = False
            if self._is_leader:
                be_followed()
                facts.report_all()

    def _before_first_step(self):
        facts.gather_rank()
        process.name_actor()
        if self.is_child:
            process.name_child()
        self._is_leader = not self.is_child or ends_own_steps(facts.is_other_rank())


def be_followed():
    """Makes processes that multiprocessing starts from now on follow this one."""
    os.environ[LEADER] = process.folder()
    facts.share_rank()
