"""Every command that a document shows: the command exists, and has the flags that are used."""
import os
import re
import shlex
import subprocess
import sys
import unittest

SOURCE, BUILD = os.environ.get("ASIF_SOURCE"), os.environ.get("ASIF_BUILD")
if not SOURCE or not BUILD:
    print("ASIF_SOURCE (root of the source tree) and ASIF_BUILD (the build folder) are not set")
    sys.exit(77)
ASIF = os.path.join(BUILD, "cli", "asif")
FLAG = re.compile(r"(?m)^  (?:(-\w), |    )(--[a-z][a-z-]*)")


def pages():
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = sorted(name for name in folders if name not in ("build", ".git", "node_modules", "tests", "pictures"))
        for name in sorted(files):
            if name.endswith(".md") and name != "CHANGELOG.md":
                yield os.path.join(folder, name)


def commands(text):
    """Lines of code that run asif, and commands in backticks, with the number of their line."""
    text = re.sub(r"\\\n\s*", lambda found: " " * len(found[0]), text)
    for found in re.finditer(r"(?m)^(?:\s*|\s*\$ |.*[|&;(] )asif ([^\n]*)$", text):
        before = text.rfind("\n", 0, found.start()) + 1
        code = text[before:before + 4] == "    " or text.count("\n```", 0, found.start()) % 2 == 1
        if code:
            yield text.count("\n", 0, found.start(1)) + 1, found[1]
    for found in re.finditer(r"`asif ([^`\n]*)`", text):
        yield text.count("\n", 0, found.start()) + 1, found[1]


def words(command):
    """The words of a command, as far as a shell's signs do not end it."""
    command = re.split(r"\s(?:\||>|2>|&&|;|#)|\$\(", command + " ")[0]
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


class Pages(unittest.TestCase):
    def setUp(self):
        self.known = {}

    def flags(self, command):
        """The flags of a command; None if there is no such command."""
        if command not in self.known:
            done = subprocess.run([ASIF, *command.split(), "--help"], capture_output=True, text=True, check=False)
            found = FLAG.findall(done.stdout)
            self.known[command] = {flag for pair in found for flag in pair if flag} if done.returncode == 0 else None
        return self.known[command]

    def test_all(self):
        seen, wrong = 0, []
        for page in pages():
            with open(page, encoding="utf-8") as file:
                text = file.read()
            for line, command in commands(text):
                given = words(command)
                if not given or given[0] == "help" or not re.fullmatch(r"[a-z][a-z-]*", given[0]):
                    continue
                where = f"{os.path.relpath(page, SOURCE)}:{line}: asif {command.strip()}"
                flags = self.flags(given[0])
                if flags is None:
                    wrong.append(f"{where}: there is no command `{given[0]}`")
                    continue
                seen += 1
                for word in given[1:]:
                    flag = word.split("=")[0].rstrip(",.;:)")
                    if word == "--":
                        break
                    if re.fullmatch(r"--[a-z][a-z-]*|-[a-zA-Z]", flag) and flag not in flags:
                        wrong.append(f"{where}: there is no flag `{flag}`")
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))
        self.assertGreater(seen, 300, "commands that were looked at")


if __name__ == "__main__":
    unittest.main()
