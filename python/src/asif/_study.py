"""Studies: a decision problem and an agent, from a study file or its text."""
from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

from ._fit import Fit
from ._library import Call, Error, Problem, Progress, ffi, lib, new, string, texts
from ._likelihood import Likelihood
from ._logs import Logs, pairs
from ._plan import Plan
from ._progress import Shown

_METHODS = ("auto", "ridge", "nuts", "metropolis", "map", "ml", "published")


class Check:
    """What `Study.check` found: `ok`, `problems`, a description of the study or logs as `text`, and the log-likelihood where
    every parameter has a value (else None). Its truth value is `ok`."""

    def __init__(self, problems: tuple[Problem, ...], text: str, log_likelihood: float | None):
        self.problems, self.text, self.log_likelihood = problems, text, log_likelihood
        self.ok = not any(p.severity == "error" for p in problems)

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        return "\n".join([self.text] + [f"{p.severity}: {p}" for p in self.problems])


class Study:
    """A study, from a file or, as `Study(text=...)`, from its YAML. Immutable; threads may share it."""

    def __init__(self, path: str | os.PathLike[str] | None = None, *, text: str | None = None):
        if (path is None) == (text is None):
            raise TypeError("a study is made from a path, or from text=")
        call = Call()
        self.path = None if path is None else os.fspath(path)
        if text is None:
            with open(path, "rb") as file:  # type: ignore[arg-type]
                data = file.read()
        else:
            data = text.encode()
        name = ffi.NULL if path is None else os.fsencode(self.path or "")
        arguments = (call.context, data, len(data), name, call.list)
        # Dynamics of hidden states may be left to a fit; those of states that are seen may not.
        study = call.make("asif_study", lib.asif_study_read_unlearnt, *arguments, free=lib.asif_study_free)
        if lib.asif_study_part(study, 0):
            study = call.make("asif_study", lib.asif_study_read, *arguments, free=lib.asif_study_free)
        self._study, self.problems = study, call.problems()

    @property
    def title(self) -> str:
        return string(lib.asif_study_title(self._study))

    @property
    def text(self) -> str:
        """The YAML of the study."""
        length = ffi.new("uint64_t *")
        return ffi.buffer(lib.asif_study_text(self._study, length), length[0])[:].decode()

    @property
    def states(self) -> list[str]:
        setting = lib.asif_study_setting(self._study)
        return self._labels(lib.ASIF_LABEL_STATE, lib.asif_setting_count(setting, lib.ASIF_LABEL_STATE))

    def _labels(self, kind: int, count: int) -> list[str]:
        setting, room = lib.asif_study_setting(self._study), ffi.new("char[256]")
        return [string(lib.asif_setting_label(setting, kind, i, room)) for i in range(count)]

    def _values(self, call: Call, values: Mapping[str, Any] | None) -> Any:
        array, kept, count = pairs(values)
        theta = ffi.new("asif_theta **")
        call.check(lib.asif_study_values(theta, self._study, array, count, call.error))
        return ffi.gc(theta[0], lib.asif_theta_free)

    def logs(self, data: Any, *, map: Mapping[str, str] | None = None, where: Iterable[str] = ()) -> Logs:
        """Read logs once, for several calls: a path, or a pandas, polars or pyarrow table. `map` gives columns to roles
        ({"action": "treatment"}), and `where` selects episodes ("hospital=A,B")."""
        return Logs(Call(), self._study, data, map=map, where=where)

    def check(self, data: Any = None, *, values: Mapping[str, Any] | None = None, map: Mapping[str, str] | None = None,
              where: Iterable[str] = ()) -> Check:
        """Check the study, and logs against it, as `asif check` does. Problems are in the result, and raise nothing."""
        call, total = Call(), None
        options = new("asif_report_options")
        if data is None:
            return Check(self.problems, call.text(lib.asif_report_study, call.context, self._study, options), None)
        try:
            logs = Logs(call, self._study, data, map=map, where=where)
        except Error as error:
            return Check(call.problems() or (Problem(error.message, hint=error.hint, file=error.file, status=error.status),),
                         "", None)
        try:
            plan = Plan(self, values or {})
        except Error as error:
            if error.status != lib.ASIF_EUNSET:
                raise
        else:
            number = ffi.new("double *")
            call.check(lib.asif_logs_judge(number, plan._behavior, logs.tree, os.fsencode(logs.path or "data frame"),
                                           call.list, call.error))
            total = number[0]
        request = new("asif_logs_request", tree=logs.tree)
        return Check(self.problems + call.problems(),
                     call.text(lib.asif_report_logs, call.context, request, options), total)

    def plan(self, values: Mapping[str, Any] | None = None, *, resolution: int | None = None, **more: Any) -> Plan:
        """Solve for the agent with these values of the parameters that the study leaves open: plan(alpha=0.5)."""
        return Plan(self, {**(values or {}), **more}, resolution=resolution)

    def likelihood(self, logs: Any, *, values: Mapping[str, Any] | None = None) -> Likelihood:
        """The log-likelihood of logs (of logs(), or anything that it takes) as a function of all open parameters, for many of
        their values at once: likelihood(logs)(alpha=0.5, optimism=numpy.linspace(-2, 2, 100)). `values` fixes some of them."""
        return Likelihood(self, logs if isinstance(logs, Logs) else self.logs(logs), values or {})

    def simulate(self, values: Mapping[str, Any] | None = None, *, episodes: int = 1000, seed: int = 0,
                 max_steps: int = 1000, **more: Any) -> str:
        """Simulate the agent in the environment: logs as CSV, for pandas.read_csv(io.StringIO(...))."""
        return self.plan(values, **more).simulate(episodes, seed=seed, max_steps=max_steps)

    def fit(self, data: Any, output: str | os.PathLike[str] | None = None, *, method: str | None = None,
            values: Mapping[str, Any] | None = None, map: Mapping[str, str] | None = None, where: Iterable[str] = (),
            seed: int = 0, chains: int | None = None, warmup: int | None = None, draws: int | None = None,
            starts: int | None = None, target_accept: float | None = None, checkpoint: float | None = None,
            sensitivity: bool = True, answers: bool = True, threads: int | None = None, force: bool = False,
            progress: Progress | bool | None = None) -> Fit:
        """Estimate everything that the study marks `learn`, as `asif fit` does, with the same files.

        `output` is the folder of the fit; without one, it is temporary, and goes with the fit. A fit that was interrupted (by
        Ctrl-C, too) is resumed by the same call. `progress` is called with what is being done and the fraction of it
        (-1: not known); False shows none."""
        with Shown(progress) as shown:
            call = Call(shown, threads)
            return self._fit(call, data, output, method, values, map, where, dict(
                seed=seed, chains=chains, warmup=warmup, draws=draws, target_accept=target_accept,
                checkpoint_sec=checkpoint), starts, not sensitivity, not answers, force)

    def _fit(self, call: Call, data: Any, output: Any, method: str | None, values: Any, map: Any, where: Iterable[str],
             sample: dict[str, Any], starts: int | None, no_sensitivity: bool, no_answers: bool, force: bool) -> Fit:
        inverse = lib.asif_inverse_named(lib.asif_study_inverse(self._study))
        how = _how(method or ("auto" if inverse.likelihood else "ml"), sample, starts)
        helper = lib.asif_helper_column(inverse.helper, lib.asif_study_asked(self._study))
        episodes = inverse.helper != lib.ASIF_HELPER_NONE
        listed = [where] if isinstance(where, str) else list(where)
        logs = Logs(call, self._study, data, units=2 if episodes else 0, subjects=not episodes,
                    columns=[string(helper)] if helper else [], map=map, where=listed)
        people = ffi.new("char[]", 65)
        if episodes:
            columns, kept = texts([string(helper)] if helper else [])
            tree = call.make("asif_tree", lib.asif_tree_select_units, logs.tree, ffi.NULL, columns, True,
                             free=lib.asif_tree_free)
        else:
            tree = call.make("asif_tree", lib.asif_tree_by_subject, logs.tree, ffi.NULL, people, free=lib.asif_tree_free)
        given = self._values(call, values)
        saved = logs.path is not None and lib.asif_tree_recognise(os.fsencode(logs.path))
        request = new("asif_fit_request", study=self._study, logs=tree, given=given, how=how, people=people,
                      no_sensitivity=no_sensitivity, no_answers=no_answers, where=logs.where,
                      map=ffi.NULL if saved else logs.map)
        temporary = tempfile.TemporaryDirectory(prefix="asif-") if output is None else None
        path = os.fspath(output if temporary is None else os.path.join(temporary.name, "fit"))
        self._run(call, request, path, force, logs)
        return Fit(path, _temporary=temporary)

    def _run(self, call: Call, request: Any, path: str, force: bool, logs: Logs) -> None:
        opened = ffi.new("asif_folder **")
        call.check(lib.asif_fit_open(opened, call.context, request, os.fsencode(path), force, call.error))
        try:
            view = new("asif_folder_view")
            call.check(lib.asif_folder_get(opened[0], view, call.error))
            if view.finished:  # the same fit, which needs no computation
                return
            fit = call.make("asif_whole_fit", lib.asif_fit_run, call.context, request, opened[0],
                            free=lib.asif_whole_fit_free)
            words, kept = texts(["asif.Study.fit"])
            names = [ffi.new("char[]", os.fsencode(n)) if n else ffi.NULL for n in (self.path, logs.path)]
            origin = new("asif_fit_origin", word=words, words=1, study=names[0], logs=names[1])
            call.check(lib.asif_fit_save(fit, opened[0], origin, call.error))
        finally:
            lib.asif_folder_close(opened[0])

    def __repr__(self) -> str:
        return f"<asif.Study {self.title!r}>"


def _how(method: str, sample: dict[str, Any], starts: int | None) -> Any:
    number = {string(lib.asif_fit_method_text(i)): i for i in range(len(_METHODS))}
    if method not in number:
        raise ValueError(f"there is no method {method!r}: methods are {', '.join(_METHODS)}")
    how = ffi.new("asif_fit_options *")
    lib.asif_fit_defaults(how, number[method])
    for name, value in sample.items():
        if value is not None:
            setattr(how.sample, name, value)
    if sample["warmup"] is not None:
        how.short_warmup = 0
    if starts is not None:
        how.starts = starts
    return how
