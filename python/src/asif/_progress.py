"""Progress on a terminal or in a notebook."""
from __future__ import annotations

import sys
from typing import Any

from ._library import Progress


def _line(what: str, done: float) -> str:
    return f"{what} {100 * done:.0f} %" if done >= 0 else what


class _Terminal:
    def __call__(self, what: str, done: float) -> None:
        sys.stderr.write(f"\r{_line(what, done)}\033[K")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class _Notebook:
    def __init__(self) -> None:
        from IPython.display import display  # type: ignore[import-not-found]
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def __call__(self, what: str, done: float) -> None:
        bar = f'<progress value="{max(done, 0)}" max="1"></progress> ' if done >= 0 else ""
        self._handle.update({"text/plain": _line(what, done), "text/html": bar + _line(what, done)}, raw=True)

    def close(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    current: Any = shell.get_ipython() if shell else None
    return current is not None and hasattr(current, "kernel")


class Shown:
    """A context manager that gives the function to call: the user's, one that shows a line, or None."""

    def __init__(self, progress: Progress | bool | None):
        self._mine: Any = None
        if callable(progress):
            self.function: Progress | None = progress
        elif progress is False:
            self.function = None
        elif _in_notebook():
            self.function = self._mine = _Notebook()
        elif progress or sys.stderr.isatty():
            self.function = self._mine = _Terminal()
        else:
            self.function = None

    def __enter__(self) -> Progress | None:
        return self.function

    def __exit__(self, *error: Any) -> None:
        if self._mine:
            self._mine.close()
