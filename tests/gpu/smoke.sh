#!/usr/bin/env bash
# The first two minutes on a machine with a GPU: tests/gpu/smoke.sh [BINARY] [PYTHON] [OUT]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
binary="${1:-$here/../../target/release/proftui}"
python="${2:-$(command -v python3)}"
exec python3 "$here/smoke.py" "$binary" "$python" --keep "${3:-proftui-smoke}" "${@:4}"
