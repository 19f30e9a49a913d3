"""A small machine: host threads, streams of devices, and the record of why a device had no work."""
