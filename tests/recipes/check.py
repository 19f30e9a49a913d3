#!/usr/bin/env python3
"""Follows the recipes of CONTRIBUTING.md for a view and a command in a copy of the tree, and compiles it.

    python3 tests/recipes/check.py [TARGET-FOLDER]

What a recipe states as code is taken from the page, so the page cannot state what does not compile.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def page(title):
    """The steps of a recipe, as text."""
    with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
        text = file.read()
    return text.split("## %s\n" % title, 1)[1].split("\n## ", 1)[0]


def edit(path, old, new):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert old in text, "%s has no %r" % (path, old)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new, 1))


def view():
    """Adds a view behind the last one."""
    steps = page("Add a view")
    signature = re.search(r"`(pub fn NAME\(.*?\) -> Table)`", steps).group(1).replace("NAME", "recipe")
    key = re.search(r"`(table::<\{ view\(\"NAME\"\) \}>\(.*?\))`", steps).group(1).replace("NAME", "recipe")
    views = "crates/insight/src/analysis/views"
    with open(views + "/recipe.rs", "w", encoding="utf-8") as file:
        file.write("//! The number of slices of a part.\n\n"
                   "use proftui_trace::model::Trace;\n\n"
                   "use crate::analysis::part::Part;\n"
                   "use crate::analysis::{Column, ColumnKind, Scope, Table, TableRow, Value};\n\n"
                   "/// Builds the table.\n" + signature + " {\n"
                   "    let part = Part::new(trace, scope);\n"
                   "    let of_lane = |lane: &u32| part.pieces(*lane).count() as u64;\n"
                   "    let slices = part.lanes().iter().map(of_lane).sum();\n"
                   "    Table {\n"
                   "        view: \"recipe\",\n"
                   "        title: \"Slices\",\n"
                   "        columns: vec![Column::new(\"slices\", \"Slices\", ColumnKind::Count, \"number of slices\")],\n"
                   "        rows: vec![TableRow::new(vec![Value::Count(slices)])],\n"
                   "        ..Table::default()\n    }\n}\n")
    edit(views + ".rs", "pub mod serving;\n", "pub mod recipe;\npub mod serving;\n")
    edit(views + ".rs", "\n];\n\nimpl View {",
         "\n    view!(\"recipe\", \"Recipe\", \"Slices\",\n        no \"slices\": LENGTHS, recipe::recipe, compared: &[\"slices\"]),\n];\n\nimpl View {")
    edit("src/app/command/tables.rs", "\n];\n", "\n    %s,\n];\n" % key)


def command():
    """Adds a command that shows a message."""
    steps = page("Add a command")
    assert "..Command::DEFAULT" in steps and "`COMMANDS`" in steps
    edit("src/app/command/general.rs", "pub(super) const COMMANDS: &[Command] = &[",
         "pub(super) const COMMANDS: &[Command] = &[\n    Command {\n        id: \"recipe\",\n        keys: &[],\n        when: When::Screen,\n"
         "        title: \"Say a recipe\",\n        group: Group::General,\n        run: |state| state.say(\"a recipe\"),\n        ..Command::DEFAULT\n    },")


def main(arguments):
    target = os.path.abspath(arguments[0] if arguments else os.path.join(ROOT, "target/recipes"))
    with tempfile.TemporaryDirectory() as folder:
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], stdout=subprocess.PIPE, check=True)
        pack = ["tar", "-C", ROOT, "--null", "-T", "-", "-cf", folder + "/tree.tar"]
        subprocess.run(pack, input=files.stdout, check=True)
        subprocess.run(["tar", "-C", folder, "-xf", folder + "/tree.tar"], check=True)
        os.chdir(folder)
        view()
        command()
        checked = subprocess.run(["cargo", "check", "--locked", "--lib", "--target-dir", target], check=False)
        if checked.returncode:
            return "a recipe of CONTRIBUTING.md does not compile"
    print("2 recipes compile")
    return None


sys.exit(main(sys.argv[1:]))
