#!/bin/sh
# The recurrent learner on Tiger, five seeds: mean return within a quarter of the optimum, and above all that have no memory.
set -eu
. "$(dirname "$0")/settings.sh"
"$python" "$ASIF_SOURCE/tests/long/recurrent.py"
