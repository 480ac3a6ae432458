#!/bin/sh
set -eu
. "$(dirname "$0")/settings.sh"
export ASIF_KILLS=${ASIF_KILLS:-500} ASIF_PAIRS=${ASIF_PAIRS:-50}
long_test cli/test_folder.py
