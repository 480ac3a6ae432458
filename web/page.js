"use strict";
// The page: what the reader sets, what is computed from it, and where it is shown.

const $ = (id) => document.getElementById(id);
const STUDIES = JSON.parse($("studies").textContent);
const TOLERANCE = 1e-12; // as in explorer.c
const GRID = { 2: 200, 3: 40 }; // intervals of the picture
const state = { name: "diag", text: "", study: null, resolution: 0, parameters: [], agents: [{}, {}], two: false, shown: 0, history: [], table: null, fit: null, plans: [] };
let engine = null;
let drawn = 0; // pictures that were painted; the tests wait for them

// ---- the worker ----

const waiting = new Map();
let worker = null;
let asked = 0;

function ask(does, given) {
  const id = ++asked;
  worker.postMessage({ id, does, with: given });
  return new Promise((resolve) => waiting.set(id, resolve));
}

function startWorker(wasm) {
  const source = $("engine").textContent + $("worker").textContent;
  worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  worker.onmessage = ({ data }) => {
    if (data.id) {
      waiting.get(data.id)(data.answer);
      waiting.delete(data.id);
    } else if (data.done >= 0) $("fit-progress").value = data.done;
    else $("fit-progress").removeAttribute("value");
  };
  return ask("begin", wasm);
}

// ---- what is computed ----

// Values that differ from those of the study, or that it leaves to be learnt.
function valuesOf(agent) {
  return Object.fromEntries(state.parameters.filter((p) => p.learnt || agent[p.name] !== p.value).map((p) => [p.name, agent[p.name]]));
}

const historyText = () => state.history.map(([a, o]) => a + (o === undefined ? "" : ":" + o)).join(",");
const plansOf = () => (state.two ? [0, 1] : [0]);
const order = (xs) => (state.shown ? [...xs].reverse() : xs); // the agent whose sliders are shown comes first

function complain(answer) {
  const lines = answer ? [answer.error, ...(answer.problems || [])].map((e) => (e.line ? "line " + e.line + ": " : "") + e.message + (e.hint ? " (" + e.hint + ")" : "")) : [];
  $("problem").hidden = !answer;
  $("problem").textContent = [...new Set(lines)].join(" · ");
}

function compute() {
  const plans = plansOf().map((i) => engine.solve(i, valuesOf(state.agents[i]), state.resolution, historyText()));
  const failed = plans.find((p) => p.error);
  complain(failed);
  return failed ? null : plans;
}

// ---- what is shown ----

function drawPicture(plans) {
  const { study } = state;
  const states = study.states.length;
  const grids = plansOf().map((i) => GRID[states] && engine.grid(i, GRID[states], states, study.actions.length));
  const path = order(plans)[0].history.map((step) => step.belief).filter(Boolean);
  const shown = grids.every(Boolean);
  $("picture").hidden = $("legend").hidden = !shown;
  $("policies").closest("details").hidden = !shown;
  if (!shown) return;
  const ordered = order(grids);
  if (states === 2) drawTwo($("picture"), study, ordered, path);
  else drawThree($("picture"), study, ordered[0], GRID[3], path);
  policiesTable($("policies"), study, ordered[0], states);
  const first = order(plans)[0].history[0];
  const likely = study.actions.reduce((best, u) => (first.policy[u] > first.policy[best] ? u : best));
  $("picture").setAttribute("aria-label", "Probability of each action by belief. At the start the most likely action is " + likely + " (" + percent(first.policy[likely]) + "). The table below has the numbers.");
}

function about(plans) {
  const states = state.study.states.length;
  const which = state.two ? "Agent " + "AB"[state.shown] : "The agent";
  const words = { 2: "Each line is the probability of an action.", 3: "Each corner is certainty of a state. Colours show the actions, mixed by their probabilities." };
  const pictured = !$("picture").hidden;
  let text = pictured ? words[states] + " Numbered circles are the steps of the history below." : GRID[states] ? "This study has no picture, because beliefs are not all that its agent acts on."
    : "There is a picture for two or three states; this study has " + states + ".";
  if (pictured && state.two && states === 2) text += " Thick lines are agent " + "AB"[state.shown] + ", thin lines the other one.";
  if (pictured && state.two && states === 3) text += " The picture shows agent " + "AB"[state.shown] + ".";
  const { stop } = order(plans)[0].solver;
  if (stop !== "converged") text += " " + which + " was not solved to its tolerance (" + stop + ").";
  $("about").textContent = text;
}

// One step: solve, draw, and fill the tables. The slow parts follow when the reader pauses.
function show() {
  const plans = compute();
  document.body.classList.toggle("unsolved", !plans && !state.plans.length);
  if (!plans) return;
  drawPicture(plans);
  about(plans);
  historyTable($("history"), state.study, order(plans)[0].history);
  $("costs").hidden = !plans.some((p) => p.occupancy);
  $("no-costs").hidden = !$("costs").hidden;
  costsTable($("costs"), state.two ? ["agent A", "agent B"] : ["this agent"], plans);
  $("command").textContent = command();
  state.plans = plans;
  drawn++;
}

let wanted = false;
let pause = 0;
function changed() {
  clearTimeout(pause);
  pause = setTimeout(showSlow, 250);
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => {
    wanted = false;
    show();
  });
}

// The worker answers one request after another: while it is busy, only the last state is kept for it.
let busy = false;
let stale = false;
async function showSlow() {
  keepState();
  stale = busy;
  if (busy) return;
  busy = true;
  $("ideals-note").textContent = "Simulating…";
  try {
    do {
      stale = false;
      await simulate(state.agents.map((agent) => ({ values: valuesOf(agent), resolution: state.resolution })), state.two, state.shown);
    } while (stale);
  } finally {
    busy = false;
  }
}

// Nothing is shown of an answer that another change has overtaken.
async function simulate(agents, two, shown) {
  const outcomes = await ask("outcomes", agents[two ? shown : 0]);
  if (stale) return;
  $("ideals").hidden = !!outcomes.error;
  if (!outcomes.error) idealsTable($("ideals"), outcomes);
  $("apart").hidden = !two;
  const apart = two ? await ask("apart", { agents, episodes: 5000 }) : null;
  if (stale) return;
  if (two) showApart(apart);
  $("ideals-note").textContent = outcomes.error ? outcomes.error.message : "From 2,000 simulated episodes, cut after " + outcomes.max_steps.toLocaleString("en") + " decisions. Wrong: another final action would have scored much higher, given the true state.";
}

function showApart(apart) {
  $("apart-note").textContent = apart.error ? apart.error.message : apartWords(apart.nats_per_1000);
  $("apart-table").hidden = !!apart.error || alike(apart.nats_per_1000);
  if (!apart.error) apartTable($("apart-table"), state.study, apart);
}

const alike = (nats) => nats !== "inf" && nats < 1e-6;

function apartWords(nats) {
  if (nats === "inf") return "Agent A takes actions that agent B never takes, so one such log is enough.";
  if (alike(nats)) return "These two agents act alike, so no number of logs tells them apart. Move a slider of one of them.";
  return "1,000 logs of agent A favour it over agent B by " + number(nats) + " nats on average (1 nat is a factor of 2.7 in the likelihood). " +
    "About " + Math.ceil(10000 / nats).toLocaleString("en") + " logs give 10 nats, odds of 22,000 to 1.";
}

// ---- controls ----

function sliderRow(p) {
  const row = element("div", undefined, { className: "slider" });
  const id = "p-" + p.name;
  const label = element("label", p.label, { htmlFor: id });
  const box = element("input", undefined, { type: "number", id: id + "-number", step: "any" });
  const slider = element("input", undefined, { type: "range", id, min: p.logarithmic ? 0 : p.least, max: p.logarithmic ? STEPS : p.most, step: p.logarithmic ? 1 : p.step });
  box.setAttribute("aria-label", p.label + ", as a number");
  slider.addEventListener("input", () => setValue(p, fromSlider(p, Number(slider.value)), slider));
  box.addEventListener("input", () => box.value !== "" && Number.isFinite(Number(box.value)) && setValue(p, Number(box.value), box));
  row.append(label, slider, box);
  if (p.help) {
    const help = element("small", p.help, { id: id + "-help" });
    slider.setAttribute("aria-describedby", help.id);
    row.append(help);
  }
  return row;
}

function showValue(p, but) {
  const value = state.agents[state.shown][p.name];
  const slider = $("p-" + p.name);
  const box = $("p-" + p.name + "-number");
  if (slider !== but) slider.value = toSlider(p, value);
  if (box !== but) box.value = Number.isFinite(value) ? value : "";
  slider.setAttribute("aria-valuetext", number(value));
}

function setValue(p, value, from) {
  state.agents[state.shown][p.name] = value;
  showValue(p, from);
  changed();
}

function buildSliders() {
  const place = $("sliders");
  place.replaceChildren();
  if (state.two) {
    const group = element("fieldset", undefined, { className: "which" });
    group.append(element("legend", "The sliders set"));
    ["Agent A", "Agent B"].forEach((name, i) => {
      const label = element("label");
      const radio = element("input", undefined, { type: "radio", name: "which", checked: i === state.shown });
      radio.addEventListener("change", () => {
        state.shown = i;
        state.parameters.forEach((p) => showValue(p));
        changed();
      });
      label.append(radio, " " + name);
      group.append(label);
    });
    place.append(group);
  }
  state.parameters.forEach((p) => place.append(sliderRow(p)));
  state.parameters.forEach((p) => showValue(p));
}

// A step that no world of the agent allows is refused: the message stays, and the history is as it was.
function addEvent(action, observation) {
  state.history.push([action, observation]);
  if (compute()) changed();
  else state.history.pop();
}

function buildEvents() {
  const seen = state.study.observations.length ? state.study.observations : state.study.states;
  $("events").replaceChildren(...state.study.actions.map((action) => {
    const group = element("fieldset");
    group.append(element("legend", action));
    seen.forEach((o) => {
      const button = element("button", o, { type: "button" });
      button.setAttribute("aria-label", action + ", then " + o);
      button.addEventListener("click", () => addEvent(action, o));
      group.append(button);
    });
    return group;
  }));
}

function buildLegend() {
  $("legend").replaceChildren(...state.study.actions.map((name, u) => {
    const item = element("li");
    const key = element("span", undefined, { className: "key" });
    key.style.borderTopColor = colourOf(u);
    key.style.borderTopStyle = state.study.states.length === 2 && u % DASHES.length ? (u % 2 ? "dashed" : "dotted") : "solid";
    item.append(key, name);
    return item;
  }));
}

// ---- studies ----

// Open a study; false, with its problems on the page, if it cannot be read.
async function openStudy(name, text, values = {}) {
  const opened = engine.open(text);
  complain(opened.error ? opened : null);
  if (opened.error) return false;
  Object.assign(state, { name, text, study: opened.study, history: [], shown: 0, table: null, fit: null, plans: [] });
  state.resolution = opened.study.states.length === 3 && opened.resolution > GRID[3] ? GRID[3] : 0;
  state.parameters = parametersOf(opened.study);
  state.agents = [0, 1].map(() => Object.fromEntries(state.parameters.map((p) => [p.name, values[p.name] ?? p.value])));
  $("study-text").value = text;
  $("study").value = name in STUDIES ? name : "own";
  forgetTable();
  // The worker opens it after what it is doing, of which nothing will be shown.
  stale = busy;
  ask("open", text);
  return true;
}

function buildAll() {
  $("two").checked = state.two;
  buildSliders();
  buildEvents();
  buildLegend();
  $("ideals").hidden = true;
  $("ideals-note").textContent = "Simulating…";
  $("apart").hidden = true;
  changed();
}

async function choose(name, { text, values }) {
  if (await openStudy(name, text, values)) buildAll();
}

// ---- what can be kept: link, study, command ----

function command() {
  const words = (agent) => Object.entries(valuesOf(agent)).map(([name, value]) => " -p " + name + "=" + (value === Infinity ? "inf" : value)).join("");
  const rest = (state.study.solver.tol > TOLERANCE ? " --tol " + TOLERANCE : "") + (state.resolution ? " --resolution " + state.resolution : "") + (state.history.length ? " --history " + historyText() : "") + ($("costs").hidden ? "" : " --occupancy");
  return plansOf().map((i) => "asif plan study.yaml" + words(state.agents[i]) + rest).join("\n");
}

const toBase64 = (bytes) => btoa(bytes.reduce((s, b) => s + String.fromCharCode(b), "")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
const fromBase64 = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

async function stateText() {
  const parts = new URLSearchParams();
  parts.set("study", state.name in STUDIES ? state.name : "own");
  if (!(state.name in STUDIES)) parts.set("text", toBase64(await through(new TextEncoder().encode(state.text), new CompressionStream("gzip"))));
  plansOf().forEach((i) => Object.entries(valuesOf(state.agents[i])).forEach(([name, value]) => parts.set("ab"[i] + "." + name, value)));
  if (state.two) parts.set("two", String(state.shown));
  if (state.history.length) parts.set("history", historyText());
  return parts.toString();
}

async function keepState() {
  history.replaceState(null, "", "#" + (await stateText()));
}

async function restoreState() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const name = parts.get("study") || "diag";
  let { text, values } = STUDIES[name] || {};
  if (parts.get("text")) text = new TextDecoder().decode(await through(fromBase64(parts.get("text")), new DecompressionStream("gzip")));
  if (!text || !(await openStudy(name, text, values))) await openStudy("diag", STUDIES.diag.text, STUDIES.diag.values);
  for (const p of state.parameters)
    for (const i of [0, 1]) if (parts.has("ab"[i] + "." + p.name)) state.agents[i][p.name] = Number(parts.get("ab"[i] + "." + p.name));
  state.two = parts.has("two");
  state.shown = parts.get("two") === "1" ? 1 : 0;
  state.history = (parts.get("history") || "").split(",").filter(Boolean).map((event) => event.split(":"));
  buildAll();
}

function download(name, text) {
  const link = element("a", undefined, { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// ---- a table ----

function forgetTable() {
  for (const id of ["counted", "fit", "fitted", "keep-fit", "fit-progress"]) $(id).hidden = true;
  $("table-note").textContent = "";
}

const told = ({ error, problems = [] }) => [error, ...problems].map((e) => (e.row ? "row " + e.row + ": " : "") + e.message + (e.hint ? "\n  hint: " + e.hint : ""));

async function takeTable(name, text) {
  forgetTable();
  state.table = text;
  $("table-note").textContent = "Reading " + name + "…";
  const counted = await ask("count", text);
  $("table-note").textContent = counted.error ? name + " could not be read. The logs section of the study says which column has which role." : name + " was read.";
  $("counted").hidden = false;
  $("counted").textContent = counted.error ? [...new Set(told(counted))].join("\n") : counted.text;
  $("fit").hidden = !!counted.error;
}

async function fitTable() {
  $("fit").disabled = true;
  $("fit-progress").hidden = false;
  $("fit-progress").removeAttribute("value");
  $("table-note").textContent = "Fitting. This can take a minute; the rest of the page stays usable.";
  const begun = performance.now();
  const result = await ask("fit", state.table);
  $("fit").disabled = false;
  $("fit-progress").hidden = true;
  state.fit = result.fit || null;
  $("fitted").hidden = false;
  $("fitted").textContent = result.error ? told(result).join("\n") : result.summary;
  $("keep-fit").hidden = !result.fit;
  $("table-note").textContent = result.error ? "The fit failed." : "Fitted in " + ((performance.now() - begun) / 1000).toFixed(1) + " seconds.";
}

async function takeFile(file) {
  const text = await file.text();
  if (/\.ya?ml$/i.test(file.name)) await choose("own", { text });
  else await takeTable(file.name, text);
}

// ---- the beginning ----

function listen() {
  $("study").append(...Object.entries(STUDIES).map(([name, { title }]) => new Option(title, name)), new Option("your own", "own"));
  $("study").addEventListener("change", () => $("study").value in STUDIES && choose($("study").value, STUDIES[$("study").value]));
  $("read").addEventListener("click", () => choose("own", { text: $("study-text").value }));
  $("study-file").addEventListener("change", () => $("study-file").files[0] && takeFile($("study-file").files[0]));
  $("table-file").addEventListener("change", () => $("table-file").files[0] && takeFile($("table-file").files[0]));
  $("two").addEventListener("change", () => {
    state.two = $("two").checked;
    state.shown = 0;
    state.agents[1] = { ...state.agents[0] };
    buildSliders();
    changed();
  });
  $("undo").addEventListener("click", () => {
    state.history.pop();
    changed();
  });
  $("clear").addEventListener("click", () => {
    state.history = [];
    changed();
  });
  $("link").addEventListener("click", async () => {
    await keepState();
    await navigator.clipboard.writeText(location.href).then(() => ($("done").textContent = "The link was copied."), () => ($("done").textContent = "The address of this page is the link."));
  });
  $("keep-study").addEventListener("click", () => download("study.yaml", state.text));
  $("keep-fit").addEventListener("click", () => download("fit.json", state.fit));
  $("fit").addEventListener("click", fitTable);
  $("sample").addEventListener("click", async () => {
    const agent = state.agents[state.two ? state.shown : 0];
    const made = await ask("simulate", { values: valuesOf(agent), resolution: state.resolution });
    if (made.error) complain(made);
    else await takeTable("the simulated table", made.text);
  });
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) takeFile(event.dataTransfer.files[0]);
  });
  addEventListener("resize", changed);
  addEventListener("hashchange", restoreState);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

async function start() {
  const wasm = (await through(fromBase64($("wasm").textContent), new DecompressionStream("gzip"))).buffer;
  engine = await makeEngine(wasm);
  await startWorker(wasm);
  listen();
  await restoreState();
  document.body.dataset.ready = "yes";
}
start().catch((error) => complain({ error: { message: "This browser could not start the page: " + error.message } }));
