#!/usr/bin/env bash
# Every fuzzer for so many seconds, with its dictionary and its seeds: it must find nothing.
#     tests/long/fuzz.sh [SECONDS [FUZZER...]]
# Builds with tests/fuzz/build.sh. What is found is left in build/fuzz-found; fixed, it goes to tests/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-600}
[ $# -eq 0 ] || shift
export OUT=$PWD/build/fuzz-out WORK=$PWD/build/fuzz-work
found=$PWD/build/fuzz-found
mkdir -p "$OUT" "$WORK" "$found"
tests/fuzz/build.sh >"$WORK/log" 2>&1 || { tail -30 "$WORK/log" >&2; exit 1; }

[ $# -gt 0 ] || set -- $(cd tests/fuzz && ls fuzz_*.c | sed -E 's/^fuzz_(.*)\.c$/\1/')
TIMEFORMAT='%U %S'

fuzz() {
    local dictionary=
    [ ! -f "$OUT/fuzz_$1.dict" ] || dictionary=-dict=$OUT/fuzz_$1.dict
    (cd "$grown" && "$OUT/fuzz_$1" $dictionary -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2560 \
        -artifact_prefix="$found/$1-" -print_final_stats=1 "$grown" "$OLDPWD/tests/fuzz/corpus/$1") >"$WORK/$1.log" 2>&1
}

bad=0
for name; do
    grown=$(mktemp -d)
    code=0
    cpu=$({ time fuzz "$name"; } 2>&1) || code=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$WORK/$name.log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$WORK/$name.log")
    of_cpu=$(awk -v runs="${runs:-0}" '{ cpu = $1 + $2; printf "%.0f", (cpu > 0) ? runs / cpu : 0 }' <<<"$cpu")
    printf '%-12s %10s runs, %6s a second of the clock, %6s a second of the processor, exit code %d\n' \
        "$name" "${runs:-?}" "${rate:-?}" "$of_cpu" "$code"
    [ "$code" -eq 0 ] || { bad=1; grep -E 'ERROR|SUMMARY|Test unit written' "$WORK/$name.log" | sed 's/^/    /'; }
    rm -rf "$grown"
done
exit "$bad"
