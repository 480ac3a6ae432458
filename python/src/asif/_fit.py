"""Finished fits: their numbers, draws, figures, reports, and questions about them."""
from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._library import Call, Error, Progress, ffi, lib, new, string, texts
from ._progress import Shown

if TYPE_CHECKING:
    import numpy as np

_STATS = ("lp", "acceptance_rate", "step_size", "tree_depth", "n_steps", "diverging", "energy")


class Answer:
    """An answer to a question: `text` for people, `data` for programs, and `table` (CSV) where the question has one."""

    def __init__(self, text: str, data: Any, table: str | None):
        self.text, self.data, self.table = text, data, table

    def __repr__(self) -> str:
        return self.text


class Fit:
    """A finished fit in its folder, as `asif fit` or `Study.fit` wrote it."""

    def __init__(self, folder: str | os.PathLike[str], *, _temporary: Any = None):
        self.folder, self._temporary = os.fspath(folder), _temporary
        call = Call()
        self._result = call.make("asif_result", lib.asif_result_load, call.context, os.fsencode(self.folder), call.list,
                                 free=lib.asif_result_free)
        self._array = ffi.new("asif_result *[]", [self._result])
        self._view = new("asif_result_view")
        call.check(lib.asif_result_get(self._result, self._view, call.error))
        self.data: dict[str, Any] = json.loads(ffi.buffer(self._view.json, self._view.length)[:])

    @property
    def title(self) -> str:
        return string(self._view.title)

    @property
    def trusted(self) -> bool:
        """Whether the computation can be trusted."""
        return bool(self._view.trusted)

    def summary(self, width: int = 80) -> str:
        """What they do, as if why, and what the logs cannot tell: what `asif summary` prints."""
        call = Call()
        return call.text(lib.asif_report_summary, ffi.NULL, call.context, self._view.json, self._view.length,
                         b"fit.json", new("asif_report_options", unicode=True, width=width))

    def _draws(self) -> Any:
        draws = self._view.fitted.draws
        if not draws:
            raise Error("this fit has no draws", hint="fit it with method='auto', 'ridge', 'nuts' or 'metropolis'")
        view, call = new("asif_draws_view"), Call()
        call.check(lib.asif_draws_get(draws, view, call.error))
        return view

    @property
    def draws(self) -> "dict[str, np.ndarray]":
        """Draws of each number, [chains, draws]."""
        view = self._draws()
        return dict(zip((string(view.name[i]) for i in range(view.columns)), _blocks(view.value, view.columns, view)))

    @property
    def sample_stats(self) -> "dict[str, np.ndarray]":
        """Statistics of the sampler for each draw, under ArviZ's names."""
        view = self._draws()
        stats = dict(zip(_STATS, _blocks(view.stat, len(_STATS), view)))
        stats["diverging"] = stats["diverging"] != 0
        return stats

    def log_likelihood(self) -> "np.ndarray":
        """Log-likelihood of the logs at each draw, [chains, draws, units]: by subject or episode, where the fit kept them,
        else by history. Solves once for every draw."""
        import numpy

        view, call, fitted = self._draws(), Call(), self._view.fitted
        tree = new("asif_tree_view")
        call.check(lib.asif_tree_get(fitted.tree, tree, call.error))
        out = numpy.empty((view.chains, view.draws, tree.units or tree.nodes))
        total, theta = ffi.new("double *"), ffi.new("asif_theta **")
        call.check(lib.asif_theta_copy(theta, fitted.given, call.error))
        theta = ffi.gc(theta[0], lib.asif_theta_free)
        work = call.make("asif_work", lib.asif_work_clone, fitted.work, free=lib.asif_work_free)
        place = [(self._setter(i, theta, call), values) for i, values in enumerate(self.draws.values())]
        for chain in range(view.chains):
            for draw in range(view.draws):
                for put, values in place:
                    put(values[chain, draw])
                call.check(lib.asif_solve(work, theta, ffi.NULL, call.error))
                row = ffi.from_buffer("double[]", out[chain, draw])
                options = new("asif_loglik_options", **{"by_unit" if tree.units else "by_node": row})
                call.check(lib.asif_loglik(total, lib.asif_work_behavior(work), fitted.tree, options, call.error))
        return out if tree.units else out[..., out.any(axis=(0, 1))]

    def _setter(self, i: int, theta: Any, call: Call) -> Any:
        info = lib.asif_estimates_get(self._view.fitted.estimates, i)
        if info.label:
            raise Error(f"`{string(info.name)}` is a part of a distribution, whose log-likelihoods are not available here",
                        hint="to_arviz(log_likelihood=False) leaves them out; `asif compare -o DIR` writes them")
        logged = lib.asif_parameter_in_logs(info.parameter)
        negative = logged and self._negative(string(info.parameter))

        def put(value: float) -> None:
            number = math.exp(value) if logged else value
            if negative:
                number = -number
            call.check(lib.asif_theta_set(theta, info.parameter, number, call.error))

        return put

    def _negative(self, name: str) -> bool:
        fitted = self._view.fitted
        return any(fitted.spec[i].negative for i in range(fitted.specs) if string(fitted.spec[i].name) == name)

    def to_arviz(self, *, log_likelihood: bool = True) -> Any:
        """The draws for ArviZ: an InferenceData (0.x) or a DataTree (1.x), with sample_stats and log_likelihood(), which
        solves once for every draw."""
        import arviz

        groups: dict[str, Any] = {"posterior": self.draws, "sample_stats": self.sample_stats}
        if log_likelihood:
            groups["log_likelihood"] = {"decisions": self.log_likelihood()}
        if int(arviz.__version__.split(".")[0]) >= 1:
            return arviz.from_dict(groups)
        return arviz.from_dict(**groups)

    def _page(self) -> Any:
        return new("asif_page_request", result=self._array, results=1)

    def _figures(self, call: Call) -> Any:
        return call.make("asif_figures", lib.asif_figures_make, call.context, self._page(), free=lib.asif_figures_free)

    @property
    def specs(self) -> dict[str, dict[str, Any]]:
        """Vega-Lite specifications of the figures, by name."""
        call = Call()
        figures, found = self._figures(call), {}
        for i in range(lib.asif_figures_count(figures)):
            view = new("asif_figure_view")
            call.check(lib.asif_figures_get(figures, i, view, call.error))
            found[string(view.name)] = json.loads(ffi.buffer(view.json, view.length)[:])
        return found

    @property
    def figures(self) -> dict[str, Any]:
        """The figures as Altair charts, by name."""
        import altair

        return {name: altair.Chart.from_dict(spec) for name, spec in self.specs.items()}

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report, one HTML page that needs nothing else; written to `path` if there is one."""
        call = Call()
        made, length = ffi.new("char **"), ffi.new("uint64_t *")
        request = self._page()
        status = lib.asif_fit_read(made, length, call.context, os.fsencode(self.folder), b"run.json", call.error)
        if status != lib.ASIF_ENOFILE:
            call.check(status)
        kept = ffi.gc(made[0], lambda text: lib.asif_memory_free(call.context, text))
        request.made = made
        html = call.text(lib.asif_page_make, call.context, request, self._figures(call))
        del kept
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(html)
        return html

    def ask(self, question: str, *, progress: Progress | bool | None = None, threads: int | None = None,
            **options: Any) -> Answer:
        """Ask a question about the fit; asif.help(question) describes it and its options. Options are named as flags of the
        command, with `_` for `-`. For `sensitivity`, `wrong=(-20, -60)` varies the assumption `wrong` in this range."""
        return ask(question, [self.folder], [self._result], progress, threads, options)

    def __repr__(self) -> str:
        return f"<asif.Fit {self.title!r} in {self.folder}{'' if self.trusted else ', not trusted'}>"


def _blocks(data: Any, columns: int, view: Any) -> Any:
    import numpy

    size = columns * view.chains * view.draws
    copied = numpy.frombuffer(ffi.buffer(data, size * 8), dtype=float).copy()
    return copied.reshape(columns, view.chains, view.draws)


def _text(value: Any) -> str:
    return "true" if value is True else str(value)


def _given(question: str, options: dict[str, Any]) -> Iterable[tuple[str, str]]:
    info = lib.asif_question_named(question.encode())
    known, i = set(), 0
    while info and info.option[i].name:
        known.add(string(info.option[i].name))
        i += 1
    for name, value in options.items():
        flag = name.replace("_", "-")
        if flag not in known and "vary" in known:
            flag, value = "vary", name if value is True else f"{name}={value[0]}:{value[1]}"
        if value is None or value is False:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            yield flag, _text(one)


def ask(question: str, operands: list[str], results: list[Any], progress: Progress | bool | None, threads: int | None,
        options: dict[str, Any]) -> Answer:
    names, kept = texts(operands)
    pairs = list(_given(question, options))
    given = ffi.new("asif_given[]", max(len(pairs), 1))
    held = []
    for i, pair in enumerate(pairs):
        held.append([ffi.new("char[]", part.encode()) for part in pair])
        given[i].name, given[i].value = held[-1]
    read = ffi.new("asif_result *[]", results)
    asked = new("asif_asked", operand=names, operands=len(operands), given=given, givens=len(pairs), result=read)
    with Shown(progress) as shown:
        call = Call(shown, threads)
        answer = call.make("asif_answer", lib.asif_ask, call.context, question.encode(), asked, call.list,
                           free=lib.asif_answer_free)
    report = new("asif_report_options", unicode=True)
    table = ffi.new("char **")
    has = lib.asif_answer_table(table, answer, call.error) == lib.ASIF_OK and table[0]
    csv = string(table[0]) if has else None
    lib.asif_memory_free(call.context, table[0])
    return Answer(call.text(lib.asif_answer_text, answer, report), json.loads(call.text(lib.asif_answer_json, answer)), csv)
