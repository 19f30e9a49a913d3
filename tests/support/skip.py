"""Lists checks that cannot run on this machine in target/skipped, as skip.rs beside this file does for tests in Rust."""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def excused(what, why, remedy):
    """Lists a check as skipped because of the machine; `remedy` says what would run it."""
    line = "SKIPPED: %s, %s, %s" % (what, why, remedy)
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    os.makedirs(target, exist_ok=True)
    with open(os.path.join(target, "skipped"), "a") as file:
        file.write(line + "\n")
    print(line, file=sys.stderr)


def lacks_tool(what, why, remedy):
    """Lists a check as skipped for want of a tool; under CI=true the check fails instead."""
    excused(what, why, remedy)
    if os.environ.get("CI") == "true":
        raise AssertionError("%s cannot run: %s" % (what, why))
