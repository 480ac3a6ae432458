#!/bin/sh
# Follows docs/howto/messy-table.md word for word, from the messy table to the report.
#
#     tests/long/triage.sh [BUILD [--short]]        --short: without the fit and the report
#
# The table is in the findings beside the oracle (ASIF_ORACLE, default ../shared/oracle); without it: skipped (77).
set -e
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$source/build/release}" && pwd)
table="${ASIF_ORACLE:-$source/../shared/oracle}/../findings/triage/triage.csv"
test -f "$table" || { echo "there is no $table: skipped"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$table" "$folder"
python3 "$source/tests/cli/follow_page.py" "$build/cli/asif" "$source/docs/howto/messy-table.md" "$folder" ${2:+--without "asif fit" --without "asif report"}
test -n "$2" || test -s "$folder/report.html"
