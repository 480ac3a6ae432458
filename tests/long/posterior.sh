#!/bin/sh
# Our chains read by R, and diagnostics against R's package posterior (Debian: r-cran-posterior).
set -eu
. "$(dirname "$0")/settings.sh"
if ! Rscript -e 'library(posterior)' >/dev/null 2>&1; then
    echo "skipped: R's package posterior is not installed (Debian: r-cran-posterior)"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" "$ASIF_SOURCE/tests/sample/write_chains.py" "$folder"
Rscript "$here/posterior.R" "$folder"
