#!/usr/bin/env bash
# Build the fuzzers as services that run them want it (OSS-Fuzz): into $OUT the programs, and beside each its dictionary and
# its seeds, FUZZER.dict and FUZZER_seed_corpus.zip. Compiler, flags and engine come from the environment (CC, CXX, CFLAGS,
# CXXFLAGS, LIB_FUZZING_ENGINE); without an engine it is clang's libFuzzer with the address and undefined-behaviour sanitizers.
#     OUT=DIR tests/fuzz/build.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${OUT:?is the folder for what is built}"
work=${WORK:-$(mktemp -d)}
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
export CC=${CC:-clang} CXX=${CXX:-clang++}

# Services run the programs where libraries of the system may be missing: they are taken along.
cmake -S "$here/../.." -B "$work/asif" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O1 -g' \
    -DASIF_FUZZ=ON -DASIF_FUZZ_ENGINE="${LIB_FUZZING_ENGINE:-}" -DASIF_CLP=OFF -DASIF_BENCH=OFF -DBUILD_SHARED_LIBS=OFF \
    -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DCMAKE_BUILD_RPATH_USE_ORIGIN=ON
cmake --build "$work/asif" -j "$(nproc)" --target fuzzers

mkdir -p "$OUT/lib"
for source in "$here"/fuzz_*.c; do
    fuzzer=$(basename "$source" .c)
    name=${fuzzer#fuzz_}
    cp --remove-destination "$work/asif/tests/fuzz/$fuzzer" "$OUT/" # also while the last one runs
    ldd "$work/asif/tests/fuzz/$fuzzer" | awk '/libyaml/ { print $3 }' | xargs -r cp --remove-destination -Lt "$OUT/lib"
    [ ! -f "$here/dictionaries/$name.dict" ] || cp "$here/dictionaries/$name.dict" "$OUT/$fuzzer.dict"
    rm -f "$OUT/${fuzzer}_seed_corpus.zip"
    (cd "$here/corpus/$name" && python3 -m zipfile -c "$OUT/${fuzzer}_seed_corpus.zip" *)
done
