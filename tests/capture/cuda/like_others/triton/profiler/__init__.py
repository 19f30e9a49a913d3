from .profile import finalize, start  # noqa: F401
