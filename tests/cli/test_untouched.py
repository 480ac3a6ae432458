"""Nothing of the user's is touched: every file of a folder with names that look like asif's is after each command what it was.

A snapshot has names, kinds, modes, inodes, targets of links, and bytes. Commands write into the folder, beside it, through
it, and onto it as their folder of results, where they have to refuse or leave alone what they did not write.
"""
# ctest label: slow
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

COARSE = "--resolution 5 --tol 1e-6 -q"
TRUTH = f"-p alpha=0.5 -p beta=1.25 -p eta=0 {COARSE}"
FIT = f"-p beta=1.25 -p eta=0 {COARSE} --chains 1 --warmup 5 --draws 5 --starts 1 --no-sensitivity"
FEW = f"-p alpha=0.5 {COARSE} -n 10 --max-steps 8 --starts 1 --replicates 1"
SBC = f"{COARSE} -n 10 --max-steps 8 --starts 1 --replicates 1 --chains 1 --warmup 5 --draws 3 --bins 2"

# Names that asif uses, or nearly: every one of these is the user's.
LIKE_OURS = ["study.yaml", "fit.json", "run.json", "logs.tree", "chain-1.csv", "manifest.json", "replicates.csv",
             "recover.json", "sbc.json", "pointwise.csv", "log_lik-1.csv", "projection.json", "policy.csv",
             "policy.vl.json", "checkpoint-1"]
NEARLY_OURS = ["chain-of-custody.csv", "checkpoint-notes", "chain-1.csv.bak", "logs.tree.new", "fit.json~",
               "out.csv.part", "out.csv.12-x.part", ".asif-notes", "checkpoint-1.old"]


def snapshot(folder):
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            info = os.lstat(path)
            entry = [stat.S_IFMT(info.st_mode), stat.S_IMODE(info.st_mode), info.st_ino]
            if stat.S_ISLNK(info.st_mode):
                entry.append(os.readlink(path))
            elif stat.S_ISREG(info.st_mode):
                with open(path, "rb") as file:
                    entry.append(file.read())
            found[os.path.relpath(path, folder)] = entry
    return found


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


class Untouched(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = tempfile.mkdtemp()
        with open(os.path.join(SOURCE, "examples", "diag", "study.yaml")) as file:
            study = file.read()
        write(cls.base, "diag.yaml", study)
        write(cls.base, "one.yaml", study.replace("beta:  learn", "beta: 1.25").replace("eta:   learn", "eta: 0"))
        shutil.copy(os.path.join(SOURCE, "examples", "rust", "study.yaml"), os.path.join(cls.base, "rust.yaml"))
        rows = [f"{bus},a,{period},{period // 2 + bus},{int(period == 11)}" for bus in range(3) for period in range(12)]
        write(cls.base, "buses.csv", "\n".join(["bus_id,make,period,mileage_bin,replaced", *rows]) + "\n")
        cls.run_(f"simulate diag.yaml {TRUTH} -n 20 --seed 3 -o plain.csv", cls.base)
        with open(os.path.join(cls.base, "plain.csv")) as plain:
            lines = plain.read().splitlines()
        sites = [line + (",site" if i == 0 else f",{'ab'[int(line.split(',')[0]) % 2]}") for i, line in enumerate(lines)]
        write(cls.base, "logs.csv", "\n".join(sites) + "\n")
        cls.run_(f"fit diag.yaml logs.csv -o fitted {FIT}", cls.base)
        assert os.path.exists(os.path.join(cls.base, "fitted", "fit.json"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.base)

    @staticmethod
    def run_(text, folder):
        return subprocess.run([ASIF, *text.split()], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)

    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(self.base, self.folder, dirs_exist_ok=True)

    def desk(self, names):
        """A folder of the user's with these names, links, a pipe, a secret, and a folder."""
        desk = os.path.join(self.folder, "desk")
        os.makedirs(os.path.join(desk, "a"))
        for name in names:
            write(desk, name, f"the user's own {name}\n")
        write(desk, "secret", "for my eyes only\n")
        os.chmod(os.path.join(desk, "secret"), 0o600)
        write(desk, "a/fit.json", "{}\n")
        os.symlink("../plain.csv", os.path.join(desk, "link"))
        os.symlink("nowhere", os.path.join(desk, "dangling"))
        os.mkfifo(os.path.join(desk, "pipe"))
        return desk

    def check(self, text, codes, new=()):
        """The command ends with one of these codes, and all that was there is as it was; `new` names may have come."""
        before = snapshot(self.folder)
        done = self.run_(text, self.folder)
        after = snapshot(self.folder)
        said = done.stderr.decode()
        self.assertIn(done.returncode, codes, f"{text}\n{said}")
        changed = sorted(name for name in before if after.get(name) != before[name])
        self.assertEqual(changed, [], f"{text}\n{said}")
        come = sorted(name for name in after if name not in before and not any(
            name == prefix or name.startswith(prefix + "/") for prefix in new))
        self.assertEqual(come, [], f"{text}\n{said}")
        if done.returncode in (2, 3):
            self.assertRegex(said, r"(?m)^asif: \S.{10,}\n  hint: ", text)
        return done

    def refused(self, text):
        return self.check(text, (2,))

    def test_files_in_the_folder(self):
        """Outputs that are files, with new names among the user's."""
        self.desk(LIKE_OURS + NEARLY_OURS)
        for text, out in [(f"simulate diag.yaml {TRUTH} -n 5 -o", "desk/out.csv"),
                          ("count plain.csv -o", "desk/out.tree"),
                          (f"convert diag.yaml {TRUTH.replace(COARSE, '-q')}", "desk/out.pomdp"),
                          ("learn-world rust.yaml buses.csv --unseen stay -o", "desk/out.yaml"),
                          ("report fitted -q -o", "desk/out.html"),
                          ("sensitivity fitted --vary wrong=-30:-42 --points 2 --draws 0 --starts 1 -o", "desk/table.csv"),
                          ("new", "desk/new.yaml")]:
            self.check(f"{text} {out}", (0, 1), [out])

    def test_a_file_of_the_same_name(self):
        self.desk(LIKE_OURS)
        self.refused("new desk/study.yaml")
        self.refused("count plain.csv -o desk/link")
        self.refused("simulate diag.yaml -n 5 -o diag.yaml " + TRUTH)

    def test_new_folders(self):
        """Folders of results that are made among the user's files."""
        self.desk(LIKE_OURS + NEARLY_OURS)
        for text in (f"fit diag.yaml logs.csv {FIT} -o desk/new1", f"fit diag.yaml logs.csv {FIT} --by site -o desk/new2",
                     f"recover one.yaml {FEW} --method map -o desk/new3", f"sbc one.yaml {SBC} -o desk/new4",
                     f"project diag.yaml logs.csv -o desk/new5 --folds 2 --starts 1 -p eta=0 {COARSE}",
                     "compare fitted --logs logs.csv --unit episode -o desk/new6 -q", f"plan diag.yaml {TRUTH} --figures desk/new7",
                     "report fitted -q -o desk/new8.html --figures desk/new9"):
            new = [word for word in text.split() if word.startswith("desk/new")]
            self.check(text, (0, 1), new)

    def test_a_folder_with_our_names(self):
        """Results are not put where the user's files have their names, with --force neither."""
        for name, text in [("study.yaml", f"fit diag.yaml logs.csv {FIT}"), ("fit.json", f"fit diag.yaml logs.csv {FIT}"),
                           ("logs.tree", f"fit diag.yaml logs.csv {FIT}"), ("run.json", f"fit diag.yaml logs.csv {FIT}"),
                           ("chain-1.csv", f"fit diag.yaml logs.csv {FIT}"),
                           ("manifest.json", f"fit diag.yaml logs.csv {FIT}"),
                           ("manifest.json", f"fit diag.yaml logs.csv {FIT} --by site"),
                           ("study.yaml", f"project diag.yaml logs.csv --folds 2 --starts 1 -p eta=0 {COARSE}"),
                           ("policy.csv", f"project diag.yaml logs.csv --folds 2 --starts 1 -p eta=0 {COARSE}"),
                           ("projection.json", f"project diag.yaml logs.csv --folds 2 --starts 1 -p eta=0 {COARSE}"),
                           ("recover.json", f"recover one.yaml {FEW} --method map"),
                           ("replicates.csv", f"recover one.yaml {FEW} --method map"), ("sbc.json", f"sbc one.yaml {SBC}"),
                           ("pointwise.csv", "compare fitted --logs logs.csv --unit episode -q"),
                           ("log_lik-1.csv", "compare fitted --logs logs.csv --unit episode -q")]:
            self.desk(NEARLY_OURS + [name])
            self.refused(f"{text} -o desk")
            if text.startswith(("fit", "project")):
                self.refused(f"{text} -o desk --force")
            shutil.rmtree(os.path.join(self.folder, "desk"))
        self.desk(["policy.vl.json"])
        self.refused(f"plan diag.yaml {TRUTH} --figures desk")

    def test_the_files_of_a_fit_that_is_read(self):
        """An output is none of the files of a fit, under whatever name; another file in its folder may be."""
        os.symlink("fitted/study.yaml", os.path.join(self.folder, "alias"))
        for out in ("fitted/fit.json", "fitted/manifest.json", "fitted/chain-1.csv", "fitted/../fitted/logs.tree", "alias"):
            for text in ("report fitted", "sensitivity fitted --vary wrong=-30:-42 --points 2 --draws 0 --starts 1"):
                done = self.refused(f"{text} -q -o {out}")
                self.assertIn("is also an input", done.stderr.decode())
        self.check("report fitted -q -o fitted/page.html", (0, 1), ["fitted/page.html"])
        self.assertIn(self.run_("report fitted -q -o fitted/page.html", self.folder).returncode, (0, 1))

    def test_an_answer_that_was_saved_by_hand(self):
        """`recover --json > recover.json` is the user's file, though asif printed it."""
        for command in (f"recover one.yaml {FEW} --method map", f"sbc one.yaml {SBC}"):
            name = command.split()[0] + ".json"
            self.desk([])
            write(self.folder, "desk/" + name, self.run_(command + " --json", self.folder).stdout.decode())
            self.refused(f"{command} -o desk")
            os.remove(os.path.join(self.folder, "desk", name))
            for _ in range(2):  # what -o wrote it may replace
                self.assertIn(self.run_(f"{command} -o desk", self.folder).returncode, (0, 1))
            shutil.rmtree(os.path.join(self.folder, "desk"))

    def test_a_folder_with_other_names(self):
        """Names that are only nearly ours are no hindrance, and stay."""
        for text in (f"fit diag.yaml logs.csv {FIT}", f"fit diag.yaml logs.csv {FIT} --by site",
                     f"recover one.yaml {FEW} --method map", f"sbc one.yaml {SBC}",
                     f"project diag.yaml logs.csv --folds 2 --starts 1 -p eta=0 {COARSE}",
                     "compare fitted --logs logs.csv --unit episode -q"):
            desk = self.desk(NEARLY_OURS)
            ours = [f"desk/{name}" for name in LIKE_OURS] + ["desk/b", "desk/a-2", "desk/a_"]
            done = self.check(f"{text} -o desk", (0, 1, 2), ours)
            if "--by" not in text:  # a group is called as a folder that is there
                self.assertIn(done.returncode, (0, 1), text + done.stderr.decode())
            shutil.rmtree(desk)

    def test_again(self):
        """What asif wrote it may replace, and nothing else."""
        self.desk(NEARLY_OURS)
        text = f"fit diag.yaml logs.csv {FIT} -o desk"
        self.assertIn(self.run_(text, self.folder).returncode, (0, 1))
        self.refused(text + " --seed 2")
        ours = {"study.yaml", "fit.json", "run.json", "logs.tree", "chain-1.csv", "manifest.json"}
        before = snapshot(os.path.join(self.folder, "desk"))
        self.assertIn(self.run_(text + " --seed 2 --force", self.folder).returncode, (0, 1))
        after = snapshot(os.path.join(self.folder, "desk"))
        self.assertEqual(sorted(after), sorted(before))
        self.assertEqual({name for name in before if before[name] != after[name]} - ours, set())
        write(self.folder, "desk/fit.json", "edited\n")
        self.refused(text + " --seed 3 --force")
        self.refused(f"project diag.yaml logs.csv --folds 2 --starts 1 -p eta=0 {COARSE} -o fitted --force")
        self.refused("compare fitted --logs logs.csv --unit episode -q -o fitted")


if __name__ == "__main__":
    unittest.main()
