"""The number of samples in a batch. Knows no framework: a sample counts along the first dimension of an object that has a shape."""
from itertools import islice

# Most parts of a batch that are searched for a shape.
_MOST_PARTS = 8


def samples(batch, depth=3):
    """First dimension of the first object in a batch that has a shape; 0 if there is none."""
    try:
        if depth and isinstance(batch, (list, tuple)):
            parts = batch
        else:
            shape = getattr(batch, "shape", None)
            if shape is not None:
                return int(shape[0]) if len(shape) else 0
            parts = batch.values() if depth and hasattr(batch, "values") else ()
        for part in islice(parts, _MOST_PARTS):
            count = samples(part, depth - 1)
            if count:
                return count
    except Exception:
        # A batch of the script's own class may raise any exception.
        pass
    return 0
