"""The package as it is installed. Tables, fits and answers are compared with the command, which the package carries."""
import datetime
import gc
import io
import json
import math
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

import asif
import numpy
import pytest

SOURCE = pathlib.Path(os.environ["ASIF_SOURCE"])
STUDY = SOURCE / "examples/diag/study.yaml"
DOCTOR = dict(alpha=0.5, beta=1.25, eta=0.001)
QUICK = dict(method="metropolis", chains=2, warmup=60, draws=60, starts=1, answers=False, seed=3)


def command(*words):
    done = subprocess.run([sys.executable, "-m", "asif", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def study():
    return asif.Study(STUDY)


@pytest.fixture(scope="module")
def plan(study):
    return study.plan(DOCTOR)


@pytest.fixture(scope="module")
def csv(plan, tmp_path_factory):
    path = tmp_path_factory.mktemp("logs") / "logs.csv"
    path.write_text(plan.simulate(40, seed=1))
    return path


@pytest.fixture(scope="module")
def fit(study, csv, tmp_path_factory):
    folder = tmp_path_factory.mktemp("fit") / "fit"
    return study.fit(csv, folder, method="ridge", chains=2, draws=200, answers=False)


def frames(csv):
    pandas, polars, arrow = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow.csv"))
    table = pandas.read_csv(csv)
    yield table
    yield table.astype({"action": "category", "observation": "category"})
    yield polars.read_csv(csv)
    yield polars.read_csv(csv).with_columns(polars.col("action").cast(polars.Categorical))
    yield arrow.read_csv(csv)


def tree(study, data, **how):
    return study.logs(data, **how).bytes()


def test_tables_are_the_file(study, csv):
    expected = tree(study, csv)
    for table in frames(csv):
        assert tree(study, table) == expected


def test_dates_and_missing_values(csv):
    """Times that are dates, and cells without a value, are those of the same table as a file."""
    pandas, polars, arrow = (pytest.importorskip(m) for m in ("pandas", "polars", "pyarrow"))
    study = asif.Study(text=STUDY.read_text().replace("logs: {", "logs: {missing: not_seen, "))
    table = pandas.read_csv(csv)
    table.loc[table.index % 7 == 2, "observation"] = None
    table["t"] = [datetime.date(2024, 1, 1) + datetime.timedelta(days=int(t)) for t in table["t"]]
    path = csv.parent / "dates.csv"
    table.to_csv(path, index=False)
    expected = tree(study, path)
    assert expected != tree(study, csv)
    for same in (table, polars.from_pandas(table), arrow.Table.from_pandas(table),
                 table.assign(t=pandas.to_datetime(table["t"])), table.astype({"observation": "category"})):
        assert tree(study, same) == expected


def test_errors_have_a_place(study, csv, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(csv)
    table.loc[3, "action"] = "Monitor"
    with pytest.raises(asif.Error) as caught:
        study.logs(table)
    assert caught.value.row == 4 and "monitor" in caught.value.hint
    check = study.check(table)
    assert not check and [p.row for p in check.problems] == [4]
    with pytest.raises(asif.Error) as caught:
        asif.Study(text="asif: 1\nstats: [a, b]\n")
    assert caught.value.line == 2 and "states" in caught.value.hint
    with pytest.raises(FileNotFoundError):
        study.logs(tmp_path / "none.csv")
    with pytest.raises(asif.Unknown):
        study.plan(DOCTOR, gamma=1)
    with pytest.raises(TypeError):
        study.logs([1, 2])


def test_check_has_the_likelihood(study, csv, plan):
    code, text = command("check", STUDY, csv, "--json", *(f"-p{n}={v}" for n, v in DOCTOR.items()))
    assert code == 0
    check = study.check(csv, values=DOCTOR)
    assert check and check.log_likelihood == pytest.approx(json.loads(text)["log_likelihood"], abs=1e-9)
    assert plan.log_likelihood(csv) == check.log_likelihood


def test_simulate_is_the_command(csv):
    code, text = command("simulate", STUDY, "-n", 40, "--seed", 1, "-q", "-o", "-",
                         *(f"-p{n}={v}" for n, v in DOCTOR.items()))
    assert code == 0 and text == csv.read_text()


def test_fit_leaves_the_files_of_the_command(study, csv, tmp_path):
    how = {"method": "metropolis", "chains": 2, "warmup": 60, "draws": 60, "starts": 1, "seed": 3}
    study.fit(csv, tmp_path / "ours", answers=False, **how)
    code, _ = command("fit", STUDY, csv, "-o", tmp_path / "theirs", "--no-answers", "-q",
                      *(f"--{n}={v}" for n, v in how.items()))
    assert code in (0, 1)
    names = sorted(p.name for p in (tmp_path / "theirs").iterdir())
    assert names == sorted(p.name for p in (tmp_path / "ours").iterdir())
    for name in set(names) - {"run.json", "manifest.json", "fit.json"}:
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name
    ours, theirs = (json.loads((tmp_path / f / "fit.json").read_text()) for f in ("ours", "theirs"))
    assert ours["parameters"] == theirs["parameters"] and ours["key"] == theirs["key"]


def test_questions(fit):
    answer = fit.ask("sensitivity", wrong=(-20, -60), points=3, draws=0)
    rows = [line.split(",") for line in answer.table.splitlines()]
    assert rows[0][:2] == ["varied", "value"] and {row[0] for row in rows[1:]} == {"wrong"}
    assert {float(row[1]) for row in rows[1:]} == {-20, -36, -40, -60}
    assert "wrong" in answer.text and len(answer.data["variations"]) == 1
    assert "sensitivity" in asif.questions() and "points" in asif.help("sensitivity")
    with pytest.raises(asif.Unknown):
        fit.ask("sensitivities")


def test_summary_and_report(fit, tmp_path):
    assert fit.summary() == command("summary", fit.folder)[1]
    html = fit.report(tmp_path / "report.html")
    assert html == (tmp_path / "report.html").read_text() and "</html>" in html
    command("report", fit.folder, "-o", tmp_path / "theirs.html")
    assert len(html) == pytest.approx(len((tmp_path / "theirs.html").read_text()), rel=0.05)


def test_figures(fit):
    altair = pytest.importorskip("altair")
    assert len(fit.figures) >= 4
    for name, chart in fit.figures.items():
        altair.Chart.from_dict(chart.to_dict(validate=True), validate=True)


def test_arviz_agrees(study, csv, tmp_path):
    """ArviZ's own summary of the draws is ours."""
    arviz = pytest.importorskip("arviz")
    fit = study.fit(csv, tmp_path / "fit", **{**QUICK, "draws": 200, "chains": 4})
    data = fit.to_arviz()
    for name, draws in fit.draws.items():
        numbers = fit.data["parameters"][name]
        assert numpy.array_equal(data["posterior"][name].values, draws)
        assert numbers["mean"] == pytest.approx(float(draws.mean()), abs=1e-6)
        assert numbers["sd"] == pytest.approx(float(draws.std(ddof=1)), abs=1e-6)
        for ours, theirs, how in (("rhat", arviz.rhat, {"method": "rank"}), ("ess_bulk", arviz.ess, {"method": "bulk"}),
                                  ("ess_tail", arviz.ess, {"method": "tail", "prob": (0.05, 0.95)})):
            assert numbers[ours] == pytest.approx(float(theirs(draws, **how)), rel=1e-6), (name, ours)
        for at, quantile in ((0.05, "q05"), (0.5, "q50"), (0.95, "q95")):
            assert numbers[quantile] == pytest.approx(float(numpy.quantile(draws, at)), abs=1e-6)
    # Its table, as a notebook would show it, from the draws that the fit wrote. ArviZ 1.x has other tails there.
    table = arviz.summary(asif.Fit(fit.folder).to_arviz(), round_to="none")
    assert list(table.index) == list(fit.draws)
    columns = {"mean": "mean", "sd": "sd", "rhat": "r_hat", "ess_bulk": "ess_bulk"}
    if int(arviz.__version__[0]) < 1:
        columns["ess_tail"] = "ess_tail"
    for ours, theirs in columns.items():
        for name in fit.draws:
            assert fit.data["parameters"][name][ours] == pytest.approx(float(table.loc[name, theirs]), rel=1e-6), (name, ours)
    assert {"lp", "diverging"} <= set(data["sample_stats"].data_vars) and data["log_likelihood"]["decisions"].shape[:2] == (4, 200)


def test_log_likelihood_of_draws(study, fit, csv):
    """At one draw it is that of the agent with these values."""
    by_part = fit.log_likelihood()
    draws = {name: values[1, 7] for name, values in fit.draws.items()}
    agent = study.plan(alpha=math.exp(draws["log_alpha"]), optimism=draws["optimism"], eta=draws["eta"])
    assert by_part[1, 7].sum() == pytest.approx(agent.log_likelihood(csv), abs=1e-7)


def test_likelihoods_at_once(study, csv):
    """Many agents at once are those agents one by one, in any shape; a fixed parameter is not among the names."""
    logs = study.logs(csv)
    whole = study.likelihood(logs)
    assert whole.names == ["alpha", "optimism", "eta"]
    optimism = numpy.linspace(-1.5, 2, 35).reshape(5, 7)
    many = whole(alpha=0.6, optimism=optimism, eta=0.01)
    assert many.shape == (5, 7)
    for i, j in ((0, 0), (2, 3), (4, 6)):
        agent = study.plan(alpha=0.6, optimism=optimism[i, j], eta=0.01)
        assert many[i, j] == pytest.approx(agent.log_likelihood(logs), abs=1e-6)
    two = study.likelihood(csv, values={"optimism": 0.8})
    assert two.names == ["alpha", "eta"]
    assert two(alpha=0.6, eta=0.01) == pytest.approx(study.plan(alpha=0.6, optimism=0.8, eta=0.01).log_likelihood(logs), abs=1e-6)
    with pytest.raises(TypeError):
        two(alpha=0.6)
    with pytest.raises(ValueError):
        two(alpha=-0.6, eta=0.01)
    with pytest.raises(asif.Error):
        study.likelihood(logs, values=DOCTOR)


def test_progress_that_raises(study, csv, tmp_path):
    class Mine(Exception):
        pass

    def progress(what, done):
        raise Mine(what)

    before = threading.active_count()
    with pytest.raises(Mine):
        study.fit(csv, tmp_path / "fit", method="nuts", chains=2, draws=5000, answers=False, progress=progress)
    assert threading.active_count() == before
    # The same call without it goes on, to what it would have been.
    with pytest.raises(Mine):
        study.fit(csv, tmp_path / "stopped", **QUICK, progress=progress)
    for name in ("stopped", "whole"):
        assert study.fit(csv, tmp_path / name, **QUICK).draws["eta"].shape == (2, 60)
    assert result(tmp_path / "stopped") == result(tmp_path / "whole")


def result(folder):
    """What a fit consists of: all but when and how long it was computed."""
    names = {"fit.json", "logs.tree", "study.yaml", "chain-1.csv", "chain-2.csv"}
    assert names <= {path.name for path in folder.iterdir()}
    return {name: (folder / name).read_bytes() for name in names}


def fitting(folder, csv, draws):
    """A process that fits, which Ctrl-C stops also where it is ignored here."""
    script = (f"import asif\nasif.Study({str(STUDY)!r}).fit({str(csv)!r}, {str(folder)!r}, method='metropolis', chains=2, "
              f"warmup=200, draws={draws}, starts=1, answers=False, checkpoint=0.05)\n")
    return subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


def stopped(folder, csv, draws):
    """Ctrl-C once draws are kept. Whether the fit was stopped, and had not ended before."""
    process = fitting(folder, csv, draws)
    while process.poll() is None and not list(folder.rglob("checkpoint-*")):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    if (folder / "fit.json").exists():
        return False
    assert "KeyboardInterrupt" in said and process.returncode != 0 and list(folder.rglob("checkpoint-*"))
    return True


def test_interrupt_is_resumed(csv, tmp_path):
    """Ctrl-C in the middle of a fit: what was drawn is kept, and the draws are those of an undisturbed fit. Where a machine is
    done before it is stopped, there are more draws."""
    draws = next(n for n in (1500 * 3**i for i in range(6)) if stopped(tmp_path / str(n), csv, n))
    for folder in (tmp_path / str(draws), tmp_path / "whole"):
        assert fitting(folder, csv, draws).wait() == 0
    assert result(tmp_path / str(draws)) == result(tmp_path / "whole")


def test_threads_fit_at_the_same_time(study, csv, tmp_path):
    fits = [None] * 4

    def work(i):
        fits[i] = study.fit(csv, tmp_path / str(i), **QUICK)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in fits[1:]:
        assert numpy.array_equal(fits[0].draws["eta"], other.draws["eta"])


def test_fork(study, csv, plan, tmp_path):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            good = study.fit(csv, tmp_path / "child", **QUICK).draws["eta"].shape == (2, 60)
            code = 0 if good and plan.policy([0.5, 0.5]).sum() > 0.99 else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def resident():
    """Bytes of this process that are in memory, where the system says."""
    place = pathlib.Path("/proc/self/statm")
    return int(place.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") if place.exists() else 0


def use(thing):
    if isinstance(thing, asif.Plan):
        assert thing.policy([0.5, 0.5]).sum() == pytest.approx(1)
    elif isinstance(thing, asif.Study):
        assert len(thing.states) == 2
    elif isinstance(thing, asif.Likelihood):
        assert thing(alpha=0.5, optimism=0.8) < 0
    elif isinstance(thing, asif.Fit):
        assert thing.draws["optimism"].shape == (2, 200)
    else:
        assert thing.bytes().startswith(b"asif")


def test_objects_are_freed_in_any_order(csv, fit):
    """What is left can be used, and at the end nothing is: memory does not grow."""
    order, early = random.Random(1), 0
    text = STUDY.read_text().replace("resolution: 100", "resolution: 4")
    assert text != STUDY.read_text()
    for i in range(1000):
        study = asif.Study(text=text)
        objects = [study, study.plan(DOCTOR), study.logs(csv), asif.Fit(fit.folder)]
        objects.append(study.likelihood(objects[2], values={"eta": 0.001}))
        study = None
        order.shuffle(objects)
        while objects:
            objects.pop()
            if objects:
                use(order.choice(objects))
        if i == 300:
            gc.collect()
            early = resident()
    gc.collect()
    assert resident() - early < 10e6


def test_policy_shapes(plan):
    assert plan.actions == ["declare_healthy", "declare_diseased", "monitor"] and plan.converged
    many = plan.policy(numpy.full((2, 5, 2), 0.5))
    assert many.shape == (2, 5, 3) and numpy.allclose(many.sum(axis=-1), 1)
    assert numpy.allclose(many[1, 3], plan.policy([0.5, 0.5]))
    assert plan.value([0.5, 0.5]) == pytest.approx(4.680, abs=5e-4)  # of the README
    with pytest.raises(ValueError):
        plan.policy([1, 2, 3])


def test_a_frame_of_the_readme(study, csv, tmp_path):
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(io.StringIO(csv.read_text()))
    fit = study.fit(table, tmp_path / "fit", **QUICK)
    assert "WHAT THEY DO" in fit.summary() and asif.Fit(tmp_path / "fit").data == fit.data
