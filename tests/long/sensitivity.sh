#!/bin/sh
set -eu
. "$(dirname "$0")/settings.sh"
ASIF_EVALUATIONS=${ASIF_EVALUATIONS:-500} long_test oracle/test_sensitivity.py
