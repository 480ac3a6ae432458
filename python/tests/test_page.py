"""docs/howto/python.md, word for word: from a pandas data frame to a report, draws, figures, questions, plans and simulations."""
import os
import pathlib
import re

import asif
import pytest

SOURCE = pathlib.Path(os.environ["ASIF_SOURCE"])


def test_the_page(tmp_path, monkeypatch):
    for name in ("pandas", "arviz", "altair"):
        pytest.importorskip(name)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(SOURCE / "examples")
    logs = asif.Study("examples/diag/study.yaml").simulate(alpha=0.5, optimism=0.8, eta=0.001, episodes=500, seed=2)
    (tmp_path / "logs.csv").write_text(logs)
    blocks = re.findall(r"^```python\n(.*?)^```", (SOURCE / "docs/howto/python.md").read_text(), re.M | re.S)
    assert len(blocks) == 3
    names = {}
    for block in blocks:
        exec(compile(block, "python.md", "exec"), names)
    fit = names["fit"]
    assert fit.trusted and (tmp_path / "report.html").stat().st_size > 1e5
    assert fit.draws["optimism"].ndim == 2 and "optimism" in names["data"]["posterior"]
    # The agent that made the logs is in what is found.
    numbers = fit.data["parameters"]["optimism"]
    assert numbers["q05"] - 0.5 < 0.8 < numbers["q95"] + 0.5
    assert names["csv"].count("\n") > 1000
