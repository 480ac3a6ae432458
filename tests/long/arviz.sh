#!/bin/sh
# tests/sample/test_other_software.py with ArviZ and cmdstanpy from PyPI, installed for the occasion.
set -eu
. "$(dirname "$0")/settings.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder"
"$folder/bin/pip" install -q 'arviz<1' cmdstanpy
"$folder/bin/python" "$ASIF_SOURCE/tests/sample/test_other_software.py"
