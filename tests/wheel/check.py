"""Installs a wheel where nothing else is, runs what it brings, and takes it off again.

    python3 tests/wheel/check.py WHEEL [PYTHON...]

Without PYTHON: the oldest and the newest that are found. It prints what it saw; exit status 1 when something is not as it must be.
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

GLIBC = (2, 17)
# What is on every system of that age.
LIBRARIES = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d|ld-linux-[\w-]+\.so\.\d")
STEPS = 5
SCRIPT = """
def step():
    return sum(range(1000))

for _ in range(%d):
    step()
""" % STEPS


def hold(what, is_so):
    if not is_so:
        sys.exit("NOT SO: %s" % what)


def output(*command, **more):
    """What a command that must do well prints."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, **more)
    hold("%s\n%s%s" % (" ".join(command), ran.stdout, ran.stderr), ran.returncode == 0)
    return ran.stdout


def version_of(python):
    try:
        said = subprocess.check_output([python, "-Ic", "import sys; print('%d.%d' % sys.version_info[:2])"])
    except (OSError, subprocess.CalledProcessError):
        return (0, 0)
    return tuple(map(int, said.decode().split(".")))


def pythons():
    """The oldest and the newest of those that the wheel is for."""
    kept = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    found = {version_of(path): path for path in [*glob.glob(os.path.join(kept, "versions/*/bin/python3")), sys.executable]}
    fit = sorted(version for version in found if version >= (3, 8))
    return [found[version] for version in sorted({fit[0], fit[-1]})]


def look_into(wheel):
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        unpacked = sum(entry.file_size for entry in packed.infolist())
    print("%s: %.1f MB, unpacked %.1f MB" % (os.path.basename(wheel), os.path.getsize(wheel) / 1e6, unpacked / 1e6))
    licences = sorted(os.path.basename(name) for name in names if "/licenses/" in name)
    print("  licences: %s" % ", ".join(licences))
    hold("both licences are in it", licences == ["LICENSE-APACHE", "LICENSE-MIT"])
    hold("its name says which glibc it needs", "manylinux_%d_%d" % GLIBC in wheel)


def look_at_links(path):
    """A program or library must ask for nothing that an old system does not have."""
    said = output("readelf", "--wide", "--dynamic", "--version-info", path)
    asked = {tuple(map(int, version.split("."))) for version in re.findall(r"Name: GLIBC_([\d.]+)", said)}
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", said)
    newest = ".".join(map(str, max(asked)))
    print("  %s: %.2f MB, glibc %s, %s" % (os.path.basename(path), os.path.getsize(path) / 1e6, newest, " ".join(libraries)))
    hold("%s runs with glibc %d.%d" % (path, *GLIBC), max(asked) <= GLIBC)
    hold("%s needs no library beside the system's" % path, all(map(LIBRARIES.fullmatch, libraries)))


def try_under(python, wheel, folder):
    output(python, "-m", "venv", folder)
    binaries = os.path.join(folder, "bin")
    own, proftui = os.path.join(binaries, "python"), os.path.join(binaries, "proftui")
    # Nothing of the person's, and no package but those of the folder.
    env = {"PATH": binaries + os.pathsep + os.environ.get("PATH", ""), "HOME": folder}

    def run(*command):
        return output(*command, env=env, cwd=folder)

    run(own, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
    word, version = run("proftui", "--version").split()
    module, module_version = run(own, "-c", "import proftui; print(proftui.__file__, proftui.__version__)").split()
    print("Python %d.%d: %s %s, module %s" % (*version_of(python), word, version, module_version))
    hold("command and module have one version", word == "proftui" and version == module_version)
    hold("the module is the wheel's", module.startswith(os.path.realpath(folder)) or module.startswith(folder))

    run("proftui", "capture", "--quiet", "--out", "traces", "--step-on", "__main__:step", "--", "python", "-c", SCRIPT)
    (trace,) = glob.glob(os.path.join(folder, "traces", "*"))
    steps = json.loads(run("proftui", "info", "--format", "json", trace))["steps"]
    rows = [line for line in run("proftui", "summary", trace).splitlines() if line.startswith("Step ")]
    print("  captured: %d steps; %s" % (steps, " ".join(rows[0].split()[:2]) if rows else "no row of steps"))
    hold("the script's steps were recorded, and summed up", steps == STEPS and rows)

    (recorder,) = glob.glob(os.path.join(folder, ".cache/proftui/*/libproftui_agent.so"))
    look_at_links(proftui)
    look_at_links(recorder)

    run(own, "-m", "pip", "uninstall", "--quiet", "--yes", "proftui")
    left = glob.glob(os.path.join(folder, "lib/python*/site-packages/proftui*"))
    hold("nothing is left: %s" % left, not left and not os.path.exists(proftui))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wheel = os.path.abspath(sys.argv[1])
    look_into(wheel)
    for python in sys.argv[2:] or pythons():
        with tempfile.TemporaryDirectory() as folder:
            try_under(python, wheel, folder)


if __name__ == "__main__":
    main()
