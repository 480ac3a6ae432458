"""Follow a page of the documents: write its files, run its commands in order, and compare what they print with what it says.

    follow_page.py ASIF PAGE FOLDER [--without BEGINNING]...

A block ```yaml file=NAME is a file. A block ```console has commands after `$ `, each with what it prints; `...` stands for any
lines, or for the rest of a line. `--without` leaves out commands that begin so. Exits with 1 at the first difference."""
import argparse
import os
import re
import subprocess
import sys


def pattern_of(printed):
    parts = []
    for line in printed.splitlines(keepends=True):
        if line == "...\n":
            parts.append("(?:.*\n)*")
        elif line.endswith(" ...\n"):
            parts.append(re.escape(line[:-4]) + ".*\n")
        else:
            parts.append(re.escape(line))
    return "".join(parts)


def commands(body):
    """The commands of a block, each with what the page says that it prints."""
    return re.findall(r"^\$ (.*\n(?:(?<=\\\n).*\n)*)((?:(?!\$ ).*\n)*)", body, flags=re.M)


def follow(asif, page, folder, without=()):
    """How many commands were run; exits where one prints something else."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_")}
    environment.update(LANG="C.UTF-8", PATH=os.path.dirname(os.path.abspath(asif)) + os.pathsep + os.environ["PATH"])
    count = 0
    for kind, body in re.findall(r"^```(yaml file=\S+|console)\n((?:(?!```).*\n)*)```", text, flags=re.M):
        if kind != "console":
            with open(os.path.join(folder, kind.partition("file=")[2]), "w", encoding="utf-8") as file:
                file.write(body)
            continue
        for command, printed in commands(body):
            if any(command.startswith(word) for word in without):
                continue
            done = subprocess.run(command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False)
            count += 1
            if not re.fullmatch(pattern_of(printed), done.stdout):
                sys.exit(f"{page}\n$ {command}printed:\n{done.stdout}\nthe page says:\n{printed}")
    return count


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("asif")
    parser.add_argument("page")
    parser.add_argument("folder")
    parser.add_argument("--without", action="append", default=[])
    given = parser.parse_args()
    print(follow(given.asif, given.page, given.folder, given.without), "commands print what the page says")
