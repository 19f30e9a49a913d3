"""Exports the function, as Triton does."""

from .compiler import compile
