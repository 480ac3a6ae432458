// The explorer's engine in node, from a folder with explorer.js and explorer.wasm.
import { readFileSync } from "node:fs";
import { join } from "node:path";

export async function load(built, source) {
  const code = readFileSync(join(built, "explorer.js"), "utf8") + readFileSync(join(source, "web", "engine.js"), "utf8");
  const make = new Function("require", "__dirname", "__filename", "process", code + "; return makeEngine;");
  const { createRequire } = await import("node:module");
  return make(createRequire(import.meta.url), built, join(built, "explorer.js"), process)(readFileSync(join(built, "explorer.wasm")));
}
