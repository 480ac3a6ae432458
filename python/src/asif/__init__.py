"""asif: what would people have to want, know and believe to act as they did?

    study = asif.Study("study.yaml")
    fit = study.fit(table)           # a pandas, polars or pyarrow table, or the path of a CSV file
    print(fit.summary())
    fit.report("report.html")
"""
from ._fit import Answer, Fit
from ._library import Cancelled, Error, NotFound, Problem, Unknown, lib, string
from ._likelihood import Likelihood
from ._logs import Logs
from ._plan import Plan
from ._study import Check, Study

__version__ = string(lib.asif_version())
__all__ = ["Answer", "Cancelled", "Check", "Error", "Fit", "Likelihood", "Logs", "NotFound", "Plan", "Problem", "Study",
           "Unknown", "help", "questions"]


def questions() -> dict[str, str]:
    """The questions that Fit.ask() takes, each with its summary."""
    found: dict[str, str] = {}
    while info := lib.asif_question(len(found)):
        found[string(info.name)] = string(info.summary)
    return found


def help(question: str) -> str:
    """What a question means, and its options: the text of `asif help QUESTION`."""
    info = lib.asif_question_named(question.encode())
    if not info:
        raise Unknown(f"there is no question {question!r}", hint=f"questions are {', '.join(questions())}")
    lines, i = [f"{question}: {string(info.summary)}", "", string(info.about), "", "Options:"], 0
    while info.option[i].name:
        lines.append(f"  {string(info.option[i].name).replace('-', '_')}: {string(info.option[i].help)}")
        i += 1
    return "\n".join(lines)
