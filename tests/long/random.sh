#!/bin/sh
set -eu
. "$(dirname "$0")/settings.sh"
ASIF_RANDOM=${ASIF_RANDOM:-300} long_test oracle/test_random.py
ASIF_RANDOM=100 long_test oracle/test_reference.py
