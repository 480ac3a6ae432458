"""The explorer's WebAssembly in node: 20 settings of its sliders give the numbers of `asif plan --json` to 1e-9, its logs are
those of `asif simulate`, and what it says of two agents is what `asif identify` says.

Skipped where tools/build-web has not been run."""
import json
import os
import subprocess
import sys

import explorer

explorer.need()
settings = [{**s, "file": explorer.STUDIES[s["study"]]} for s in explorer.settings(20)]
job = {"built": explorer.engine(), "source": explorer.SOURCE, "settings": settings}
done = subprocess.run(["node", os.path.join(explorer.HERE, "settings.mjs")], input=json.dumps(job), capture_output=True, text=True,
                      check=False)
if done.returncode:
    sys.exit(done.stderr)
found = json.loads(done.stdout)
failures = explorer.differences(found["settings"])

words = "-p alpha=0.5 -p optimism=0.8 -p eta=0.001 -n 200 --seed 0 -o -".split()
logs = subprocess.run([explorer.ASIF, "simulate", os.path.join(explorer.SOURCE, explorer.STUDIES["diag"]), *words],
                      capture_output=True, text=True, check=False).stdout
if found["table"] != logs:
    failures.append("200 simulated logs are not those of asif simulate")

agents = [{"alpha": 0.5, "optimism": 0.8, "eta": 0.001}, {"alpha": 0.5, "optimism": 0.0, "eta": 0.001}]
rival = explorer.nats(agents, 20000)
here = found["apart"]["nats_per_1000"]
# Both simulate the same 20,000 logs.
if not abs(here - rival["nats_per_1000"]) <= 1e-9 * here:
    failures.append(f"{here} nats per 1,000 logs, and asif identify says {rival}")
if abs(sum(h["nats_per_1000"] for h in found["apart"]["histories"])) > here:
    failures.append("the histories tell more than all logs do")

# The ideal agent of the diagnosis task: 6.405 tests and 7.3 % wrong diagnoses (docs/reproduction.md has the same).
ideal = found["outcomes"]["conduct"]["ideal_true"]
if abs(ideal["before_end"]["mean"] - 6.405) > 0.05 or abs(ideal["wrong"]["mean"] - 0.073) > 0.002:
    failures.append(f"the agent that knows the world: {ideal}")

if found["bad"].get("error", {}).get("line") != 3 or "]" not in found["bad"]["error"]["hint"]:
    failures.append(f"a study whose list of line 2 is not closed: {found['bad']}")
if "cannot name other files" not in found["files"].get("error", {}).get("hint", ""):
    failures.append(f"a study that names other files: {found['files']}")
if "alpha" not in found["unknown"].get("error", {}).get("hint", ""):
    failures.append(f"a misspelt parameter: {found['unknown']}")
print("\n".join(failures) or "the engine agrees with the command")
sys.exit(bool(failures))
