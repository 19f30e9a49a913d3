#!/usr/bin/env bash
# Holds `proftui summary --layout torch` against tables that PyTorch itself printed.
#
#     check_tables.sh PROFTUI SHARED_DIR
#
# Prints how many tables are equal; exits 1 when one is not. The tables and the comparison lie in SHARED_DIR/oracles. Those of devices are
# what PyTorch 2.15 makes of older files, too, so each is printed as that version prints it.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: check_tables.sh PROFTUI SHARED_DIR" >&2
    exit 2
fi
exec python3 "$2/oracles/check_torch.py" -- bash -c 'exec "$0" "$@" --torch-version 2.15' "$1"
