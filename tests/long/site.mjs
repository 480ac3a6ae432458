// Opens every page of the site from disk in headless Chromium. In: FOLDER CHROMIUM [SHOTS] (NODE_MODULES: where playwright-core is).
// Out (JSON): {pages, foreign: [requests to other hosts], missing: [files that are not there], wide: [...], found: {word: [titles]}}
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, executablePath, shots] = process.argv.slice(2);
const { chromium } = createRequire(join(process.env.NODE_MODULES, "x.js"))("playwright-core");
const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html") && name !== "404.html");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--allow-file-access-from-files"] });
const page = await browser.newPage();
page.setDefaultTimeout(120000);
const out = { pages: pages.length, foreign: [], missing: [], wide: [], found: {} };
page.on("request", (request) => /^https?:/.test(request.url()) && out.foreign.push(request.url()));
page.on("requestfailed", (request) => request.url().startsWith("file:") && out.missing.push(request.url()));
if (shots) mkdirSync(shots, { recursive: true });

for (const name of pages) {
  await page.goto(pathToFileURL(join(folder, name)).href, { waitUntil: "load" });
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForTimeout(400); // the theme moves its menus, on a busy machine for longer
    let over = Infinity;
    for (let i = 0; i < 20 && over > 1; i++) {
      if (i) await page.waitForTimeout(250);
      over = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
    }
    if (over > 1) out.wide.push(`${name} at ${width}: ${over} px`);
    if (shots) await page.screenshot({ path: join(shots, name.replaceAll("/", "-").replace(/html$/, width + ".png")) });
  }
  const links = await page.evaluate(() => [...document.querySelectorAll("a[href]")].map((a) => a.href).filter((href) => href.startsWith("file:")));
  for (const href of new Set(links)) {
    const path = decodeURIComponent(new URL(href).pathname);
    if (!existsSync(path)) out.missing.push(relative(folder, path) + " from " + name);
  }
}
await page.setViewportSize({ width: 1280, height: 900 });
await page.goto(pathToFileURL(join(folder, "index.html")).href, { waitUntil: "load" });
for (const word of ["optimism", "xyzzyq"]) {
  await page.fill('input[name="query"]', "");
  await page.click('input[name="query"]');
  await page.keyboard.type(word);
  await page.waitForFunction((w) => /matching|No /.test(document.querySelector(".md-search-result__meta").textContent) && document.querySelector('input[name="query"]').value === w, word);
  await page.waitForTimeout(1500);
  out.found[word] = await page.evaluate(() => [...document.querySelectorAll(".md-search-result__item h1")].map((e) => e.textContent));
}
console.log(JSON.stringify(out));
await browser.close();
