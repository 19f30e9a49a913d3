"""The scenarios, by theme. Each is a run of the machine and what must be found in its trace."""
