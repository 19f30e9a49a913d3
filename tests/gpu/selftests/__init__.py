"""Tests of the check: what must be known to believe its table, without a GPU."""
