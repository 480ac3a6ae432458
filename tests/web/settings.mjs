// Solve settings in node, with the parameters that page's sliders would set: in JSON {built, source, settings}, out JSON.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "./engine.mjs";

const job = JSON.parse(readFileSync(0, "utf8"));
const engine = await load(job.built, job.source);
const { parametersOf, fromSlider } = new Function(readFileSync(join(job.source, "web", "parameters.js"), "utf8") + "; return { parametersOf, fromSlider };")();
const out = [];
for (const { study, file, values, history } of job.settings) {
  const opened = engine.open(readFileSync(join(job.source, file), "utf8"));
  const resolution = opened.study.states.length === 3 ? 40 : 0;
  const chosen = {};
  for (const p of parametersOf(opened.study))
    if (p.name in values) chosen[p.name] = fromSlider(p, p.logarithmic ? Math.round(1000 * values[p.name]) : p.least + values[p.name] * (p.most - p.least));
    else if (p.learnt) chosen[p.name] = p.value;
  out.push({ study, history, values: chosen, resolution, plan: engine.solve(0, chosen, resolution, history.map((e) => e.join(":")).join(",")) });
}
const bad = engine.open("asif: 1\nstates: [a, b\n");
const files = engine.open(readFileSync(join(job.source, "examples/gridworld/study.yaml"), "utf8"));
engine.open(readFileSync(join(job.source, job.settings[0].file), "utf8"));
engine.solve(0, { alpha: 0.5, optimism: 0.8, eta: 0.001 }, 0, "");
engine.solve(1, { alpha: 0.5, optimism: 0, eta: 0.001 }, 0, "");
const table = engine.simulate(0, 200).text;
console.log(JSON.stringify({ settings: out, bad, files, table, apart: engine.apart(20000), outcomes: engine.outcomes(0, 500), unknown: engine.solve(0, { alpah: 1 }, 0, "") }));
