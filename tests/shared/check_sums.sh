#!/usr/bin/env bash
# Holds `proftui summary` against sums that sums/check_sums.py makes by itself, for every Chrome JSON trace of a collection: the whole
# and random parts of each, five without an option.
#
#     check_sums.sh PROFTUI SHARED_DIR [OPTION...]
#
# Options are those of check_sums.py. Prints a line per trace and the cells that differ; exits 1 when one does.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: check_sums.sh PROFTUI SHARED_DIR [OPTION...]" >&2
    exit 2
fi
proftui=$(realpath "$1")
collection=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mapfile -d '' files < <({
    # The sums in Python do not know the categories of Ascend, the only traces of `formats` that are in Chrome's form.
    find "$collection/traces" -path '*/traces/formats' -prune -o -type f \( -name '*.json' -o -name '*.json.gz' -o -name simple_trace_gz \) -print0
    find "$collection/oracles/paddle" -type f -name '*.paddle_trace.json' -print0
} | sort -z)
if [ ${#files[@]} -eq 0 ]; then
    echo "no traces under $collection" >&2
    exit 2
fi
exec python3 "$here/sums/check_sums.py" "${@:3}" "$proftui" "${files[@]}"
