#!/usr/bin/env bash
# asif compiled for other systems: static commands with musl, for x86-64 and for aarch64 (under qemu), and wheels, against the whole
# comparison with the oracle.
#
#     tests/long/other_machines.sh [x86_64] [aarch64] [wheel_musl] [wheel_aarch64]
#
# Without arguments all of it. The first two skip what loads the library into Python. The others take what tools/build-wheels has left
# in build/wheels, and skip nothing. That for musl is loaded into a Python that is linked with musl, too, and is compiled from
# Debian's sources (build/cross/musl-python). That for aarch64 with glibc is installed in a Debian of this kind, where Python and
# numpy are programs for aarch64, and the tests of the package run. ROOT: where this Debian is, and is kept (default: a temporary
# folder). Needs the release build, Debian, a network, and qemu-user-static; for wheels also root, debootstrap and musl.
set -euo pipefail
[ $# -gt 0 ] || set -- x86_64 aarch64 wheel_musl wheel_aarch64
parts=("$@")
set --
. "$(dirname "$0")/settings.sh"
cd "$ASIF_SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# Tests of one kind, with what is in the environment, as many at once as there are processors: oracle NAME COMMAND...
oracle() {
    local name=$1 passed=0 skipped=0 test said
    shift
    rm -rf "$work/tests"
    mkdir "$work/tests"
    # shellcheck disable=SC2016
    printf '%s\0' tests/oracle/test_*.py | xargs -0 -P "$(nproc)" -I '{}' bash -c \
        'said=$1/$(basename "$2"); code=0; "${@:3}" "$2" >"$said" 2>&1 || code=$?; echo "$code" >"$said.code"' bash "$work/tests" '{}' "$@"
    for test in tests/oracle/test_*.py; do
        said=$work/tests/$(basename "$test")
        case $(cat "$said.code") in
        0) passed=$((passed + 1)) ;;
        77) skipped=$((skipped + 1)); echo "$name: skipped $test: $(tail -n 1 "$said")" ;;
        *) failed=$((failed + 1)); echo "$name: FAILED $test"; tail -n 20 "$said" ;;
        esac
    done
    echo "$name: $passed passed, $skipped skipped"
}

# The build for a target of tools/cross, in build/cross/NAME/static: built NAME TARGET FLAG...
built() {
    local folder=build/cross/$1
    tools/cross "$2" "$folder"
    cmake -S . -B "$folder/plain" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/$folder/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release \
        -DASIF_TESTS=OFF -DASIF_BENCH=OFF "${@:3}" >"$work/said" || { cat "$work/said"; exit 1; }
    cmake --build "$folder/plain" -j "$(nproc)" >"$work/said" || { tail -n 30 "$work/said"; exit 1; }
}

# A command that is run by qemu where it is not this machine's: through NAME gives its path.
through() {
    local program=$PWD/build/cross/$1/plain/cli/asif
    if [[ $1 == *aarch64* ]] && [ "$(uname -m)" != aarch64 ]; then
        printf '#!/bin/sh\nexec qemu-aarch64-static "%s" "$@"\n' "$program" >"$work/asif-$1"
        chmod +x "$work/asif-$1"
        program=$work/asif-$1
    fi
    echo "$program"
}

static() {
    local name=musllinux_1_2_$1 program
    built "$name" "$1-linux-musl" -DBUILD_SHARED_LIBS=OFF -DCMAKE_EXE_LINKER_FLAGS=-static
    if readelf -d "build/cross/$name/plain/cli/asif" | grep NEEDED; then
        echo "the command is not static"
        exit 1
    fi
    program=$(through "$name")
    echo "$1, static: $("$program" --version), $(stat -c %s "build/cross/$name/plain/cli/asif") bytes"
    ASIF=$program ASIF_LIB='' oracle "$1, static" "$python"
}

debian() {
    export root=${ROOT:-$work/root}
    if [ ! -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]; then
        mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
        cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
    fi
    if [ ! -e "$root/done" ]; then
        debootstrap --arch=arm64 --variant=minbase --include=python3-numpy,python3-scipy,python3-cffi,python3-pytest,python3-pip \
            bookworm "$root" "$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -v -- -security | head -n 1)" \
            >"$work/said" || { tail "$work/said"; exit 1; }
        touch "$root/done"
    fi
    rm -rf "$root/asif"
    mkdir -p "$root/asif/source"
    cp -rL include python examples tests docs "$root/asif/source"
    for folder in "$ASIF_ORACLE" "$ASIF_ORACLE/../dementia"; do
        [ ! -d "$folder" ] || cp -rL "$folder" "$root/asif/"
    done
}

# Run a program of this Debian. Exported, since each test is begun by a shell of its own.
inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/bin:/bin LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 ASIF_SOURCE=/asif/source \
        ASIF_ORACLE=/asif/oracle "$@"
}
export -f inside

# A Python for musl, with ctypes, numpy and SciPy. zig's musl is newer than Debian's, which has no preadv2; and from there on, numpy's
# packages need a newer one.
musl_python() {
    local cross=$PWD/build/cross/musllinux_1_2_x86_64 sources=$PWD/build/cross/sources
    musl=$PWD/build/cross/musl-python
    [ ! -e "$musl/done" ] || return 0
    tools/cross x86_64-linux-musl "$cross"
    tools/get-sources "$sources" python3.11 libffi
    rm -rf "$musl"
    mkdir "$musl"
    cp -r "$sources/python3.11" "$musl/python"
    cp -r "$sources/libffi" "$musl/libffi"
    {
        cd "$musl/libffi"
        ./configure --prefix="$musl" --build=x86_64-linux-musl --disable-shared --with-pic --disable-docs --disable-multi-os-directory \
            CC="$cross/cc -dynamic" AR="$cross/ar" RANLIB="$cross/ranlib" CFLAGS="-O2 -Wno-implicit-function-declaration"
        make -j "$(nproc)" install
        cd "$musl/python"
        ./configure --prefix="$musl" --without-ensurepip --disable-test-modules CC="$cross/cc -dynamic -Wno-date-time" AR="$cross/ar" \
            RANLIB="$cross/ranlib" CPPFLAGS="-I$musl/include -I$cross/include" LDFLAGS="-L$musl/lib -L$cross/lib" \
            PKG_CONFIG_PATH="$musl/lib/pkgconfig:$cross/lib/pkgconfig" \
            ac_cv_func_preadv2=no ac_cv_func_pwritev2=no ac_cv_buggy_getaddrinfo=no
        make -j "$(nproc)"
        make install
        cd "$ASIF_SOURCE"
        python3 -m venv "$musl/pip"
        "$musl/pip/bin/pip" download -q --disable-pip-version-check -d "$musl/packages" --only-binary :all: --no-deps \
            --python-version 311 --abi cp311 --platform musllinux_1_1_x86_64 numpy==1.26.4 scipy==1.11.4
    } >"$work/said" 2>&1 || { tail -n 30 "$work/said"; exit 1; }
    local packages=$musl/lib/python3.11/site-packages
    for wheel in "$musl"/packages/*.whl; do python3 -m zipfile -e "$wheel" "$packages"; done
    # This Python thinks that every Linux has glibc.
    find "$packages" -name '*-linux-musl.so' | while read -r file; do mv "$file" "${file%musl.so}gnu.so"; done
    touch "$musl/done"
}

wheel_aarch64() {
    debian
    mkdir "$root/asif/package"
    python3 -m zipfile -e build/wheels/libasif-*manylinux*aarch64.whl "$root/asif/package"
    chmod +x "$root/asif/package/asif/asif"
    oracle "aarch64, wheel" inside ASIF=/asif/package/asif/asif ASIF_LIB=/asif/package/asif/libasif.so sh -c 'exec python3 "/asif/source/$1"' sh
    inside PYTHONPATH=/asif/package python3 -m pytest -q -rs -p no:cacheprovider /asif/source/python/tests/test_asif.py ||
        failed=$((failed + 1))
}

wheel_musl() {
    python3 -m zipfile -e build/wheels/libasif-*musllinux*x86_64.whl "$work/musl"
    printf '#!/bin/sh\nexec /lib/ld-musl-x86_64.so.1 "%s" "$@"\n' "$work/musl/asif/asif" >"$work/asif-musl"
    chmod +x "$work/asif-musl"
    musl_python
    ASIF=$work/asif-musl ASIF_LIB=$work/musl/asif/libasif.so oracle "musl, wheel" "$musl/bin/python3.11"
}

for what in "${parts[@]}"; do
    case $what in
    x86_64 | aarch64) static "$what" ;;
    wheel_musl | wheel_aarch64) $what ;;
    *) echo "there is no $what" >&2; exit 2 ;;
    esac
done
exit $((failed > 0))
