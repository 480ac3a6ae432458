"""Log-likelihoods of the oracle's three sets of logs: its numbers, and the same bits by every road to the tree."""
import csv
import ctypes
import random

from common import Checks, Folder, np, oracle_file, os, source
from library import Engine, LogsOptions, pointer

checks = Checks("log-likelihood")
facts = oracle_file("logs_facts.json")
oracle = os.environ["ASIF_ORACLE"]
study = source("examples", "diag", "study.yaml")


class LeftOut(ctypes.Structure):
    _fields_ = [("rule", ctypes.c_int), ("column", ctypes.c_char * 64), ("rows", ctypes.c_uint64), ("episodes", ctypes.c_uint64)]


class LogsInfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("rows", "excluded", "subjects", "episodes", "decisions")] + [
        ("weight", ctypes.c_double),
        ("nodes", ctypes.c_uint64),
        ("longest", ctypes.c_uint64),
        ("sorted", ctypes.c_bool),
        ("states_seen", ctypes.c_bool),
        ("rules", ctypes.c_uint32),
        ("left_out", LeftOut * 16),
    ]


class LoglikOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t)] + [(n, ctypes.c_void_p) for n in ("count", "by_node", "by_unit")]


def read(engine, path, units=0):
    tree, info = ctypes.c_void_p(), LogsInfo()
    setting = engine.lib.asif_study_setting(engine.study)
    options = LogsOptions(ctypes.sizeof(LogsOptions), None, setting, units, None, b"\0")
    engine.call("asif_logs_read", ctypes.byref(tree), engine.context, path.encode(), ctypes.byref(options),
                ctypes.byref(info), None)
    return tree, info


def loglik(engine, tree, by_node=None, by_unit=None):
    total = ctypes.c_double()
    options = LoglikOptions(ctypes.sizeof(LoglikOptions), None, pointer(by_node), pointer(by_unit))
    engine.call("asif_loglik", ctypes.byref(total), engine.behavior, tree, ctypes.byref(options))
    return total.value


one, two = Engine(study, threads=1), Engine(study, threads=2)
folder = Folder()
for name, agent in facts["agents"].items():
    path = os.path.join(oracle, "logs_%s.csv" % name)
    with open(path) as f:
        header, *rows = list(csv.reader(f))

    def write(which, file):
        made = folder.file(file)
        with open(made, "w", newline="") as f:
            csv.writer(f).writerows([header] + which)
        return made

    shuffled = rows[:]
    random.Random(5).shuffle(shuffled)
    half = sorted({row[0] for row in rows}, key=int)[::2]
    chosen = set(half)
    trees = {"csv": read(one, path)[0], "shuffled": read(one, write(shuffled, "shuffled.csv"))[0]}
    merged, saved = ctypes.c_void_p(), ctypes.c_void_p()
    a = read(one, write([r for r in rows if r[0] in chosen], "a.csv"))[0]
    b = read(one, write([r for r in rows if r[0] not in chosen], "b.csv"))[0]
    one.call("asif_tree_merge", ctypes.byref(merged), a, b)
    trees["merged"] = merged
    file = folder.file("saved.tree")
    one.call("asif_tree_save", trees["csv"], file.encode())
    one.call("asif_tree_load", ctypes.byref(saved), one.context, file.encode())
    trees["saved"] = saved

    units, info = read(one, path, units=2)
    checks.true(info.decisions == agent["steps"] and info.rows == agent["steps"], "%s: %d decisions" % (name, info.decisions))
    checks.true(info.nodes == agent["nodes"], "%s: %d nodes, not %d" % (name, info.nodes, agent["nodes"]))
    checks.true(info.episodes == 1000 and info.subjects == 1000, "%s: %d episodes" % (name, info.episodes))
    for point in agent["loglik_at"]:
        where = "%s at %s" % (name, point)
        given = dict(alpha=point["alpha"], optimism=point["inv_beta"], eta=point["eta"])
        one.fresh().solve(**given)
        two.fresh().solve(**given)
        first = loglik(one, trees["csv"])
        checks.near("loglik, " + where, first, point["loglik"], rtol=1e-9, kind="loglik")
        for road, tree in trees.items():
            checks.true(loglik(one, tree) == first, "%s: %s gives %r, not %r" % (where, road, loglik(one, tree), first))
            checks.true(loglik(two, tree) == first, "%s: %s, 2 threads" % (where, road))
        by_node, by_unit = np.zeros(100000), np.zeros(1000)
        checks.true(loglik(one, units, by_node, by_unit) == first, where + ": with units")
        checks.near("by node, " + where, by_node.sum(), first, rtol=1e-12, kind="by node")
        checks.near("by unit, " + where, by_unit.sum(), first, rtol=1e-12, kind="by unit")
checks.finish()
