"""Write cffi's declarations of the public headers: declarations.py COMPILER INCLUDE OUTPUT.

The headers are preprocessed without those of the system, whose types cffi knows. Constants that are macros become constants."""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

MACRO = re.compile(r"^#define (ASIF_[A-Z_0-9]+) \(?(\d+)\)?\s*(?:/\*.*)?$", re.M)


def preprocessed(compiler, include):
    """The public headers in `include` as C without directives."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdbool.h", "stddef.h", "stdint.h"):
            pathlib.Path(empty, name).write_text("")
        return subprocess.run(
            [compiler, "-E", "-P", "-U__GNUC__", "-DASIF_STATIC", "-nostdinc", "-I", empty, "-I", include, include / "asif.h"],
            check=True, capture_output=True, text=True).stdout


def constants(include):
    return {name: value for header in sorted((include / "asif").glob("*.h"))
            for name, value in MACRO.findall(header.read_text(encoding="utf-8"))}


if __name__ == "__main__":
    compiler, include, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    ffi = cffi.FFI()
    ffi.cdef(preprocessed(compiler, include) + "".join(f"\n#define {n} {v}" for n, v in constants(include).items()))
    ffi.set_source("asif._native", None)
    ffi.emit_python_code(str(output))
