// A fit by the explorer's engine in node: BUILT SOURCE STUDY TABLE. Out (JSON): seconds of processor time, and parameters.
import { readFileSync } from "node:fs";
import { load } from "./engine.mjs";

const [built, source, study, table] = process.argv.slice(2);
const engine = await load(built, source);
engine.open(readFileSync(study, "utf8"));
const before = process.cpuUsage();
const fit = JSON.parse(engine.fit(readFileSync(table, "utf8")));
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ seconds: (user + system) / 1e6, parameters: fit.parameters }));
