#!/bin/sh
# Makes a virtual environment with numpyro in the build folder, unless ASIF_VENV names one that has it.
set -eu
. "$(dirname "$0")/settings.sh"
venv=${ASIF_VENV:-$build/venv-numpyro}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet numpyro
fi
"$venv/bin/python" "$ASIF_SOURCE/tests/long/nuts_logistic.py"
