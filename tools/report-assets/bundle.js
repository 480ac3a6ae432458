// One script out of Vega and all it needs, with the licences of every package that went into it at its top.
//     node bundle.js OUTPUT.js [--readable]
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const output = process.argv[2];
const result = await build({
  entryPoints: ["entry.js"],
  bundle: true,
  minify: process.argv[3] !== "--readable",
  format: "iife",
  platform: "browser",
  target: "es2020",
  charset: "ascii", // the page may be read in any encoding
  legalComments: "none", // all of them stand at the top
  metafile: true,
  write: false,
});

const names = new Set();
for (const file of Object.keys(result.metafile.inputs)) {
  const found = file.match(/.*node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found) names.add(found[1]);
}

// Packages that share the words of a licence are named together above it.
const texts = new Map();
for (const name of [...names].sort()) {
  const folder = join("node_modules", name);
  const about = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
  if (!file) throw new Error(`${name} (${about.license}) comes without the text of its licence`);
  const text = readFileSync(join(folder, file), "utf8").replace(/\r/g, "").replaceAll("*/", "* /").trim();
  texts.set(text, [...(texts.get(text) ?? []), `${name} ${about.version} (${about.license})`]);
}

let licences = "/*!\n";
for (const [text, packages] of texts) licences += packages.join(", ") + "\n\n" + text + "\n\n";
licences += "*/\n";
// A script element ends at its first end tag, wherever that stands.
const code = result.outputFiles[0].text.replace(/<\/(script)/gi, "<\\/$1").replaceAll("<!--", "<\\!--");
writeFileSync(output, licences.replace(/[^\x00-\x7f]/g, "?") + code);
console.log(`${output}: ${names.size} packages, ${texts.size} licences, ${licences.length + code.length} bytes`);
