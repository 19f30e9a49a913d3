#!/usr/bin/env bash
# Holds `proftui info` against the hostile corpus of a collection: its cases, made anew, and JSONTestSuite's.
#
#     check_corpus.sh PROFTUI SHARED_DIR
#
# Prints the rows that differ and check.py's own count for each part; exits 1 when a core row fails, fewer than 8 rows of
# the stretch pass, or any of JSONTestSuite's 680 does.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: check_corpus.sh PROFTUI SHARED_DIR" >&2
    exit 2
fi
proftui=$(realpath "$1")
corpus=$(realpath "$2")/corpus
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 "$corpus/gen_corpus.py" --out "$work" >/dev/null
cmp "$corpus/expected.tsv" "$work/expected.tsv"

# Rows of one level, as a table of their own.
level() { awk -F '\t' -v level="$1" 'NR == 1 || $3 == level' "$work/expected.tsv" >"$work/$1.tsv"; }
# Runs check.py over a table and prints what it says; `failed` is then its count.
check() {
    local said
    said=$(CORPUS_DIR=$1 python3 "$corpus/check.py" "$2" all -- "$proftui" info --format json '{}') || true
    printf '%s: %s\n' "$3" "$said"
    total=$(sed -n '$s/^\([0-9]*\) cases, .*/\1/p' <<<"$said")
    failed=$(sed -n '$s/^[0-9]* cases, \([0-9]*\) fail.*/\1/p' <<<"$said")
    [ -n "$failed" ]
}

bad=0
level core
check "$work" "$work/core.tsv" core
[ "$failed" -eq 0 ] && [ "$total" -eq 192 ] || bad=1
level stretch
check "$work" "$work/stretch.tsv" stretch
[ $((total - failed)) -ge 8 ] || bad=1
check "$corpus" "$corpus/expected_jts.tsv" JSONTestSuite
[ "$failed" -eq 0 ] && [ "$total" -eq 680 ] || bad=1
exit $bad
