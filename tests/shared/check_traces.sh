#!/usr/bin/env bash
# Holds `proftui info` against count_chrome.py on every Chrome JSON trace of a collection.
#
#     check_traces.sh PROFTUI SHARED_DIR
#
# Each file must open, with the same slices and dropped; a Paddle file must show no W_OVERLAP, for its overlaps
# are rounding. Prints a line for each file that differs, then `N passed, M failed`; exits 1 when M > 0.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: check_traces.sh PROFTUI SHARED_DIR" >&2
    exit 2
fi
proftui=$1
collection=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mapfile -d '' files < <({
    # Perfetto's and sampled profiles are not read, and their JSON is no trace in Chrome's form.
    find "$collection/traces" \( -path '*/formats/perfetto' -o -path '*/formats/sampled' \) -prune -o -type f \( -name '*.json' -o -name '*.json.gz' -o -name simple_trace_gz \) -print0
    find "$collection/oracles/paddle" -type f -name '*.paddle_trace.json' -print0
} | sort -z)
if [ ${#files[@]} -eq 0 ]; then
    echo "no traces under $collection" >&2
    exit 2
fi

python3 "$here/count_chrome.py" "${files[@]}" >"$work/counts"
for file in "${files[@]}"; do
    status=0
    answer=$("$proftui" info --format json "$file" 2>/dev/null </dev/null) || status=$?
    printf '%s %s\n' "$status" "${answer//$'\n'/ }"
done >"$work/answers"

python3 - "$work/counts" "$work/answers" <<'EOF'
import json
import sys


def faults(status, answer, slices, dropped, path):
    if status != "0":
        return [f"exit status {status}"]
    try:
        info = json.loads(answer)
    except ValueError:
        return ["no JSON line"]
    if not isinstance(info, dict):
        return ["no JSON object"]
    found = [f"{key} {info.get(key)}, counted {want}" for key, want in (("slices", slices), ("dropped", dropped)) if info.get(key) != int(want)]
    if path.endswith(".paddle_trace.json") and "W_OVERLAP" in (info.get("warn") or []):
        found.append("W_OVERLAP")
    return found


passed = failed = 0
with open(sys.argv[1]) as counts, open(sys.argv[2], errors="replace") as answers:
    for count, reply in zip(counts, answers, strict=True):
        slices, dropped, path = count.rstrip("\n").split(" ", 2)
        found = faults(*reply.rstrip("\n").split(" ", 1), slices, dropped, path)
        if found:
            print(f"{path}: {'; '.join(found)}")
            failed += 1
        else:
            passed += 1
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
EOF
