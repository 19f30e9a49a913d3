"""Opens folders of the run: once a run has ended, another user can make its folder anew, with links in it.

So what is in a folder is opened by the folder's descriptor, and the folder must belong to the user.
"""
import contextlib
import os

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


@contextlib.contextmanager
def opened(run, process=None):
    """The descriptor of the run's folder, or of a process's folder in it. Raises `OSError` if either is another user's, or a link."""
    found = _open(run)
    try:
        if process is not None:
            outer, found = found, _open(process, found)
            os.close(outer)
        yield found
    finally:
        os.close(found)


def read(run, name):
    """The text of a file in the run's folder. Raises `OSError`."""
    with opened(run) as folder:
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with open(file, encoding="utf-8", errors="replace") as text:
            return text.read()


def append(run, name, text):
    """Adds a text to a file in the run's folder. Raises `OSError`."""
    with opened(run) as folder:
        file = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with open(file, "a", encoding="utf-8") as end:
            end.write(text)


def _open(name, parent=None):
    folder = os.open(name, _FOLDER, dir_fd=parent)
    found = os.fstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        os.close(folder)
        raise PermissionError("the folder %s belongs to another user, or others can write to it" % name)
    return folder
