// Opens the explorer from disk in a headless browser and reports what it does; what ought to be so is the business of the tests.
// In (JSON): browser (chromium or firefox), executable, page, axe (path of its script), shots (folder or null), settings: [{study,
// values: {name: share of the slider's way}, history}], steps (of a slider, timed), studies (names to look at), table (logs of the
// diagnosis task, to be fitted; or null)
// Out (JSON): {requests: [url], settings: [{values, resolution, plan}], steps: {study: [ms]}, violations: {where: [...]}, wide: [...],
// link: {...}, keyboard: {...}, pair: {...}, fit: {seconds, text, note}}
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const job = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(join(process.env.NODE_MODULES, "x.js"));
const PATIENCE = 300000;

// The same few verbs in Playwright (Chromium) and Puppeteer (Firefox, by WebDriver BiDi).
async function openBrowser() {
  if (job.browser === "chromium") {
    const browser = await require("playwright-core").chromium.launch({ executablePath: job.executable, args: ["--no-sandbox"] });
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(PATIENCE);
    return { browser, page, resize: (width, height) => page.setViewportSize({ width, height }), dark: () => page.emulateMedia({ colorScheme: "dark" }) };
  }
  const browser = await require("puppeteer-core").launch({ browser: "firefox", executablePath: job.executable, headless: true, protocolTimeout: PATIENCE });
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE);
  return { browser, page, resize: (width, height) => page.setViewport({ width, height }), dark: async () => {} };
}

// ---- run inside the page ----

const ready = () => document.body.dataset.ready === "yes";
const settled = () => !document.getElementById("ideals-note").textContent.startsWith("Simulating");

async function setStudy(name) {
  await choose(name, STUDIES[name]);
  await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
}

async function applySetting({ values, history }) {
  state.history = history;
  for (const [name, share] of Object.entries(values)) {
    const slider = document.getElementById("p-" + name);
    slider.value = Number(slider.min) + share * (slider.max - slider.min);
    slider.dispatchEvent(new Event("input"));
  }
  const before = drawn;
  changed();
  while (drawn === before && document.getElementById("problem").hidden) await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
  return { values: { ...state.agents[0] }, resolution: state.resolution, plan: state.plans[0], problem: document.getElementById("problem").textContent };
}

// From the event of a slider to the end of the frame in which the picture was drawn.
async function timeSteps(count) {
  const slider = document.querySelector('#sliders input[type="range"]');
  const out = [];
  for (let i = 0; i < count; i++) {
    slider.value = Number(slider.min) + (0.4 + (0.3 * i) / count) * (slider.max - slider.min);
    const before = drawn;
    const begun = performance.now();
    slider.dispatchEvent(new Event("input"));
    await new Promise((r) => requestAnimationFrame(() => setTimeout(r)));
    out.push(drawn === before + 1 ? performance.now() - begun : null);
    await new Promise((r) => setTimeout(r, 20));
  }
  return out;
}

// A table that is dropped on the page, read, and fitted by its button.
async function fitDropped(text) {
  const dropped = new DataTransfer();
  dropped.items.add(new File([text], "logs.csv"));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
  const until = async (done) => {
    while (!done()) await new Promise((r) => setTimeout(r, 20));
  };
  await until(() => !document.getElementById("fit").hidden);
  const begun = performance.now();
  document.getElementById("fit").click();
  await until(() => !document.getElementById("fitted").hidden);
  return { seconds: (performance.now() - begun) / 1000, text: state.fit, note: document.getElementById("table-note").textContent };
}

function sticksOut() {
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".wide"))
    .map((e) => e.outerHTML.slice(0, 120));
}

// ---- the visit ----

const { browser, page, resize, dark } = await openBrowser();
const requests = [];
const errors = [];
page.on("request", (request) => requests.push(request.url()));
page.on("pageerror", (error) => errors.push(String(error)));
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
await resize(1280, 900);
await page.goto(pathToFileURL(job.page).href);
const wait = async (condition) => {
  for (const begun = Date.now(); !(await page.evaluate(condition)); ) {
    if (Date.now() - begun > PATIENCE) throw new Error("the page is not ready: " + errors.join("; "));
    await new Promise((r) => setTimeout(r, 50));
  }
};
await wait(ready);
const out = { settings: [], steps: {}, violations: {}, wide: [], errors };

for (const setting of job.settings) {
  if ((await page.evaluate(() => state.name)) !== setting.study) await page.evaluate(setStudy, setting.study);
  out.settings.push({ study: setting.study, history: setting.history, ...(await page.evaluate(applySetting, setting)) });
}
for (const name of job.studies) {
  await page.evaluate(setStudy, name);
  await new Promise((r) => setTimeout(r, 600));
  await wait(settled);
  if (job.steps) out.steps[name] = await page.evaluate(timeSteps, job.steps);
}

if (job.table) {
  await page.evaluate(setStudy, "diag");
  out.fit = await page.evaluate(fitDropped, readFileSync(job.table, "utf8"));
}

// A link holds the state: the page that it opens has the same values, history and second agent.
await page.evaluate(setStudy, "diag");
await page.evaluate(() => {
  document.getElementById("two").click();
  document.querySelector('#events button[aria-label="monitor, then positive"]').click();
  setValue(state.parameters[0], 0.8);
  setValue(state.parameters[2], 5);
});
await new Promise((r) => setTimeout(r, 700));
await wait(settled);
await wait(() => document.getElementById("apart-note").textContent !== "");
out.pair = await page.evaluate(async () => {
  const agents = state.agents.map((agent) => ({ values: valuesOf(agent), resolution: 0 }));
  return { values: agents.map((a) => a.values), apart: await ask("apart", { agents, episodes: 20000 }) };
});
const address = await page.evaluate(() => location.href);
const here = () => JSON.stringify([state.name, state.agents, state.two, state.shown, state.history]);
const before = await page.evaluate(here);
await page.goto("about:blank");
await page.goto(address);
await wait(ready);
out.link = { before, after: await page.evaluate(here) };

// The arrow keys move a slider.
await page.evaluate(() => document.querySelector('#sliders input[type="range"]').focus());
const number = () => document.querySelector('#sliders input[type="number"]').value;
const first = await page.evaluate(number);
await page.keyboard.press("ArrowRight");
out.keyboard = { before: first, after: await page.evaluate(number) };

async function check(where) {
  await page.evaluate(readFileSync(job.axe, "utf8"));
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  out.violations[where] = found.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 100)).join(" | "));
}

for (const name of job.studies) {
  await page.evaluate(setStudy, name);
  await page.evaluate(() => {
    const events = document.querySelectorAll("#events fieldset:nth-child(" + (state.name === "dementia" || state.name === "triage" ? 2 : state.study.actions.length === 3 && state.name === "diag" ? 3 : 1) + ") button");
    events[events.length - 1].click();
    events[0].click();
  });
  await new Promise((r) => setTimeout(r, 600));
  await wait(settled);
  for (const width of [1280, 390]) {
    await resize(width, 900);
    await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => setTimeout(r, 50))));
    out.wide.push(...(await page.evaluate(sticksOut)).map((e) => `${name} at ${width}: ${e}`));
    await check(`${name} at ${width}`);
    if (job.shots) await page.screenshot({ path: join(job.shots, `${name}-${width}.png`), fullPage: true });
  }
  await resize(1280, 900);
}
await dark();
await check("dark");
if (job.shots) await page.screenshot({ path: join(job.shots, "dark-1280.png"), fullPage: true });
out.requests = requests.filter((url) => !/^(data|blob|about):/.test(url));
console.log(JSON.stringify(out));
await browser.close();
