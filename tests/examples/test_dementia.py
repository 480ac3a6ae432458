"""The commands of examples/dementia: a cohort from its synthetic world, dynamics learnt from it, and the judgement of its lattices."""
import json
import os
import subprocess
import tempfile
import unittest

ASIF, SOURCE = os.environ["ASIF"], os.environ["ASIF_SOURCE"]
EXAMPLE = os.path.join(SOURCE, "examples", "dementia")
TRUTH = ["-p", "alpha=0.12", "-p", "optimism=1", "-p", "eta=1.1"]
PUBLISHED = ["-p", "alpha=0.0492", "-p", "optimism=2.438", "-p", "eta=0.4512"]  # the same agent in the units of the code


class Dementia(unittest.TestCase):
    def asif(self, *words):
        done = subprocess.run([ASIF, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, study, values):
        answer = json.loads(self.asif("check", study, self.logs, *values, "--json"))
        found = [x["log_likelihood"] for x in answer["lattices"]]
        self.assertEqual(len(found), 3)
        jumps = any("a utility jumps" in p["message"] for p in answer["problems"])
        return answer, max(abs(x - found[0]) for x in found), jumps

    def test_commands(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        at = lambda name: os.path.join(folder.name, name)  # noqa: E731
        self.logs = at("visits.csv")
        world = os.path.join(EXAMPLE, "world.yaml")
        self.asif("simulate", world, "-n", "1700", "--max-steps", "3", "--seed", "2", "-o", self.logs, "-q", *TRUTH)
        told, nats, jumps = self.check(world, TRUTH)
        self.assertEqual(told["study"]["world_shares"], [0, 0.5])
        self.assertLess(nats, 1)
        self.assertFalse(jumps)

        self.asif("learn-world", os.path.join(EXAMPLE, "study.yaml"), self.logs, "-o", at("dementia.yaml"), "-q")
        learnt, nats, jumps = self.check(at("dementia.yaml"), TRUTH)
        self.assertEqual(learnt["study"]["world_shares"], [0, 0.5])
        self.assertLess(nats, 1)
        self.assertFalse(jumps)
        # the dynamics are near the truth, so the true agent is not far from where it was
        self.assertLess(abs(learnt["log_likelihood"] - told["log_likelihood"]), 0.02 * abs(told["log_likelihood"]))

        self.asif("learn-world", os.path.join(EXAMPLE, "as-published.yaml"), self.logs, "-o", at("published.yaml"), "-q")
        _, nats, jumps = self.check(at("published.yaml"), PUBLISHED)
        self.assertGreater(nats, 10)
        self.assertTrue(jumps)

    def test_columns(self):
        """Both dialects of the tables, from synthetic ones: 59 people and 187 visits are left, as the independent loader has it."""
        for name in ("cohort_small.csv", "cohort_small_tadpole.csv"):
            table = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "dementia", name)
            if not os.path.exists(table):
                self.skipTest("the synthetic tables are not here")
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            filled = os.path.join(folder.name, "world.yaml")
            self.asif("learn-world", os.path.join(EXAMPLE, "adni.yaml"), table, "-o", filled, "-q")
            self.logs = table
            logs = self.check(filled, TRUTH)[0]["logs"]
            self.assertEqual((logs["episodes"], logs["decisions"]), (59, 187))

    def test_caveat(self):
        words = " ".join(self.asif("check", os.path.join(EXAMPLE, "world.yaml")).split())
        self.assertIn("an order is not a free decision", words)


if __name__ == "__main__":
    unittest.main()
