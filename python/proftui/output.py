"""Files that a script names for the results of this module. It writes through no link of another user."""
import os
import stat
import tempfile


# More links in a row than this are a loop.
_LINKS = 40


def destination(path):
    """The absolute path of an output. The user's own links at its end are followed, so that they stay; those of others are not, unless they
    name a device or a pipe: the output replaces such a link itself."""
    path = os.fspath(path)
    for _ in range(_LINKS):
        folder, name = os.path.split(os.path.abspath(path))
        path = os.path.join(os.path.realpath(folder), name)
        if not os.path.islink(path) or os.lstat(path).st_uid != os.geteuid():
            break
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return os.path.realpath(path) if _is_special(path) else path


def write(path, data):
    """Writes a text or bytes: into a device or a pipe, else as a new file (mode 0600) that replaces one of its name. Raises `OSError`."""
    path = destination(path)
    data = data if isinstance(data, bytes) else data.encode()
    if _is_special(path):
        with open(path, "wb") as file:
            file.write(data)
        return
    handle, partial = tempfile.mkstemp(prefix=".proftui-", suffix=".partial", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def _is_special(path):
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
