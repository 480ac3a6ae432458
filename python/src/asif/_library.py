"""The shared library: contexts, errors as exceptions, and texts."""
from __future__ import annotations

import contextlib
import os
import pathlib
import threading
from typing import Any, Callable

from ._native import ffi

ANY = 2**32 - 1  # ASIF_ANY
FOLDER = pathlib.Path(__file__).parent


def _open() -> Any:
    for name in ("libasif.so", "libasif.dylib", "asif.dll"):
        if (FOLDER / name).exists():
            return ffi.dlopen(str(FOLDER / name))
    raise ImportError(f"the shared library of asif is not in {FOLDER}: install the package from its wheel")


lib = _open()
if lib.asif_abi() != lib.ASIF_ABI:
    raise ImportError(f"the library has binary interface {lib.asif_abi()}, and this package needs {lib.ASIF_ABI}")


class Error(Exception):
    """A call of the library failed.

    Attributes say where: `file`, `line`, `column` and `row` (0: none), and `hint` says how to correct it. `status` is the
    library's number of the kind of error, and `problems` lists all problems that were found, not only the first."""

    def __init__(self, message: str, *, hint: str = "", file: str = "", line: int = 0, column: int = 0, row: int = 0,
                 code: str = "", status: int = 0, problems: tuple["Problem", ...] = ()):
        place = ":".join([file] + [str(n) for n in (line, column) if n]) if file else ""
        text = ": ".join(part for part in (place, f"row {row}" if row else "", message) if part)
        super().__init__(text + (f"\n  hint: {hint}" if hint else ""))
        self.message, self.hint, self.file, self.line, self.column = message, hint, file, line, column
        self.row, self.code, self.status, self.problems = row, code, status, problems


class Problem(Error):
    """One problem of a study or of logs; `severity` is "error", "warning" or "note"."""

    severity: str = "error"


class Cancelled(Error):
    """A computation was stopped."""


class NotFound(Error, FileNotFoundError):
    """A file is not there, or may not be read."""


class Unknown(Error, LookupError):
    """There is no such name."""


def string(text: Any) -> str:
    return ffi.string(text).decode("utf-8", "replace") if text else ""


def _fields(e: Any) -> dict[str, Any]:
    return dict(hint=string(e.hint), file=string(e.file), line=e.line, column=e.column, row=e.row, code=string(e.code),
                status=int(e.status))


_KINDS: dict[int, type[Error]] = {lib.ASIF_ECANCELLED: Cancelled, lib.ASIF_ENOFILE: NotFound, lib.ASIF_EUNKNOWN: Unknown}


def new(kind: str, **members: Any) -> Any:
    """A struct with its defaults."""
    struct = ffi.new(f"{kind} *")
    if lib.asif_defaults(struct, ffi.sizeof(struct[0]), kind.encode(), ffi.NULL) != lib.ASIF_OK:
        struct.struct_size = ffi.sizeof(struct[0])
    for name, value in members.items():
        setattr(struct, name, value)
    return struct


def texts(values: Any) -> tuple[Any, list[Any]]:
    """An array of texts that ends with NULL, and what has to stay alive with it."""
    kept = [ffi.new("char[]", os.fsencode(v)) for v in values]
    return ffi.new("char *[]", kept + [ffi.NULL]), kept


Progress = Callable[[str, float], Any]


class Call:
    """One call of the library with a context, an error and a list of problems of its own.

    Long calls run in a thread, so that the calling thread hears of progress and of Ctrl-C."""

    def __init__(self, progress: Progress | None = None, threads: int | None = None):
        self.error = ffi.new("asif_error *")
        self._heard: tuple[str, float] | None = None
        self._listener = ffi.callback("bool(void *, const char *, double)", self._hear, error=False) if progress else None
        self._progress = progress
        options = new("asif_context_options", threads=threads or len(_processors()), progress_sec=0.1)
        if self._listener:
            options.progress = self._listener
        out = ffi.new("asif_context **")
        self.check(lib.asif_context_create(out, options, self.error))
        self.context = ffi.gc(out[0], lib.asif_context_free)
        problems = ffi.new("asif_problems **")
        self.check(lib.asif_problems_create(problems, self.context, 0, self.error))
        self.list = ffi.gc(problems[0], lib.asif_problems_free)

    def _hear(self, user: Any, what: Any, done: float) -> bool:
        self._heard = string(what), done
        return False

    def problems(self) -> tuple[Problem, ...]:
        found, severity = [], ffi.new("asif_severity *")
        for i in range(lib.asif_problems_count(self.list)):
            e = lib.asif_problems_get(self.list, i, severity)
            problem = Problem(string(e.message), **_fields(e))
            problem.severity = ("error", "warning", "note")[int(severity[0])]
            found.append(problem)
        return tuple(found)

    def check(self, status: int) -> None:
        if status == lib.ASIF_OK:
            return
        if status == lib.ASIF_ENOMEM:
            raise MemoryError("asif: out of memory")
        fields = _fields(self.error)
        fields["status"] = status
        message = string(self.error.message) or string(lib.asif_status_text(status))
        problems = self.problems() if hasattr(self, "list") else ()
        raise _KINDS.get(status, Error)(message, problems=problems, **fields)

    def make(self, kind: str, function: Any, *arguments: Any, free: Any) -> Any:
        """The object that `function` makes, which is freed with its last reference."""
        out = ffi.new(f"{kind} **")
        try:
            self.run(function, out, *arguments)
        except BaseException:
            free(out[0])  # it may have been finished when Ctrl-C came
            raise
        return ffi.gc(out[0], free)

    def text(self, function: Any, *arguments: Any) -> str:
        out = ffi.new("char **")
        try:
            self.run(function, out, *arguments)
            return string(out[0])
        finally:
            lib.asif_memory_free(self.context, out[0])

    def run(self, function: Any, *arguments: Any) -> None:
        """Call a function whose last argument is the error. Without progress and in a short call, the thread would cost more
        than it brings: those functions are called with `check(function(...))`."""
        status: list[int] = []

        def work() -> None:
            status.append(function(*arguments, self.error))

        worker = threading.Thread(target=work, name="asif", daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(0.05)
                self._tell()
        except BaseException:
            # The computation stops at its next report; what it saved stays, so that it can be resumed.
            lib.asif_context_cancel(self.context, True)
            _join(worker)
            lib.asif_context_cancel(self.context, False)
            raise
        self.check(status[0])

    def _tell(self) -> None:
        heard, self._heard = self._heard, None
        if heard and self._progress:
            self._progress(*heard)


def _join(worker: threading.Thread) -> None:
    while worker.is_alive():
        with contextlib.suppress(KeyboardInterrupt):
            worker.join()


def _processors() -> Any:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
