"""Imitates Triton."""

from .compiler import compile
