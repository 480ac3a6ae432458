#!/bin/sh
# Leave-one-out against R's package loo (Debian: r-cran-loo): matrices of all kinds, and a fit by asif.
set -eu
. "$(dirname "$0")/settings.sh"
if ! Rscript -e 'library(loo)' >/dev/null 2>&1; then
    echo "skipped: R's package loo is not installed (Debian: r-cran-loo)"
    exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
study=$ASIF_SOURCE/examples/diag/study.yaml
"$ASIF" simulate "$study" -p alpha=0.5 -p beta=1.25 -p eta=0.001 -n 300 --seed 1 -o "$folder/logs.csv"
"$ASIF" fit "$study" "$folder/logs.csv" -o "$folder/fit" --method metropolis -q --threads 2 >/dev/null || true
"$ASIF" compare "$folder/fit" --logs "$folder/logs.csv" -o "$folder/tables" -q --threads 2 >/dev/null || true
"$python" "$ASIF_SOURCE/tests/sample/write_loo.py" "$folder" "$folder/tables/log_lik-1.csv" "$folder/tables/pointwise.csv" \
    "$folder/fit"
Rscript "$here/loo.R" "$folder"
