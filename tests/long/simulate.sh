#!/bin/sh
set -eu
. "$(dirname "$0")/settings.sh"
ASIF_EPISODES=${ASIF_EPISODES:-100000} long_test oracle/test_simulate.py
