"""Logs: tables of other packages, or files, as the library's trees."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._library import Call, ffi, lib, new, texts


def _stream(capsule: Any) -> Any:
    import ctypes  # here, for it takes as long to import as everything else

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return ffi.cast("struct ArrowArrayStream *", pointer(capsule, b"arrow_array_stream"))


def pairs(values: Mapping[str, Any] | None) -> tuple[Any, list[Any], int]:
    """NAME=VALUE for each entry, as the command's -p and --map take them."""
    array, kept = texts(f"{name}={_number(value)}" for name, value in (values or {}).items())
    return array, kept, len(kept)


def _number(value: Any) -> str:
    return value if isinstance(value, str) else repr(float(value))


class Logs:
    """A table that was read as the library's tree."""

    def __init__(self, call: Call, study: Any, data: Any, *, units: int = 0, subjects: bool = False,
                 columns: Iterable[str] = (), map: Mapping[str, str] | None = None, where: Iterable[str] = ()):
        self._call = call
        array, kept, count = pairs(map)
        self.map = call.make("asif_log_map", lib.asif_study_map, call.context, study, array, count,
                             free=lib.asif_log_map_free)
        listed = [where] if isinstance(where, str) else list(where)
        self.where, self._kept = texts(listed)
        conditions = ffi.new("asif_logs_where **")
        call.check(lib.asif_wheres_read(conditions, call.context, self.where, len(listed), call.error))
        options = new("asif_logs_options", map=self.map, setting=lib.asif_study_setting(study), subjects=subjects,
                      where=conditions[0], wheres=len(listed))
        wanted, held = texts(columns)
        if held:
            units, options.covariates = 2, wanted
        options.units = units
        self.path: str | None = None
        try:
            self.tree = self._read(call, data, options)
        finally:
            lib.asif_memory_free(call.context, conditions[0])
        if not listed:
            self.where = ffi.NULL

    def _read(self, call: Call, data: Any, options: Any) -> Any:
        if isinstance(data, (str, os.PathLike)):
            self.path = os.fspath(data)
            return call.make("asif_tree", lib.asif_logs_open, call.context, os.fsencode(self.path), options, call.list,
                             free=lib.asif_tree_free)
        if not hasattr(data, "__arrow_c_stream__"):
            raise TypeError(f"logs are a path, or a table with __arrow_c_stream__ (pandas 2.2 or later, polars, pyarrow), "
                            f"not {type(data).__name__}")
        capsule = data.__arrow_c_stream__()
        return call.make("asif_tree", lib.asif_logs_read_arrow, call.context, _stream(capsule), b"data frame", options, ffi.NULL,
                         call.list, free=lib.asif_tree_free)

    def bytes(self) -> bytes:
        """The tree in the format of `asif count`."""
        call = self._call  # whose context the text is from, and is freed with
        out, length = ffi.new("char **"), ffi.new("uint64_t *")
        call.check(lib.asif_tree_bytes(out, length, self.tree, call.error))
        try:
            return ffi.buffer(out[0], length[0])[:]
        finally:
            lib.asif_memory_free(call.context, out[0])
