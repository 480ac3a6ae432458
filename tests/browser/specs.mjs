// Checks Vega-Lite specifications: against the schema, compiled and rendered to SVG, all without a warning.
// In (JSON): assets (folder with node_modules that hold vega and vega-lite), out (folder for the SVGs), specs: [{name, file}]
// Out (JSON): {name: {schema: [..], warnings: [..], svg: bytes, marks: count, legend: [..]}}
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Ajv from "ajv";
import formats from "ajv-formats";

const job = JSON.parse(readFileSync(0, "utf8"));
const there = createRequire(join(job.assets, "package.json"));
const load = (name) => import(pathToFileURL(there.resolve(name)).href);
const vega = await load("vega");
const vegaLite = await load("vega-lite");

const ajv = new Ajv.default({ allErrors: false, strict: false, validateFormats: true, verbose: false });
formats.default(ajv);
ajv.addFormat("color-hex", true);
const valid = ajv.compile(JSON.parse(readFileSync(there.resolve("vega-lite/vega-lite-schema.json"), "utf8")));

// The few of the errors that say most: those deepest in the text.
function complaints() {
  const errors = valid.errors ?? [];
  const deepest = Math.max(0, ...errors.map((e) => e.instancePath.split("/").length));
  return errors.filter((e) => e.instancePath.split("/").length === deepest).slice(0, 8)
    .map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
}

// A layer that happens to have no rows warns of its extent; what has no rows at all has no marks.
function logger(into) {
  const add = (...words) => (/^Infinite extent for field/.test(words[0]) || into.push(words.join(" ")), log);
  const none = () => log;
  const log = { level: () => log, error: add, warn: add, info: none, debug: none };
  return log;
}

async function check({ name, file }) {
  const found = { schema: [], warnings: [], svg: 0, marks: 0, legend: [] };
  const spec = JSON.parse(readFileSync(file, "utf8"));
  if (!valid(spec)) found.schema = complaints();
  const log = logger(found.warnings);
  const compiled = vegaLite.compile(spec, { logger: log }).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logger: log });
  const svg = await view.toSVG();
  writeFileSync(join(job.out, `${name}.svg`), svg);
  found.svg = svg.length;
  const marks = svg.match(/<g class="mark-[a-z]+ role-mark[^]*?<\/g>/g) ?? [];
  found.marks = marks.filter((m) => /<(path|line|rect|text|image)\b/.test(m)).length;
  found.legend = (svg.match(/<g class="mark-text role-legend-label"[^]*?<\/g>/g) ?? []).map((g) => g.replace(/<[^>]*>/g, ""));
  return found;
}

const out = {};
for (const spec of job.specs) {
  try {
    out[spec.name] = await check(spec);
  } catch (error) {
    out[spec.name] = { schema: [], warnings: [String(error)], svg: 0, marks: 0, legend: [] };
  }
}
console.log(JSON.stringify(out));
