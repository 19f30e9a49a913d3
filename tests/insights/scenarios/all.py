"""All scenarios, in one list."""
from . import alone, attention, beyond, devices, evidence, healthy, host_only, lost, names, pairs, proof, reasons, serving, when, work
from .registry import SCENARIOS

__all__ = ["SCENARIOS", "alone", "attention", "beyond", "devices", "evidence", "healthy", "host_only", "lost", "names", "pairs", "proof", "reasons",
           "serving", "when", "work"]
