"""The points, each in a file: `NUMBER`, `NAME`, and `rows(setting)`, which makes rows as they come."""

from . import (after, beside, between, buffers, clock, conflicts, counts, cycles, doctor, edges, ends, full, graphs, kinds, overhead, pool,
               processes, profiler, server, stuck, unloadable, visible)

# What only a device can show comes first; where time is short the rest is left for another run.
ALL = [doctor, unloadable, buffers, edges, between, after, profiler, stuck, visible, processes, full, pool, server,
       counts, clock, cycles, graphs, kinds, ends, conflicts, beside, overhead]
