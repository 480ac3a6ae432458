# shellcheck shell=sh
# Read by the scripts beside it.

# Every .c and .h file of the project, one a line: what git tracks or would, else what lies there.
list_sources() {
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard -- '*.c' '*.h' | while read -r file; do
            if [ -f "$file" ]; then echo "$file"; fi
        done
    else
        find bench cli examples include src tests -name '*.[ch]' 2>/dev/null
    fi | sort -u
}

# Version 14 of a tool of LLVM's if it is there, as CI has it, else whatever version is.
find_llvm() {
    command -v "$1-14" || command -v "$1" || {
        echo "$1 was not found: tools/install-deps --dev installs it" >&2
        return 1
    }
}
