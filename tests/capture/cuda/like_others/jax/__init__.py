"""A JAX that has a profiler, and a GPU that is not there. Its modules and functions have the names by which JAX's profiles begin and end."""
__version__ = "0.1+like"

from . import profiler  # noqa: E402, F401
