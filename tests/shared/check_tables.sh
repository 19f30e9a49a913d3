#!/usr/bin/env bash
# Holds `proftui summary --layout torch` against tables that PyTorch itself printed.
#
#     check_tables.sh PROFTUI SHARED_DIR
#
# Prints how many tables are equal; exits 1 when one is not. The tables and the comparison lie in SHARED_DIR/oracles.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: check_tables.sh PROFTUI SHARED_DIR" >&2
    exit 2
fi
exec python3 "$2/oracles/check_torch.py" -- "$1"
