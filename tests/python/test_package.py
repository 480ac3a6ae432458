"""ctest label: slow

The Python package, with the library and the command of this build, passes its own tests in the system's Python.

What needs packages that the system's Python does not have is skipped there; tests/long/test_wheel.py installs a wheel and these
packages in an environment of its own."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE, BUILD = pathlib.Path(os.environ["ASIF_SOURCE"]), pathlib.Path(os.environ["ASIF_BUILD"])
PLACE = BUILD / "tests" / "python-package"


def skip(why):
    print(why)
    sys.exit(1 if os.environ.get("CI") else 77)


def run(*words, **more):
    subprocess.run([str(w) for w in words], check=True, **more)


if "ASIF_LIB" not in os.environ:
    print("an interpreter cannot load a library with sanitizers")
    sys.exit(77)
for package in ("cffi", "numpy", "pytest"):
    if importlib.util.find_spec(package) is None:
        skip(f"Python has no package {package}")
if sys.version_info < (3, 10):
    skip("the package needs Python 3.10")
shutil.rmtree(PLACE, ignore_errors=True)
run("cmake", "-S", SOURCE / "python", "-B", PLACE / "build", f"-DASIF_BUILT={BUILD}", f"-DPython3_EXECUTABLE={sys.executable}",
    stdout=subprocess.DEVNULL)
run("cmake", "--build", PLACE / "build", "--target", "wheel")
run("cmake", "--install", PLACE / "build", "--component", "wheel", "--prefix", PLACE / "packages", stdout=subprocess.DEVNULL)
shutil.copytree(SOURCE / "python" / "src" / "asif", PLACE / "packages" / "asif", dirs_exist_ok=True)
run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", SOURCE / "python" / "tests", cwd=PLACE,
    env={**os.environ, "PYTHONPATH": str(PLACE / "packages"), "MALLOC_PERTURB_": "165"})  # memory that was freed is not what it was
