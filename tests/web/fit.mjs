// node fit.mjs BUILT SOURCE STUDY LOGS: the explorer's fit.json of a table.
import { readFileSync } from "node:fs";
import { load } from "./engine.mjs";

const [built, source, study, logs] = process.argv.slice(2);
const engine = await load(built, source);
engine.open(readFileSync(study, "utf8"));
console.log(engine.fit(readFileSync(logs, "utf8")));
