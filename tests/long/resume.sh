#!/bin/sh
set -eu
. "$(dirname "$0")/settings.sh"
export ASIF_KILLS=${ASIF_KILLS:-20}
long_test cli/test_resume.py
