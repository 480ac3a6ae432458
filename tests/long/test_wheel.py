"""The Python package: a wheel around the library of this build, in a fresh environment, passes its own tests.

The environment is kept in the build folder; tests/long/python_wheels.sh makes everything anew, for every Python there is."""
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE, BUILD = pathlib.Path(os.environ["ASIF_SOURCE"]), pathlib.Path(os.environ["ASIF_BUILD"])
PLACE = BUILD / "tests" / "python"
NEEDS = ["scikit-build-core", "setuptools", "cffi", "numpy", "pandas", "polars", "pyarrow", "altair", "pytest"]


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, **more)


def environment():
    """The environment's python; without a network there is none, and the test is skipped."""
    python, done = PLACE / "venv" / "bin" / "python", PLACE / "venv" / "needs"
    if done.exists() and done.read_text() == " ".join(NEEDS):
        return python
    shutil.rmtree(PLACE / "venv", ignore_errors=True)
    try:
        run(sys.executable, "-m", "venv", PLACE / "venv")
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *NEEDS)
    except subprocess.CalledProcessError:
        print("the packages could not be installed")
        sys.exit(1 if os.environ.get("CI") else 77)
    done.write_text(" ".join(NEEDS))
    return python


if "ASIF_LIB" not in os.environ:
    print("an interpreter cannot load a library with sanitizers")
    sys.exit(77)
python = environment()
shutil.rmtree(PLACE / "dist", ignore_errors=True)
run(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--disable-pip-version-check",
    f"--config-settings=cmake.define.ASIF_BUILT={BUILD}", "-w", PLACE / "dist", SOURCE / "python")
wheel, = (PLACE / "dist").glob("libasif-*.whl")
assert wheel.stat().st_size <= 6e6, f"{wheel.stat().st_size} bytes"
run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--force-reinstall", wheel)
run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", SOURCE / "python" / "tests", cwd=PLACE,
    env={**os.environ, "MALLOC_PERTURB_": "165"})  # memory that is used after it was freed is not what it was
