"""A Triton that has a profiler, proton, and a GPU that is not there."""
