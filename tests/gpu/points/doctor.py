"""1: what `proftui doctor` says, and whether that holds: a capture as we are, and as an ordinary user."""

import os
import shutil
import tempfile

from kit import native, trace
from kit.setting import Setting
from kit.table import judged, shown, skipped

NUMBER, NAME = 1, "doctor"
NOBODY = 65534
NEEDED = ("GPU driver", "CUPTI")


def rows(setting):
    lacks = setting.lacks()
    yield judged("the binary's options", not lacks, "it lacks " + ", ".join(lacks) if lacks else "all are there")
    status, text = setting.ask("doctor", "--python", setting.python)
    yield judged("doctor's status", status == 0, str(status))
    yield from said(text)
    program, why = native.driver_program(setting)
    if not program:
        yield skipped("a program captured", why)
        return
    command = [*program, "--kernels", "100"]
    yield _captured("captured as %s" % ("root" if os.getuid() == 0 else "we are"), setting.capture("doctor-self", [], command))
    if os.getuid() != 0 or setting.fakes:
        yield skipped("captured as an ordinary user", "nobody can be refused a fake" if setting.fakes else "we are one already")
        return
    yield _as_nobody(setting, program)


def said(text):
    """Rows of the doctor's lines: a mark, what it is about, words."""
    for what in ("GPU driver", "CUPTI", "NVML", "injection"):
        found = [line.split(None, 1) for line in text.splitlines() if line[5:].strip().startswith(what)]
        for mark, words in found:
            words = mark + ": " + words[len(what):].strip()
            # A program without Python's packages may find no CUPTI where Python programs do.
            is_needed = what in NEEDED and not (mark == "note" and "other programs:" in words)
            yield judged("doctor: " + what, mark == "ok", words) if is_needed else shown("doctor: " + what, words)
        if not found and what in NEEDED:
            yield judged("doctor: " + what, False, "it says nothing")


def _captured(what, ran):
    kernels = _kernels(ran)
    return judged(what, ran.status == 0 and kernels == 100, "%d kernels of 100, %s" % (kernels, ran.why))


def _kernels(ran):
    return sum(work.kind == "Kernel" for path in ran.traces for work in trace.read(path).work)


def _as_nobody(setting, program):
    """In a folder of its own, with copies: ours may be closed to others."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for path in (setting.binary, program[-1]):
            os.chmod(shutil.copy(path, folder), 0o755)
        for beside in os.listdir(os.path.dirname(setting.binary)):
            if beside.startswith("libproftui_agent"):
                shutil.copy(os.path.join(os.path.dirname(setting.binary), beside), folder)
        other = Setting(os.path.join(folder, os.path.basename(setting.binary)), setting.python, folder, setting.device)
        command = [os.path.join(folder, os.path.basename(program[-1])), "--kernels", "100"]
        home = {"HOME": folder}
        return _captured("captured as an ordinary user", other.capture("nobody", [], command, env=home, user=NOBODY))
