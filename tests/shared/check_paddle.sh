#!/usr/bin/env bash
# Holds `proftui summary --layout paddle` against the tables that PaddlePaddle itself printed for the traces of a
# collection.
#
#     check_paddle.sh PROFTUI SHARED_DIR
#
# Prints the first tables that differ and check_paddle.py's own count; exits 1 unless all are equal. Then each trace that is
# there as JSON too must open as the same events.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: check_paddle.sh PROFTUI SHARED_DIR" >&2
    exit 2
fi
proftui=$(realpath "$1")
collection=$2

status=0
python3 "$collection/oracles/check_paddle.py" -- "$proftui" || status=1

python3 - "$proftui" "$collection" <<'PYTHON' || status=1
import glob
import json
import os
import subprocess
import sys

proftui, collection = sys.argv[1:]


def info(path):
    done = subprocess.run([proftui, "info", "--format", "json", path], capture_output=True, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.decode(errors="replace")}


KEYS = ("slices", "dropped", "steps", "lanes", "categories", "links", "memory_events", "warn", "error")
passed = failed = 0
for pb in sorted(glob.glob(f"{collection}/oracles/paddle/*/*/span*.pb")):
    other = pb[: -len("pb")] + "json"
    if not os.path.exists(other):
        continue
    one, two = info(pb), info(other)
    differing = [f"{key} {one.get(key)} against {two.get(key)}" for key in KEYS if one.get(key) != two.get(key)]
    if differing or "error" in one:
        print(f"{pb}: {'; '.join(differing)}")
        failed += 1
    else:
        passed += 1
print(f"protobuf as JSON: {passed} passed, {failed} failed")
sys.exit(failed > 0 or passed == 0)
PYTHON
exit $status
