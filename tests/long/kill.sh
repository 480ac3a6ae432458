#!/bin/sh
set -eu
. "$(dirname "$0")/settings.sh"
ASIF_KILLS=${ASIF_KILLS:-20} "$build/tests/test_sample_kill"
