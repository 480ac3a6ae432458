"""A warning where the next case is worth more than a test, against a plain value iteration of the beads task."""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF (path of the command) is not set")
    sys.exit(77)

STUDY = """\
asif: 1
states: [blue, pink]
actions: [draw, name_blue, name_pink]
observations: [b, p]
environment: {{start: uniform, emissions: [[{q}, {w}], [{w}, {q}]], ends: [name_blue, name_pink]{more}}}
agent:
  discount: {discount}
  utility: {{draw: cost, name_blue: {{blue: 1, pink: 0}}, name_pink: {{blue: 0, pink: 1}}}}
  parameters: {{alpha: learn, cost: {cost}}}
"""
WORDS = "the best agent never tests"


def draws_first(q, cost, discount, again):
    """How much better it is to draw at the start than to name an urn, where the state is the lead of one colour. again: another case follows."""
    most = 60
    right = [q ** lead / (q ** lead + (1 - q) ** lead) for lead in range(most + 1)]
    value = [0.0] * (most + 1)
    for _ in range(4000):
        after = discount * value[0] if again else 0
        draw = []
        for lead in range(most + 1):
            more = right[lead] * q + (1 - right[lead]) * (1 - q)
            up, down = value[min(lead + 1, most)], value[abs(lead - 1)]
            draw.append(cost + discount * (more * up + (1 - more) * down))
        name = [right[lead] + after for lead in range(most + 1)]
        change = max(abs(max(a, b) - v) for a, b, v in zip(draw, name, value))
        value = [max(a, b) for a, b in zip(draw, name)]
        if change < 1e-12:
            break
    return draw[0] - name[0]


class NextCase(unittest.TestCase):
    def check(self, text, *args):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            done = subprocess.run([ASIF, "check", path, "--json", *args], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            problems = json.loads(done.stdout)["problems"]
            self.assertTrue(all(problem["severity"] != "error" for problem in problems))
            return any(WORDS in problem["message"] for problem in problems)

    def test_beads(self):
        dice, seen = random.Random(1), {True: 0, False: 0}
        for _ in range(60):
            q, discount, cost = round(dice.uniform(0.55, 0.9), 3), round(dice.uniform(0.6, 0.97), 3), -round(dice.choice([0, dice.uniform(0, 0.2)]), 3)
            again, alone = draws_first(q, cost, discount, True), draws_first(q, cost, discount, False)
            if min(abs(again), abs(alone)) < 0.003:  # the lattice is not exact
                continue
            expected = again < 0 < alone
            text = STUDY.format(q=q, w=round(1 - q, 3), discount=discount, cost=cost, more="")
            self.assertEqual(self.check(text), expected, (q, discount, cost, again, alone))
            seen[expected] += 1
        self.assertGreater(min(seen.values()), 8)

    def test_where_nothing_is_said(self):
        values = {"q": 0.6, "w": 0.4, "discount": 0.95}
        self.assertTrue(self.check(STUDY.format(cost=0, more="", **values)))
        self.assertTrue(self.check(STUDY.format(cost="{learn: , standard: 0}", more="", **values)))
        self.assertFalse(self.check(STUDY.format(cost=0, more=", horizon: 20", **values)))
        ends = ", transitions: {draw: identity, name_blue: terminal, name_pink: terminal}"
        self.assertFalse(self.check(STUDY.format(cost=0, more=ends, **values)))


if __name__ == "__main__":
    unittest.main()
