"""Every macro ..._INIT of the public headers has its struct among those that asif_defaults() fills."""
import ctypes
import glob
import os
import re
import sys

LIB, SOURCE = os.environ.get("ASIF_LIB"), os.environ.get("ASIF_SOURCE")
if not LIB or not SOURCE:
    print("ASIF_LIB (the shared library) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
library = ctypes.CDLL(LIB)
library.asif_defaults.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_void_p]
names = []
for path in sorted(glob.glob(os.path.join(SOURCE, "include", "asif", "*.h"))):
    with open(path, encoding="utf-8") as file:
        names += re.findall(r"#define ASIF_([A-Z_]+)_INIT\b", file.read())
assert len(names) > 25, names
room = ctypes.create_string_buffer(16)
for name in names:
    status = library.asif_defaults(room, 16, b"asif_" + name.lower().encode(), None)
    assert status == 0, f"asif_{name.lower()}: {status}"
    if name != "ERROR":
        assert int.from_bytes(room.raw[:8], sys.byteorder) == 16, name
print(f"{len(names)} structs have defaults")
