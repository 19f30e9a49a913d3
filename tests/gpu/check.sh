#!/usr/bin/env bash
# Checks captures of GPU work on a machine that has one: tests/gpu/check.sh [BINARY] [PYTHON] [options of check.py]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
binary="$here/../../target/release/proftui"
python="$(command -v python3)"
if [ $# -gt 0 ] && [[ "$1" != -* ]]; then binary="$1"; shift; fi
if [ $# -gt 0 ] && [[ "$1" != -* ]]; then python="$1"; shift; fi
exec python3 "$here/check.py" "$binary" "$python" "$@"
