// Opens report pages in headless Chromium and tells what is there; what ought to be there is the business of the tests.
// In (JSON): chromium, axe (path of its script), shots (folder), pages: [{name, file, widths, hover (over the figures), full (also
// accessibility, and more pictures; what is printed is kept as PDF)}]
// Out (JSON): {name: {widths: {WIDTH: findings}, still: findings without JavaScript, pdf: {bytes, pages}}}
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const job = JSON.parse(readFileSync(0, "utf8"));
const axeSource = readFileSync(job.axe, "utf8");
const HEIGHT = 900;
const PAPER = 718; // A4 between margins of a centimetre
const PIECE = 8000; // of a screenshot
const PATIENCE = 400000; // in ms: machines that others use, too, can be very slow

// ---- run inside the page ----

// Words and tables, by the text nodes that a reader may come to see.
function words() {
  const hidden = new Set(["SCRIPT", "STYLE", "TITLE"]);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let text = "";
  while (walker.nextNode()) if (!hidden.has(walker.currentNode.parentNode.nodeName)) text += walker.currentNode.data + "\n";
  const texts = (selector) => Array.from(document.querySelectorAll(selector), (e) => e.textContent);
  return {
    text,
    title: document.title,
    headings: texts("main h2"),
    tables: document.querySelectorAll("main table").length,
    cells: texts("main table caption, main table th, main table td"),
    captions: texts("figcaption"),
    alts: Array.from(document.querySelectorAll(".plot"), (p) => p.getAttribute("aria-label")),
    sections: Object.fromEntries(Array.from(document.querySelectorAll("main section"), (e) => [e.id, e.textContent])),
    svgs: document.querySelectorAll(".plot svg.marks").length,
  };
}

// The layout: does anything stick out, is every figure drawn and inside its column?
function layout() {
  // Texts of a drawing that its edge cuts off, and pairs of texts in its legends of which one covers the other.
  function squeezed(svg) {
    const edge = svg.getBoundingClientRect(), cut = [], covered = [];
    const box = (t) => t.getBoundingClientRect();
    for (const t of svg.querySelectorAll("text")) {
      const b = box(t);
      if (b.width > 0 && (b.left < edge.left - 2 || b.right > edge.right + 2 || b.bottom > edge.bottom + 2)) cut.push(t.textContent);
    }
    const words = Array.from(svg.querySelectorAll("g.role-legend text")).filter((t) => box(t).width > 0);
    for (const [i, t] of words.entries())
      for (const u of words.slice(i + 1)) {
        const a = box(t), b = box(u);
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
          covered.push(`${t.textContent} / ${u.textContent}`);
      }
    return { cut, covered };
  }
  const scroller = document.scrollingElement;
  const out = [];
  for (const e of document.body.querySelectorAll("*")) {
    const box = e.getBoundingClientRect();
    if (box.width > 0 && box.right > innerWidth + 1 && !e.closest(".wide, svg, .plot")) out.push(e.outerHTML.slice(0, 160));
  }
  const figures = Array.from(document.querySelectorAll(".plot"), (place) => {
    const svg = place.querySelector("svg.marks");
    const box = svg ? svg.getBoundingClientRect() : { width: 0, height: 0 };
    let marks = 0;
    for (const m of place.querySelectorAll("g.role-mark :is(path, line, rect, text, image)")) {
      const size = m.getBoundingClientRect();
      if (!m.closest(".background, .foreground") && (size.width > 0 || size.height > 0)) marks++;
    }
    return {
      name: place.dataset.spec,
      drawn: place.dataset.drawn ?? "no",
      width: box.width,
      height: box.height,
      natural: svg ? Number(svg.getAttribute("width")) : 0,
      room: place.clientWidth,
      marks,
      ...(svg ? squeezed(svg) : { cut: [], covered: [] }),
      labels: Array.from(place.querySelectorAll("svg.marks text"), (t) => t.textContent),
    };
  });
  // Tables that scroll say so, and others do not; what is in a closed part of the page has no width.
  const silent = Array.from(document.querySelectorAll(".wide")).filter((w) => w.clientWidth > 0 && !matchMedia("print").matches &&
    ((w.scrollWidth > w.clientWidth + 1) !== (getComputedStyle(w, "::before").content !== "none")));
  return { scroll: scroller.scrollWidth, inner: innerWidth, height: scroller.scrollHeight, sticking: out.slice(0, 5), figures, silent: silent.map((w) => w.getAttribute("aria-label")) };
}

// Points over marks of every figure, a dozen each, in coordinates of the document.
function points() {
  const all = [];
  for (const place of document.querySelectorAll(".plot")) {
    const boxes = Array.from(place.querySelectorAll("g.role-mark :is(path, line, rect, text)"), (m) => m.getBoundingClientRect());
    const some = boxes.filter((_, i) => i % Math.ceil(boxes.length / 10) === 0);
    for (const b of some) all.push([b.x + b.width / 2 + scrollX, b.y + b.height / 2 + scrollY]);
    const p = place.getBoundingClientRect();
    for (const f of [0.3, 0.5, 0.7]) all.push([p.x + p.width * f + scrollX, p.y + p.height * f + scrollY]);
  }
  return all;
}

// What only markup in a label could have made: elements and attributes that the page does not use.
function foreign() {
  const own = new Set(["SCRIPT", "STYLE"]);
  const found = [];
  for (const e of document.querySelectorAll("*")) {
    if (/^(img|iframe|object|embed|base|link|b)$/i.test(e.nodeName)) found.push(e.outerHTML.slice(0, 200));
    for (const a of e.attributes) if (/^on/i.test(a.name)) found.push(e.outerHTML.slice(0, 200));
    if (own.has(e.nodeName) && e.closest("svg, h1, h2, h3, p, td, th, figcaption, summary")) found.push(e.outerHTML.slice(0, 200));
  }
  return found;
}

// Labels that turn the direction of writing, and would turn what follows them in the same paragraph, too.
function turned() {
  const found = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const after = node.data.match(/\u202e[^\u202c\u200f]*\u200f?(.*)/s);
    if (!after || node.parentNode.closest("svg, script, bdi")) continue;
    if (/\p{L}/u.test(after[1])) found.push(node.parentNode.outerHTML.slice(0, 300));
  }
  return found;
}

// ---- outside of it ----

const browser = await chromium.launch({ executablePath: job.chromium, headless: true, chromiumSandbox: false });

// A page that is watched: messages, errors, dialogs, and any request but the one for the file, which is refused.
async function open(file, width, options) {
  const context = await browser.newContext({ viewport: { width, height: HEIGHT }, colorScheme: "light", ...options });
  const seen = { messages: [], errors: [], dialogs: [], requests: [] };
  const url = pathToFileURL(file).href;
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.on("console", (m) => {
    if (["error", "warning", "assert"].includes(m.type())) seen.messages.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => seen.errors.push(String(e)));
  page.on("dialog", (d) => (seen.dialogs.push(d.message()), d.dismiss()));
  page.on("request", (r) => {
    if (r.url() !== url && !/^(data|blob):/.test(r.url())) seen.requests.push(r.url());
  });
  context.on("page", (p) => p !== page && seen.requests.push(`window ${p.url()}`));
  await page.route("**/*", (route) => (route.request().url() === url ? route.continue() : route.abort()));
  await page.goto(url);
  return { context, page, seen };
}

async function drawn(page) {
  const done = () => Array.from(document.querySelectorAll(".plot")).every((p) => p.dataset.drawn === "yes");
  await page.waitForFunction(done, undefined, { timeout: PATIENCE }).catch(() => {});
}

// Figures are drawn anew for another width.
async function settled(page) {
  const done = () => Array.from(document.querySelectorAll(".plot")).every((p) => Number(p.dataset.width) === p.clientWidth);
  await page.waitForFunction(done, undefined, { timeout: PATIENCE }).catch(() => {});
  await page.waitForTimeout(200);
}

// In pieces: a page may be longer than a picture can be.
async function photograph(page, path) {
  if (!job.thorough) return;
  const { width, height } = await page.evaluate(() => ({ width: innerWidth, height: document.documentElement.scrollHeight }));
  for (let y = 0, i = 1; y < height; y += PIECE, i++)
    await page.screenshot({ path: `${path}-${i}.png`, fullPage: true, timeout: PATIENCE, clip: { x: 0, y, width, height: Math.min(PIECE, height - y) } });
}

async function violations(page) {
  await page.evaluate(axeSource);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((v) => ({
    id: v.id, impact: v.impact, help: v.help,
    nodes: v.nodes.slice(0, 5).map((n) => n.html.slice(0, 200) + " | " + n.failureSummary.slice(0, 300)),
  }));
}

async function hover(page) {
  const found = [];
  for (const [x, y] of await page.evaluate(points)) {
    await page.evaluate((to) => scrollTo(0, to), y - HEIGHT / 2);
    const top = await page.evaluate(() => scrollY);
    await page.mouse.move(x, y - top);
    await page.waitForTimeout(5);
    const tip = await page.evaluate(() => {
      const t = document.querySelector("#vg-tooltip-element.visible");
      return t && { text: t.textContent, width: t.getBoundingClientRect().width };
    });
    if (tip) found.push(tip);
  }
  await page.mouse.move(0, 0);
  return found;
}

async function see(asked, width) {
  const { context, page, seen } = await open(asked.file, width);
  await drawn(page);
  const found = { words: await page.evaluate(words), light: await page.evaluate(layout) };
  const shot = (kind) => photograph(page, join(job.shots, `${asked.name}-${width}-${kind}`));
  await shot("light");
  if (asked.hover) found.tooltips = await hover(page);
  found.foreign = await page.evaluate(foreign);
  found.turned = await page.evaluate(turned);
  const wide = width === asked.widths[0]; // axe takes long: in short, light where it is wide, dark where it is narrow
  if (asked.full && (wide || job.thorough)) found.axe_light = await violations(page);
  await page.emulateMedia({ colorScheme: "dark" });
  found.dark = await page.evaluate(layout);
  if (asked.full) await shot("dark");
  if (asked.full && (!wide || job.thorough)) found.axe_dark = await violations(page);
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  await page.setViewportSize({ width: PAPER, height: HEIGHT });
  await settled(page);
  found.print = await page.evaluate(layout);
  found.pwned = await page.evaluate(() => (typeof window.pwned === "undefined" ? null : String(window.pwned)));
  await page.emulateMedia({ media: null, colorScheme: null });
  const pdf = await page.pdf({ format: "A4" });
  writeFileSync(join(job.shots, `${asked.name}-${width}.pdf`), pdf);
  found.pdf = { bytes: pdf.length, pages: pdf.toString("latin1").split(/\/Type\s*\/Page\b/).length - 1 };
  Object.assign(found, seen);
  await context.close();
  return found;
}

async function still(asked) {
  const { context, page, seen } = await open(asked.file, 1280, { javaScriptEnabled: false });
  const found = { words: await page.evaluate(words), light: await page.evaluate(layout), ...seen };
  if (asked.full) await photograph(page, join(job.shots, `${asked.name}-still`));
  await context.close();
  return found;
}

const out = {};
for (const asked of job.pages) {
  out[asked.name] = { bytes: statSync(asked.file).size, widths: {}, still: await still(asked) };
  for (const width of asked.widths) out[asked.name].widths[width] = await see(asked, width);
}
await browser.close();
console.log(JSON.stringify(out));
