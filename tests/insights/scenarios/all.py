"""All scenarios, in one list."""
from . import alone, beyond, healthy, lost, pairs, proof, serving
from .registry import SCENARIOS

__all__ = ["SCENARIOS", "alone", "beyond", "healthy", "lost", "pairs", "serving"]
