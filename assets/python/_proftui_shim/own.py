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


def options(run):
    """The options of the run, by key. Raises `OSError`."""
    return dict(line.partition("=")[::2] for line in read(run, "options").split("\n") if line)


def change_options(run, changes):
    """Changes options of the run for processes that begin from now on. Raises `OSError`."""
    text = lines(dict(options(run), **changes))
    partial = ".options.partial"
    with opened(run) as folder:
        file = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600, dir_fd=folder)
        with open(file, "w", encoding="utf-8") as whole:
            whole.write(text)
        # A reader never sees an incomplete file: it gets its name when it is complete.
        os.rename(partial, "options", src_dir_fd=folder, dst_dir_fd=folder)


def lines(found):
    """Options as the text of their file."""
    return "".join("%s=%s\n" % item for item in found.items())


def _open(name, parent=None):
    folder = os.open(name, _FOLDER, dir_fd=parent)
    found = os.fstat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        os.close(folder)
        raise PermissionError("the folder %s belongs to another user, or others can write to it" % name)
    return folder
