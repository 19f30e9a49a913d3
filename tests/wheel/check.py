"""Installs a wheel, or a source distribution, where nothing else is, tries what is in it, and uninstalls it.

    python3 tests/wheel/check.py WHEEL|SDIST [PYTHON...]
    python3 tests/wheel/check.py --program PROGRAM

Without PYTHON: under the oldest and the newest Python found; a source distribution only under the newest, because it is compiled.
With --program: only tries this program. Prints its findings; the exit status is 1 if a check fails.
"""

import filecmp
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(REPOSITORY, "tests/support"))
import skip  # noqa: E402 (found by the line above)

DEMO = os.path.join(REPOSITORY, "demo-traces/synthetic-gpu.json.gz")
GLIBC = (2, 17)
# The libraries of every system of that age.
LIBRARIES = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d|ld-linux-[\w-]+\.so\.\d")
# A source distribution of more bytes has files that nobody needs.
MOST_OF_SDIST = 2000000
COMPLETIONS = {
    "bash": "share/bash-completion/completions/proftui",
    "zsh": "share/zsh/site-functions/_proftui",
    "fish": "share/fish/vendor_completions.d/proftui.fish",
}
COMPLETE = """
source %s
COMP_WORDS=(proftui summary --layout "") COMP_CWORD=3
_proftui proftui "" --layout
echo "${COMPREPLY[@]}"
"""
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
    """The standard output of a command, which must succeed."""
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
    """The oldest and the newest of the Pythons that the wheel is for."""
    kept = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    found = {version_of(path): path for path in [*glob.glob(os.path.join(kept, "versions/*/bin/python3")), sys.executable]}
    fit = sorted(version for version in found if version >= (3, 8))
    return [found[version] for version in sorted({fit[0], fit[-1]})]


def look_into_wheel(wheel):
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        unpacked = sum(entry.file_size for entry in packed.infolist())
    print("%s: %.1f MB, unpacked %.1f MB" % (os.path.basename(wheel), os.path.getsize(wheel) / 1e6, unpacked / 1e6))
    licences = sorted(os.path.basename(name) for name in names if "/licenses/" in name)
    print("  licences: %s" % ", ".join(licences))
    hold("its licences and those of what it contains are in it", licences == ["LICENSE-APACHE", "LICENSE-MIT", "licenses.txt"])
    hold("its name says which glibc it needs", "manylinux_%d_%d" % GLIBC in wheel)


def look_into_sdist(sdist):
    print("%s: %.1f MB" % (os.path.basename(sdist), os.path.getsize(sdist) / 1e6))
    hold("%s has at most %d bytes" % (sdist, MOST_OF_SDIST), os.path.getsize(sdist) <= MOST_OF_SDIST)


def look_at_links(path):
    """Checks that a program or library needs nothing that an old system lacks."""
    said = output("readelf", "--wide", "--dynamic", "--version-info", path)
    asked = {tuple(map(int, version.split("."))) for version in re.findall(r"Name: GLIBC_([\d.]+)", said)}
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", said)
    newest = ".".join(map(str, max(asked)))
    print("  %s: %.2f MB, glibc %s, %s" % (os.path.basename(path), os.path.getsize(path) / 1e6, newest, " ".join(libraries)))
    hold("%s runs with glibc %d.%d" % (path, *GLIBC), max(asked) <= GLIBC)
    hold("%s needs no library beside the system's" % path, all(map(LIBRARIES.fullmatch, libraries)))


def try_program(run, folder):
    """Prints a summary of a demo trace, and records a script; "run" runs a command in the folder and returns its output."""
    with open(os.path.join(REPOSITORY, "assets/licenses.txt"), encoding="utf-8") as file:
        hold("the program prints the licences of what it contains", run("proftui", "licenses") == file.read())
    hold("kernels of a demo trace are summed up", "void cutlass::" in run("proftui", "summary", "--view", "kernel", DEMO))
    run("proftui", "capture", "--quiet", "--out", "traces", "--step-on", "__main__:step", "--", "python", "-c", SCRIPT)
    (trace,) = glob.glob(os.path.join(folder, "traces", "*"))
    steps = json.loads(run("proftui", "info", "--format", "json", trace))["steps"]
    rows = [line for line in run("proftui", "summary", trace).splitlines() if line.startswith("Step ")]
    print("  captured: %d steps; %s" % (steps, " ".join(rows[0].split()[:2]) if rows else "no row of steps"))
    hold("the script's steps were recorded, and summed up", steps == STEPS and rows)


def try_texts(run, folder):
    """Checks the manual pages and the completions that were installed: they are the program's own, and programs read them."""
    for shell, name in COMPLETIONS.items():
        with open(os.path.join(folder, name)) as script:
            hold("%s is what proftui completions %s prints" % (name, shell), script.read() == run("proftui", "completions", shell))
    layouts = run("bash", "--norc", "-c", COMPLETE % COMPLETIONS["bash"]).split()
    hold("Bash completes --layout: %s" % layouts, {"proftui", "torch", "paddle", "visualdl"} <= set(layouts))
    run("proftui", "man", "pages")
    pages, own = os.path.join(folder, "share/man/man1"), os.path.join(folder, "pages")
    names = sorted(os.listdir(own))
    same = filecmp.cmpfiles(pages, own, names, shallow=False)[0]
    installed = [name for name in sorted(os.listdir(pages)) if name.startswith("proftui")]
    hold("the manual pages are what proftui man writes", installed == names and sorted(same) == names)
    print("  manual pages: %d; layouts in Bash: %s" % (len(names), " ".join(layouts)))
    if not shutil.which("groff"):
        what, remedy = "how groff sets the manual pages", "apt-get install groff-base"
        if os.geteuid() == 0:
            return skip.lacks_tool(what, "no groff", remedy)
        return skip.excused(what, "no groff, and no root to install it", remedy)
    for name in names:
        set_page = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-z", os.path.join(pages, name)], stderr=subprocess.PIPE, check=False
        )
        hold("groff sets %s without a warning: %s" % (name, set_page.stderr), not set_page.stderr and set_page.returncode == 0)


def try_under(python, package, folder):
    """Installs the package in a fresh environment of this Python, tries it, and uninstalls it."""
    is_wheel = package.endswith(".whl")
    output(python, "-m", "venv", folder)
    binaries = os.path.join(folder, "bin")
    own, proftui = os.path.join(binaries, "python"), os.path.join(binaries, "proftui")
    # No setting of the user, and no package but those of the folder.
    env = {"PATH": binaries + os.pathsep + os.environ.get("PATH", ""), "HOME": folder}

    def run(*command):
        return output(*command, env=env, cwd=folder)

    install = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if is_wheel:
        run(*install, "--no-index", package)
    else:
        # Compiles the program: with Rust and maturin, which pip fetches.
        output(*install, package, cwd=folder)
    word, version = run("proftui", "--version").split()
    module, module_version = run(own, "-c", "import proftui; print(proftui.__file__, proftui.__version__)").split()
    print("Python %d.%d: %s %s, module %s" % (*version_of(python), word, version, module_version))
    hold("command and module have one version", word == "proftui" and version == module_version)
    hold("the module is the package's", module.startswith(os.path.realpath(folder)) or module.startswith(folder))

    try_program(run, folder)
    try_texts(run, folder)
    if is_wheel:
        (recorder,) = glob.glob(os.path.join(folder, ".cache/proftui/*/libproftui_agent.so"))
        look_at_links(proftui)
        look_at_links(recorder)

    run(own, "-m", "pip", "uninstall", "--quiet", "--yes", "proftui")
    left = glob.glob(os.path.join(folder, "lib/python*/site-packages/proftui*")) + glob.glob(os.path.join(folder, "share/man/man1/proftui*"))
    hold("nothing is left: %s" % left, not left and not os.path.exists(proftui))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--program":
        program = os.path.abspath(sys.argv[2])
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "bin"))
            os.symlink(sys.executable, os.path.join(folder, "bin/python"))
            path = os.pathsep.join([os.path.dirname(program), os.path.join(folder, "bin"), os.environ.get("PATH", "")])
            print(program)
            try_program(lambda *command: output(*command, env={"PATH": path, "HOME": folder}, cwd=folder), folder)
        return
    package = os.path.abspath(sys.argv[1])
    is_wheel = package.endswith(".whl")
    (look_into_wheel if is_wheel else look_into_sdist)(package)
    for python in sys.argv[2:] or (pythons() if is_wheel else pythons()[-1:]):
        with tempfile.TemporaryDirectory() as folder:
            try_under(python, package, folder)


if __name__ == "__main__":
    main()
