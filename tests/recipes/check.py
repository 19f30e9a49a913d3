#!/usr/bin/env python3
"""Follows the recipes of CONTRIBUTING.md, but that for an importer, in a copy of the tree, and compiles it.

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
                   "use proftui_trace::model::{LaneId, Trace};\n\n"
                   "use crate::analysis::part::Part;\n"
                   "use crate::analysis::{Column, ColumnKind, Scope, Table, TableRow, Value};\n\n"
                   "/// Builds the table.\n" + signature + " {\n"
                   "    let part = Part::new(trace, scope);\n"
                   "    let of_lane = |lane: &LaneId| part.pieces(*lane).count() as u64;\n"
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


def key():
    """Adds a command that shows a message."""
    steps = page("Add a key")
    assert "..Command::DEFAULT" in steps and "`COMMANDS`" in steps
    edit("src/app/command/general.rs", "pub(super) const COMMANDS: &[Command] = &[",
         "pub(super) const COMMANDS: &[Command] = &[\n    Command {\n        id: \"recipe\",\n        keys: &[],\n        when: When::Screen,\n"
         "        title: \"Say a recipe\",\n        group: Group::General,\n        run: |state| state.say(\"a recipe\"),\n        ..Command::DEFAULT\n    },")


def subcommand():
    """Adds a subcommand that prints its option."""
    steps = page("Add a subcommand")
    signature = re.search(r"`(pub\(super\) fn run\(args: &Args\) -> Result<\(\), Failure>)`", steps).group(1)
    assert "`output::streams::print`" in steps and "`Command::loads`" in steps
    with open("src/cli/recipe.rs", "w", encoding="utf-8") as file:
        file.write("//! `proftui recipe`: prints a text.\n\n"
                   "use super::output::streams::{Failure, print};\n\n"
                   "#[derive(Debug, clap::Args)]\npub(super) struct Args {\n    /// The text\n    text: String,\n}\n\n"
                   + signature + " {\n    print(&args.text)\n}\n")
    edit("src/cli.rs", "mod recover;\n", "mod recipe;\nmod recover;\n")
    edit("src/cli.rs", "    /// Print the licenses", "    /// Print a text\n    Recipe(recipe::Args),\n    /// Print the licenses")
    edit("src/cli.rs", "        Command::Licenses =>", "        Command::Recipe(args) => recipe::run(&args),\n        Command::Licenses =>")


def table_format():
    """Adds a format that prints the titles of the columns."""
    steps = page("Add an output format of tables")
    signature = re.search(r"`(pub fn render\(table: &Table\) -> String)`", steps).group(1)
    assert "`TableFormat`" in steps
    report = "crates/insight/src/report"
    with open(report + "/recipe.rs", "w", encoding="utf-8") as file:
        file.write("//! The titles of a table's columns.\n\nuse crate::analysis::Table;\n\n/// Renders them.\n" + signature + " {\n"
                   "    table.columns.iter().map(|column| column.title.to_string()).collect()\n}\n")
    edit(report + ".rs", "pub mod speedscope;\n", "pub mod recipe;\npub mod speedscope;\n")
    edit("src/cli/summary/common.rs", "    /// Markdown tables\n", "    /// Titles\n    Recipe,\n    /// Markdown tables\n")
    edit("src/cli/summary/output.rs", "        TableFormat::Folded =>",
         "        TableFormat::Recipe => tables.iter().map(|(table, _)| report::recipe::render(table)).collect(),\n        TableFormat::Folded =>")
    edit("src/cli/summary/torch.rs", "        TableFormat::Markdown =>",
         "        TableFormat::Recipe => report::recipe::render(&table),\n        TableFormat::Markdown =>")


def main(arguments):
    target = os.path.abspath(arguments[0] if arguments else os.path.join(ROOT, "target/recipes"))
    with tempfile.TemporaryDirectory() as folder:
        files = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], stdout=subprocess.PIPE, check=True)
        pack = ["tar", "-C", ROOT, "--null", "-T", "-", "-cf", folder + "/tree.tar"]
        subprocess.run(pack, input=files.stdout, check=True)
        subprocess.run(["tar", "-C", folder, "-xf", folder + "/tree.tar"], check=True)
        os.chdir(folder)
        view()
        key()
        subcommand()
        table_format()
        # Cargo takes a copy of the program for the program, and would build that anew after this, but for the version.
        edit("Cargo.toml", "version.workspace = true", 'version = "0.1.1"')
        edit("Cargo.lock", 'name = "proftui"\nversion = "0.1.0"', 'name = "proftui"\nversion = "0.1.1"')
        checked = subprocess.run(["cargo", "check", "--locked", "--lib", "--target-dir", target], check=False)
        if checked.returncode:
            return "a recipe of CONTRIBUTING.md does not compile"
    print("4 recipes compile")
    return None


sys.exit(main(sys.argv[1:]))
