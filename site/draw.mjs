// Draw Vega-Lite figures as SVG. In (JSON): assets (folder with node_modules), jobs: [{from, to}]
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const job = JSON.parse(readFileSync(0, "utf8"));
const there = createRequire(join(job.assets, "x.js"));
const load = async (name) => import(pathToFileURL(there.resolve(name)).href);
const [vega, lite] = [await load("vega"), await load("vega-lite")];
for (const { from, to } of job.jobs) {
  const spec = { ...JSON.parse(readFileSync(from, "utf8")), background: "white" };
  if (spec.width === "container") spec.width = 560;
  const svg = await new vega.View(vega.parse(lite.compile(spec).spec), { renderer: "none" }).toSVG();
  // The picture scales with its page.
  writeFileSync(to, svg.replace(/ width="[^"]*" height="[^"]*"/, ""));
}
