#!/bin/sh
set -eu
. "$(dirname "$0")/settings.sh"
export ASIF_THETAS=${ASIF_THETAS:-2000}
long_test oracle/test_robust.py
ASIF_ADNI_RESOLUTION=60 long_test oracle/test_robust.py
