def backward(*tensors):
    pass


def grad(*tensors):
    pass


def _profiler_enabled():
    return False


from . import profiler  # noqa: E402, F401
