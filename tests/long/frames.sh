#!/bin/sh
# tests/logs/test_frames.py with real data frames: pandas, polars and pyarrow from PyPI, in an environment of their own.
set -eu
. "$(dirname "$0")/settings.sh"
venv=${ASIF_VENV:-$build/venv-frames}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet pyarrow pandas polars numpy scipy
fi
"$venv/bin/python" "$ASIF_SOURCE/tests/logs/test_frames.py"
