// node newcomer.mjs FIRST_PAGE CHROMIUM: follows links and buttons by their words, from the first page of the site to a fitted table.
// Out (JSON): clicks, and the summary of the fit.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.env.NODE_MODULES, "x.js"));
const [first, executablePath] = process.argv.slice(2);
const browser = await require("playwright-core").chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await (await browser.newContext()).newPage();
page.setDefaultTimeout(120000);
let clicks = 0;
const click = async (role, name) => {
  await page.getByRole(role, { name }).first().click();
  clicks++;
};

await page.goto(pathToFileURL(first).href);
await click("link", "Try it in your browser");
await page.waitForFunction(() => document.body.dataset.ready === "yes");
await click("button", "Simulate 1,000 logs of this agent");
await click("button", "Fit the agent to this table");
await page.waitForFunction(() => document.getElementById("fitted").textContent !== "");
console.log(JSON.stringify({ clicks, summary: await page.locator("#fitted").textContent() }));
await browser.close();
