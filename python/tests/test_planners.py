"""A fit of each class of planner: what ArviZ plots of it, and its figures as Altair draws them."""
import os
import pathlib
import re

import asif
import pytest

arviz, matplotlib, altair, convert = (pytest.importorskip(m) for m in ("arviz", "matplotlib", "altair", "vl_convert"))
PLANNERS = pathlib.Path(os.environ["ASIF_SOURCE"]) / "examples/planners"
# What each example leaves open here (a line of its study, or the end of the file, and what replaces it), and the values of who made
# the logs.
OPEN = {
    "belief-aware": ("sure: 5", "sure: {learn: normal(5, 3), standard: 5}\n    act_alpha: 1", {"sure": 5}),
    "bounded-rational": ("alpha: 0.5\n    beta: 1.25", "alpha: learn\n    optimism: learn", {"alpha": 0.5, "optimism": 0.8}),
    "decision-boundaries": ("alpha: 0.1", "alpha: learn", {"alpha": 0.1}),
    "decision-rule": ("sure: 1", "sure: {learn: normal(0, 5), standard: 1}", {"sure": 1}),
    "differentiable": ("cost: -2", "cost: {learn: normal(-2, 2), standard: -2}", {"cost": -2}),
    "kl-regularized": ("alpha: 1", "alpha: learn", {"alpha": 1}),
    "maximum-entropy": ("alpha: 1", "alpha: learn", {"alpha": 1}),
    "model-based-mdp": ("act_alpha: 0.5", "act_alpha: learn", {"act_alpha": 0.5}),
    "model-based-pomdp": ("\nsolver:", "  parameters:\n    act_alpha: learn\n\nsolver:", {"act_alpha": 2}),
    "q-learning": ("act_alpha: 0.5", "act_alpha: learn", {"act_alpha": 0.5}),
    "recurrent": ("planner: recurrent\n", "planner: recurrent\n  parameters:\n    alpha: learn\n", {"alpha": 1}),
}


@pytest.fixture(scope="module", params=sorted(OPEN))
def fit(request, tmp_path_factory):
    line, opened, values = OPEN[request.param]
    text = (PLANNERS / f"{request.param}.yaml").read_text()
    assert text.count(line) == 1
    folder = tmp_path_factory.mktemp(request.param)
    # The fit keeps copies of files in the study's folder, not of those beside it.
    (folder / "tiger.pomdp").write_text((PLANNERS.parent / "tiger/tiger.pomdp").read_text())
    text = text.replace("../tiger/", "")
    path = folder / "study.yaml"
    # Learners need less practice here than to act well, and do so anew for every draw.
    path.write_text(re.sub(r"samples: \d+", "samples: 10240", text.replace(line, opened)))
    study = asif.Study(path)
    logs = folder / "logs.csv"
    logs.write_text(study.simulate(values, episodes=30, seed=1, max_steps=10))
    steps = 20 if request.param == "recurrent" else 100
    return study.fit(logs, method="metropolis", chains=2, warmup=steps, draws=steps, starts=1, answers=False, sensitivity=False, seed=1)


def test_every_planner_has_an_example():
    assert set(OPEN) == {path.stem for path in PLANNERS.glob("*.yaml")}


def test_arviz_plots(fit):
    matplotlib.use("agg")
    from matplotlib import pyplot
    data, chosen = fit.to_arviz(), {"backend": "matplotlib"} if int(arviz.__version__[0]) >= 1 else {}
    names = ["plot_trace", "plot_forest", "plot_autocorr", "plot_rank", "plot_ess", "plot_energy"]
    names += ["plot_dist", "plot_trace_dist", "plot_ess_evolution"] if chosen else ["plot_posterior", "plot_density", "plot_mcse"]
    for name in names:
        assert getattr(arviz, name)(data, **chosen) is not None, name
        pyplot.close("all")
    assert arviz.summary(data).shape[0] == len(fit.draws)
    assert float(arviz.loo(data, var_name="decisions").elpd if chosen else arviz.loo(data).elpd_loo) < 0


def test_altair_draws(fit):
    figures = fit.figures
    assert len(figures) >= 3
    for name, chart in figures.items():
        spec = chart.to_dict(validate=True)
        assert altair.Chart.from_dict(spec, validate=True) is not None
        svg = convert.vegalite_to_svg(spec)
        assert svg.startswith("<svg") and svg.count("<path") > 5, name
