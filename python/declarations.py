"""Write cffi's declarations of the public headers: declarations.py COMPILER INCLUDE OUTPUT.

The headers are preprocessed without those of the system, whose types cffi knows. Constants that are macros become constants."""
import pathlib
import re
import subprocess
import sys
import tempfile

import cffi

compiler, include, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
macro = re.compile(r"^#define (ASIF_[A-Z_0-9]+) \(?(\d+)\)?\s*(?:/\*.*)?$", re.M)
constants = {name: value for header in sorted((include / "asif").glob("*.h"))
             for name, value in macro.findall(header.read_text(encoding="utf-8"))}

with tempfile.TemporaryDirectory() as empty:
    for name in ("stdbool.h", "stddef.h", "stdint.h"):
        pathlib.Path(empty, name).write_text("")
    text = subprocess.run(
        [compiler, "-E", "-P", "-U__GNUC__", "-DASIF_STATIC", "-nostdinc", "-I", empty, "-I", include, include / "asif.h"],
        check=True, capture_output=True, text=True).stdout

ffi = cffi.FFI()
ffi.cdef(text + "".join(f"\n#define {name} {value}" for name, value in constants.items()))
ffi.set_source("asif._native", None)
ffi.emit_python_code(str(output))
