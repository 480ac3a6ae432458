"""The command, as `asif` or `python -m asif`."""
import os
import pathlib
import sys


def main() -> int:
    command = pathlib.Path(__file__).parent / ("asif.exe" if os.name == "nt" else "asif")
    os.execv(command, ["asif", *sys.argv[1:]])


if __name__ == "__main__":
    main()
