"""Runs each cell of examples/notebook.ipynb in a kernel of Jupyter: python3 tests/tables/notebook.py BINARY --python PYTHON

PYTHON has what requirements.txt names. Prints a row per cell with what it shows; status 1 if a cell fails, or shows nothing where it ends in a value.
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def shown(cell):
    """The kinds of outputs of a cell, such as text/html; empty for a cell that shows nothing."""
    return sorted({kind for output in cell["outputs"] for kind in output.get("data", ())})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--python", required=True)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.inside:
        here = {"PROFTUI_BIN": os.path.abspath(given.binary), "PYTHONPATH": str(ROOT / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([given.python, __file__, *sys.argv[1:], "--inside"], env={**os.environ, **here}).returncode
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
    silent = 0
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        kinds = shown(cell)
        print("cell %d: %s" % (number + 1, ", ".join(kinds) or "nothing"))
        silent += not kinds
    html = shown(notebook.cells[1])
    # The last cell checks what the others found, and shows nothing.
    return 0 if silent == 1 and "text/html" in html else 1


if __name__ == "__main__":
    sys.exit(main())
