#!/usr/bin/env bash
# Every fuzzer for so many seconds of processor time, with its dictionary and its seeds: it must find nothing.
#     [JOBS=1] tests/long/fuzz.sh [SECONDS [FUZZER...]]     JOBS: how many run at once
# Builds with tests/fuzz/build.sh. What is found is left in build/fuzz-found; fixed, it goes to tests/fuzz/corpus.
set -euo pipefail
cd "$(dirname "$0")/../.."
export seconds=${1:-600}
[ $# -eq 0 ] || shift
export OUT=$PWD/build/fuzz-out WORK=$PWD/build/fuzz-work found=$PWD/build/fuzz-found
mkdir -p "$OUT" "$WORK" "$found"
tests/fuzz/build.sh >"$WORK/log" 2>&1 || { tail -30 "$WORK/log" >&2; exit 1; }
[ $# -gt 0 ] || set -- $(cd tests/fuzz && ls fuzz_*.c | sed -E 's/^fuzz_(.*)\.c$/\1/')

run_for() { # SECONDS NAME GROWN
    local dictionary=
    [ ! -f "$OUT/fuzz_$2.dict" ] || dictionary=-dict=$OUT/fuzz_$2.dict
    (cd "$3" && "$OUT/fuzz_$2" $dictionary -max_total_time="$1" -timeout=25 -rss_limit_mb=2560 -artifact_prefix="$found/$2-" \
        -print_final_stats=1 "$3" "$OLDPWD/tests/fuzz/corpus/$2") >>"$WORK/$2.log" 2>&1
}

# A fuzzer knows the clock only: it runs until the clock has gone on as far as the processor time that it still lacks, again and
# again from the inputs that it has grown, so that a busy machine does not make the check weaker.
one() {
    local name=$1 grown log code=0 runs=0 used=0 begun cpu left
    grown=$(mktemp -d)
    log=$WORK/$name.log
    : >"$log"
    TIMEFORMAT='%U %S'
    while [ "$code" -eq 0 ] && left=$(awk -v used="$used" -v all="$seconds" 'BEGIN { printf "%d", all - used }') && [ "$left" -gt 0 ]; do
        begun=$(wc -l <"$log")
        cpu=$({ time run_for "$((left + 1))" "$name" "$grown"; } 2>&1) || code=$?
        used=$(awk -v used="$used" '{ print used + $1 + $2 }' <<<"$cpu")
        runs=$((runs + $(tail -n "+$((begun + 1))" "$log" | sed -n 's/^stat::number_of_executed_units: *//p' | tail -1 | grep . || echo 0)))
    done
    awk -v name="$name" -v runs="$runs" -v cpu="$used" -v code="$code" \
        'BEGIN { printf "%-12s %10d runs in %4.0f s of the processor, %6.0f a second, exit code %d\n", name, runs, cpu, cpu ? runs / cpu : 0, code }'
    [ "$code" -eq 0 ] || grep -aE 'ERROR|SUMMARY|Test unit written' "$log" | sed 's/^/    /'
    rm -rf "$grown"
    [ "$code" -eq 0 ]
}
export -f one run_for

printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I{} bash -c 'one "$1"' fuzz {}
