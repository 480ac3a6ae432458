"""ctest label: slow

The R package, with the library of this build: its own tests; fits with the bytes of the command's; Ctrl-C in the middle of a fit.
Skipped without R and its packages, except in CI. R CMD check of the whole package is tests/long/r_check.sh.
"""
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE, BUILD, ASIF = pathlib.Path(os.environ["ASIF_SOURCE"]), pathlib.Path(os.environ["ASIF_BUILD"]), os.environ["ASIF"]
STUDY = SOURCE / "examples" / "diag" / "study.yaml"
VALUES = ["alpha=0.5", "beta=1.25", "eta=0"]
LONG = 1200  # draws of a chain, so that there is a middle: more of them where a machine is done with these before it is stopped


def skip(why):
    print(why)
    sys.exit(1 if os.environ.get("CI") else 77)


def run(*words, env=None):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{words[0]} {words[1]} failed:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def install(folder):
    """Install the library of this build, and the package that uses it. Gives the environment for R."""
    env = dict(os.environ, R_LIBS=str(folder / "library"), ASIF_RESULTS=str(folder))
    (folder / "library").mkdir()
    run("cmake", "--install", BUILD, "--prefix", folder / "prefix")
    found = next((folder / "prefix").rglob("asif.pc"))
    run(SOURCE / "tools" / "build-r", "--bare", folder / "asif")
    run("R", "CMD", "INSTALL", "--no-docs", "--no-test-load", "--configure-args=--with-libasif", f"--library={folder / 'library'}",
        folder / "asif", env=dict(env, PKG_CONFIG_PATH=str(found.parent)))
    return env


def digests(folder):
    names = ["fit.json", "logs.tree", "study.yaml"] + sorted(p.name for p in folder.glob("chain-*.csv"))
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}


def fit_in_r(folder, logs, env, method, draws):
    """A fit of the table, read as a data frame, in a process of R's own."""
    script = f"""library(asif)
        logs <- read.csv("{logs}")
        fit <- asif_fit("{STUDY}", logs, "{folder}", method = "{method}", values = c(eta = 0), draws = {draws}, warmup = {WARMUP[method]}, chains = 2,
                        answers = FALSE, seed = 4, threads = 2, checkpoint = 0.05, progress = FALSE)
        if ("{method}" == "ridge") asif_report(fit, "{folder}.html")
        cat(fit$how)"""
    return subprocess.Popen(["Rscript", "--vanilla", "-e", script], env=dict(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


WARMUP = {"ridge": "NULL", "nuts": "100"}


def same_as_command(folder, logs, env):
    """The folder has the same bytes as that of the command."""
    run(ASIF, "fit", STUDY, logs, "-o", folder / "command", "-p", "eta=0", "--no-answers", "--method", "ridge", "--draws", "500", "--seed", "4",
        "--chains", "2")
    process = fit_in_r(folder / "r", logs, env, "ridge", 500)
    out, err = process.communicate()
    assert process.returncode == 0 and out == "made", (out, err)
    assert digests(folder / "command") == digests(folder / "r"), (digests(folder / "command"), digests(folder / "r"))
    run(ASIF, "report", folder / "r", "-o", folder / "command.html")
    assert (folder / "command.html").read_bytes() == (folder / "r.html").read_bytes()


def has_draws(folder):
    return any((folder / ".asif").rglob("checkpoint-*")) if (folder / ".asif").exists() else False


def stopped(folder, logs, env, draws):
    """SIGINT once draws are kept. Whether R was stopped, and had not ended before."""
    process = fit_in_r(folder, logs, env, "nuts", draws)
    while process.poll() is None and not has_draws(folder):
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    if process.returncode == 0 or (folder / "fit.json").exists():
        return False
    assert process.returncode == 1 and "continues it" in err, (process.returncode, out, err)
    assert has_draws(folder)
    return True


def interrupted(folder, logs, env):
    """SIGINT while chains are drawn: R ends with a message, and the next call goes on, to the bytes of the command."""
    tries = (LONG * 3**i for i in range(6))
    draws = next(n for n in tries if stopped(folder / f"stopped-{n}", logs, env, n))
    process = fit_in_r(folder / f"stopped-{draws}", logs, env, "nuts", draws)
    out, err = process.communicate()
    assert process.returncode == 0 and out == "resumed", (out, err)
    run(ASIF, "fit", STUDY, logs, "-o", folder / "whole", "-p", "eta=0", "--no-answers", "--method", "nuts", "--draws", draws,
        "--warmup", "100", "--seed", "4", "--checkpoint", "0.05", "--chains", "2")
    assert digests(folder / f"stopped-{draws}") == digests(folder / "whole")


def main():
    if not shutil.which("R"):
        skip("there is no R")
    if "ASIF_LIB" not in os.environ:
        skip("R cannot load a library with sanitizers")
    for package in ("jsonlite", "posterior", "bit64"):
        if subprocess.run(["Rscript", "--vanilla", "-e", f"library({package})"], capture_output=True).returncode:
            skip(f"R has no package {package}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        env = install(folder)
        print(run("Rscript", "--vanilla", SOURCE / "r" / "tests" / "asif.R", env=env))
        logs = folder / "logs.csv"
        run(ASIF, "simulate", STUDY, "-n", "60", "-o", logs, *[w for v in VALUES for w in ("-p", v)])
        same_as_command(folder, logs, env)
        interrupted(folder, logs, env)
    print("the R package does what the command does")


main()
