#!/bin/sh
# tests/inverse/agreement.py with 200 problems of each kind, and highspy for quadratic programmes, installed for the occasion.
set -eu
. "$(dirname "$0")/settings.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder"
"$folder/bin/pip" install -q numpy scipy highspy
cd "$ASIF_SOURCE/tests/inverse"
"$folder/bin/python" -c 'import sys, agreement; sys.exit(agreement.run(200) > 0)'
