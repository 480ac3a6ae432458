#!/bin/sh
# One step of the install tests; CMakeLists.txt here says which.
set -eu

# Run a stranger's program, which must print the version that was built.
check() {
    said=$("$1")
    echo "$1 says: $said"
    case $said in
    "asif $2, "*) ;;
    *) echo "expected: asif $2, ..." >&2; exit 1 ;;
    esac
}

step=$1
shift
case $step in
install)
    build=$1 prefix=$2 cmake=$3
    rm -rf "$prefix"
    "$cmake" --install "$build" --prefix "$prefix"
    ;;
components)
    # The command and the library alone are enough to run; headers come with the third component, and nothing is in none of them.
    build=$1 whole=$2 prefix=$3 cmake=$4
    rm -rf "$prefix"
    "$cmake" --install "$build" --prefix "$prefix" --component library
    "$cmake" --install "$build" --prefix "$prefix" --component command
    "$prefix/bin/asif" --version
    if find "$prefix" -name '*.h' -o -name '*.a' -o -name '*.pc' -o -name '*.cmake' | grep .; then
        echo "the components for running have files for compiling" >&2
        exit 1
    fi
    "$cmake" --install "$build" --prefix "$prefix" --component development
    (cd "$whole" && find . | LC_ALL=C sort) >"$prefix.whole"
    (cd "$prefix" && find . | LC_ALL=C sort) | diff "$prefix.whole" -
    ;;
cmake)
    prefix=$1 source=$2 build=$3 compiler=$4 version=$5 cmake=$6 generator=$7
    rm -rf "$build"
    "$cmake" -S "$source" -B "$build" -G "$generator" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix"
    "$cmake" --build "$build"
    check "$build/outside_asif" "$version"
    check "$build/outside_static" "$version"
    ;;
pkg-config)
    prefix=$1 source=$2 build=$3 compiler=$4 version=$5 pkg_config=$6 libdir=$7
    PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
    export PKG_CONFIG_PATH
    test "$("$pkg_config" --modversion asif)" = "$version"
    # shellcheck disable=SC2046 # the flags are words
    "$compiler" "$source/outside.c" -o "$build/outside_pkg_config" $("$pkg_config" --cflags --libs asif)
    LD_LIBRARY_PATH=$prefix/$libdir check "$build/outside_pkg_config" "$version"
    # All of it in the program, and the library's own libraries found through the .pc file.
    # shellcheck disable=SC2046
    "$compiler" "$source/outside.c" -o "$build/outside_pkg_config_static" \
        $("$pkg_config" --cflags asif) "$prefix/$libdir/libasif.a" \
        $("$pkg_config" --static --libs asif | tr ' ' '\n' | grep -v -x -e -lasif)
    check "$build/outside_pkg_config_static" "$version"
    ;;
example)
    # The example in C says what the installed command says for the same agent and belief.
    prefix=$1 source=$2 build=$3 compiler=$4 pkg_config=$5 libdir=$6 bindir=$7
    PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046
    "$compiler" "$source/c/plan.c" -o "$build/example_plan" $("$pkg_config" --cflags --libs asif)
    said=$(LD_LIBRARY_PATH=$prefix/$libdir "$build/example_plan" "$source/diag/study.yaml")
    # The second probability of the policy at the only belief, to three digits.
    probability=$("$prefix/$bindir/asif" plan "$source/diag/study.yaml" -p alpha=0.5 -p optimism=0.8 -p eta=0 \
        --belief 0.16,0.84 --json | awk '
            /"beliefs"/ { here = 1 }
            /"history"/ { here = 0 }
            here && /"policy"/ { policy = 1 }
            here && policy && /"declare_diseased"/ { sub(/,/, ""); printf "%.3f", $2; exit }')
    echo "the example says: $said"
    want="converged, residual below 1e-9: yes. At P(diseased) = 0.84 it declares with probability $probability."
    case $probability in
    0.[0-9][0-9][0-9]) ;;
    *) echo "the command gives no probability: '$probability'" >&2; exit 1 ;;
    esac
    if [ "$said" != "$want" ]; then
        echo "expected: $want" >&2
        exit 1
    fi
    if LD_LIBRARY_PATH=$prefix/$libdir "$build/example_plan" "$source/no-such.yaml" 2>/dev/null; then
        echo "the example succeeds without a study" >&2
        exit 1
    fi
    ;;
*)
    echo "no such step: $step" >&2
    exit 2
    ;;
esac
