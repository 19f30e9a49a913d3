"""The ten points, each in a file: `NUMBER`, `NAME`, and `rows(setting)`, which makes rows as they come."""

from . import beside, clock, conflicts, counts, cycles, doctor, ends, graphs, kinds, overhead

ALL = [doctor, counts, clock, overhead, cycles, graphs, kinds, ends, conflicts, beside]
