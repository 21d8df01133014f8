// SPDX-License-Identifier: Apache-2.0
// browser.mjs PAGES CHROMIUM BELAY SCREENSHOTS: opens the pages that pages.py made, as a person does, and looks.
// Oracles: the CSV of belay compare, the names that the dumps were written with, axe-core.
import assert from "node:assert/strict";
import fs from "node:fs";
import { chromium } from "playwright-core";
import { liveTests } from "./live.mjs";
import { checkedByAxe, csvRows, openPage, rowTexts, shown } from "./support.mjs";

const [pages, executable, belay, screenshots] = process.argv.slice(2);
fs.mkdirSync(screenshots, { recursive: true });
const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
const tests = [];
const test = (name, body) => tests.push({ name, body });
const open = (page, options) => openPage(browser, `file://${pages}/${page}.html`, options);
const picture = (page, name) => page.screenshot({ path: `${screenshots}/${name}.png` });

test("the verdict is the first thing, and names the guilty operator", async () => {
  const page = await open("guilty");
  const verdict = await page.textContent("h1");
  assert.match(verdict, /Conv2D block1\/conv2.* is guilty: element \[.*\] of output 0/);
  assert.match(await page.textContent("#verdict-more"), /Cause: bit 12/);
  await picture(page, "guilty");
});

test("an operator is found by its name, and opens", async () => {
  const page = await open("guilty");
  await page.fill("#search", "block2/conv1");
  await page.press("#search", "Enter");
  assert.match(await page.textContent("#panel h2"), /^block2\/conv1/);
  assert.match(await page.textContent("#panel"), /Statistics/);
  await picture(page, "node");
});

test("numbers are those of belay compare", async () => {
  const page = await open("guilty");
  const rows = csvRows(fs.readFileSync(`${pages}/guilty.csv`, "utf8")).filter((row) => row.Verdict === "agree" || row.Verdict === "differ");
  assert.ok(rows.length > 8);
  const metrics = { cosine: "CosineSimilarity", euclidean: "RelativeEuclideanDistance", maxAbsolute: "MaxAbsoluteError" };
  for (const row of rows) {
    await page.fill("#filter", `${row.NPUDump} ${row.OpType} output`);
    const texts = await rowTexts(page);
    assert.equal(texts.length, 1, row.NPUDump);
    assert.equal(texts[0].verdict, row.Verdict);
    for (const [ours, theirs] of Object.entries(metrics))
      assert.ok(Math.abs(Number(texts[0][ours]) - Number(row[theirs])) <= 1e-6 + 1e-5 * Math.abs(Number(row[theirs])),
        `${row.NPUDump} ${theirs}: ${texts[0][ours]} in the page, ${row[theirs]} in the CSV`);
    assert.ok(Math.abs(Number(texts[0].maxUlp) - Number(row.MaxUlp)) <= 1e-4 * Number(row.MaxUlp), row.NPUDump);
  }
});

test("the worst element is that of belay compare", async () => {
  const page = await open("guilty");
  const rows = csvRows(fs.readFileSync(`${pages}/guilty.csv`, "utf8")).filter((row) => row.Verdict === "differ");
  assert.ok(rows.length > 0);
  for (const row of rows) {
    await page.fill("#search", row.NPUDump);
    await page.press("#search", "Enter");
    const first = page.locator("#panel .details tbody tr").first();
    assert.equal((await first.locator("th").textContent()).replace(/,/g, ";"), row.WorstIndex.replace(/[ ,]/g, ";"));
    const values = await first.locator("td").allTextContents();
    assert.ok(Math.abs(Number(values[0]) - Number(row.WorstOurs)) <= 1e-5 * Math.abs(Number(row.WorstOurs)));
    assert.ok(Math.abs(Number(values[1]) - Number(row.WorstTruth)) <= 1e-5 * Math.abs(Number(row.WorstTruth)));
  }
});

test("the table sorts both ways, and is linked with the graph", async () => {
  const page = await open("guilty");
  await page.selectOption("#filter-kind", "outputs");
  await page.click(".col-euclidean button");
  const downwards = (await rowTexts(page)).map((row) => Number(row.euclidean || NaN)).filter((value) => !Number.isNaN(value));
  assert.ok(downwards.length > 5);
  assert.deepEqual(downwards, [...downwards].sort((a, b) => b - a));
  assert.equal(await page.getAttribute("#table-head .col-euclidean", "aria-sort"), "descending");
  await page.click(".col-euclidean button");
  const upwards = (await rowTexts(page)).map((row) => Number(row.euclidean || NaN)).filter((value) => !Number.isNaN(value));
  assert.deepEqual(upwards, [...upwards].sort((a, b) => a - b));
  await page.locator(".row").first().click();
  const chosen = await page.locator(".row.chosen .col-name").textContent();
  assert.equal(await page.textContent("#panel h2"), chosen);
  await page.fill("#search", "head/softmax");
  await page.press("#search", "Enter");
  assert.match(await page.locator(".row.chosen .col-name").textContent(), /softmax/);
});

test("groups fold and unfold", async () => {
  const page = await open("guilty");
  const before = await shown(page);
  assert.ok(before.groups.length > 0);
  await page.click("#fold");
  const folded = await shown(page);
  assert.ok(folded.items < before.items);
  await picture(page, "folded");
  await page.click("#unfold");
  assert.equal((await shown(page)).items, before.items);
  await page.fill("#search", "head/softmax");
  await page.press("#search", "Enter");
  for (const button of ["#fold", "#unfold"]) {
    await page.click(button);
    assert.match(await page.textContent("#panel h2"), /softmax/);  // what was chosen stays
  }
  await page.focus("#graph");
  await page.keyboard.press("f");
  assert.ok((await shown(page)).items < before.items);
});

test("colours change with what is asked", async () => {
  const page = await open("guilty");
  const modes = await page.locator("#colour option").evaluateAll((list) => list.map((each) => each.value));
  assert.deepEqual(modes, ["error", "blame", "headroom", "time", "magnitude"]);
  const seen = new Set();
  for (const mode of modes) {
    await page.selectOption("#colour", mode);
    seen.add(await page.textContent("#legend"));
    await page.waitForTimeout(0);
    seen.add((await page.locator("#graph").screenshot()).toString("base64"));
  }
  assert.equal(seen.size, 2 * modes.length);
});

test("the keyboard alone is enough", async () => {
  const page = await open("guilty");
  await page.keyboard.press("/");
  await page.keyboard.type("block0/tanh");
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#panel h2"), /block0\/tanh$/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "graph");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.textContent("#announcer"), /block0\/gate/);
  await page.keyboard.press("Enter");
  assert.match(await page.textContent("#panel h2"), /^block0\/gate/);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "H2");
  for (let i = 0; i < 40 && (await page.evaluate(() => document.activeElement.id)) !== "table-scroll"; ++i) await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "table-scroll");
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  assert.equal(await page.textContent("#panel h2"), await page.locator(".row .col-name").last().textContent());
});

test("dark and light", async () => {
  const dark = await open("guilty", { colorScheme: "dark" });
  const back = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  assert.equal(await dark.getAttribute("html", "data-theme"), "dark");
  const darkBack = await back(dark);
  await picture(dark, "dark");
  await dark.click("#theme");
  assert.equal(await dark.getAttribute("html", "data-theme"), "light");
  assert.notEqual(await back(dark), darkBack);
});

test("a phone's width has no sideways scrolling, and paper has every operator's row", async () => {
  const page = await open("guilty", { viewport: { width: 390, height: 844 } });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, "phone");
  const wide = await open("guilty");
  await wide.emulateMedia({ media: "print" });
  await wide.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const count = Number((await wide.textContent("#count")).split(" ")[0]);
  assert.equal(await wide.locator(".row").count(), count);
  await wide.pdf({ path: `${screenshots}/print.pdf` });
});

test("one side alone shows its values", async () => {
  const page = await open("one");
  await page.fill("#search", "product");
  await page.press("#search", "Enter");
  assert.match(await page.textContent("#panel"), /Largest/);
  assert.equal(await page.locator(".col-cosine").count(), 0);
});

test("several executions: a slider, and a curve of any statistic", async () => {
  const page = await open("steps");
  assert.equal(await page.getAttribute("#step", "max"), "2");
  await page.fill("#search", "head/softmax");
  await page.press("#search", "Enter");
  assert.equal(await page.locator("#panel .curve").count(), 1);
  await page.selectOption("#statistic", "mean");
  await page.focus("#step");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent("#step-now"), /2 of 3/);
  assert.match(await page.textContent("#panel h2"), /softmax/);
});

test("what was judged in another step says so", async () => {
  const page = await open("judged");
  assert.match(await page.textContent("h1"), /No operator is guilty: each of \d+ made/);
  await page.fill("#search", "head/softmax");
  await page.press("#search", "Enter");
  assert.doesNotMatch(await page.textContent("#panel"), /was not judged/);
  await page.focus("#step");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent("#panel"), /Of step 2, .*: the one that is shown was not judged/);
});

test("what is not finite is told, sorted as the worst, and has its place in the curve", async () => {
  const page = await open("broken");
  await page.click(".col-mean button");
  const rows = await rowTexts(page);
  assert.deepEqual(rows.slice(0, 3).map((row) => [row.name, row.mean]).sort(), [["all", "nan"], ["inf", "inf"], ["nan", "nan"]]);
  assert.equal(rows[2].name, "inf");
  await page.click(".col-cosine button");
  await page.click(".col-cosine button");  // upwards: the least alike first
  assert.equal((await rowTexts(page))[0].cosine, "nan");
  await page.fill("#search", "inf");
  await page.press("#search", "Enter");
  const statistics = async () => Object.fromEntries(await page.locator("#panel table").first().locator("tbody tr").evaluateAll((list) =>
    list.map((row) => [row.children[0].textContent, row.children[1].textContent])));
  assert.equal((await statistics()).Max, "inf");       // numpy: max, linalg.norm of what pages.py wrote
  assert.equal((await statistics())["L2 norm"], "inf");
  assert.match(await page.textContent("#panel"), /Over the steps/);
  assert.equal(await page.locator("#panel .point.broken").count(), 2);
  await page.fill("#search", "all");
  await page.press("#search", "Enter");
  assert.equal((await statistics())["L2 norm"], "nan");
  assert.equal((await statistics()).Max, "nan");
  await page.fill("#search", "big");
  await page.press("#search", "Enter");
  assert.equal((await statistics()).Max, "9007199254740993");
  assert.deepEqual(await page.locator("#panel .details tbody tr").first().locator("td").allTextContents(), ["9007199254740993", "9007199254740992", "1"]);
  await picture(page, "broken");
});

test("the command to replay is of the step that is shown; without links lines are only the order", async () => {
  const page = await open("broken");
  await page.fill("#search", "fine");
  await page.press("#search", "Enter");
  for (const step of [0, 1]) {
    await page.evaluate((step) => { const slider = document.getElementById("step"); slider.value = step; slider.dispatchEvent(new Event("input")); }, step);
    assert.match(await page.textContent("#panel pre"), new RegExp(`broken_a/20250102030405/0/net/1/${step} --op fine$`));
  }
  assert.match(await page.locator("#notes li").allTextContents().then((list) => list.join()), /order of execution/);
  assert.doesNotMatch(await page.textContent("#panel"), /Is read by/);
});

test("hostile names are text", async () => {
  const names = JSON.parse(fs.readFileSync(`${pages}/hostile.json`, "utf8"));
  const page = await open("hostile");
  for (const name of names) {
    await page.fill("#search", name.replace("\u202e", "").slice(0, 200));
    await page.press("#search", "Enter");
    assert.equal(await page.textContent("#panel h2"), name.replace("\u202e", "\\u202e"));  // what turns text round is spelled
  }
  assert.match(await page.title(), /Belay/);
  assert.equal(await page.locator("img").count(), 0);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await picture(page, "hostile");
});

test("belay show and belay overflow make pages of their own", async () => {
  const shows = await open("show");
  assert.equal((await shown(shows)).items, 6);
  assert.match(await shows.textContent("h1"), /holds 11 tensors\./);
  const overflow = await open("overflow");
  assert.match(await overflow.textContent("h1"), /Exp layer\/exp overflowed first: exp\(12\) = 162754\.8, beyond 65504\./);
  assert.match(await overflow.textContent("#panel h2"), /layer\/exp/);
  assert.match(await overflow.textContent("#panel"), /\+inf\s*1/);
});

for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["a phone", { viewport: { width: 390, height: 844 } }]])
  test(`axe-core finds no violation: ${name}`, async () => {
    const page = await open("guilty", options);
    await checkedByAxe(page);
    await page.fill("#search", "conv");
    await checkedByAxe(page);
    await page.press("#search", "Enter");
    await checkedByAxe(page);
    await page.fill("#search", "there is none");
    await checkedByAxe(page);
    await page.evaluate(() => document.getElementById("table-scroll").scrollTo(0, 1e6));  // away from the chosen row
    await page.waitForTimeout(100);
    await checkedByAxe(page);
    await page.fill("#filter", "there is none");
    await checkedByAxe(page);
    await page.press("#table-scroll", "ArrowDown");
    await checkedByAxe(page);
  });

test("5 000 operators", async () => {
  const begin = Date.now();
  const page = await open("large");
  const usable = Date.now() - begin;
  assert.match(await page.textContent("#panel"), /5000/);
  await page.click("#unfold");
  assert.equal((await shown(page)).items, 5000);
  await picture(page, "large");
  await page.click("#fit");
  const far = await panning(page);
  await page.fill("#search", "stage4/block222/join");
  await page.press("#search", "Enter");
  const near = await panning(page);
  await picture(page, "large-near");
  await page.fill("#search", "stage7/block371/join");
  await page.press("#search", "Enter");
  assert.equal(await page.textContent("#panel h2"), "stage7/block371/join");
  console.log(`  5 000 operators: usable after ${usable} ms; panning all of them ${far}, near ${near} frames a second`);
});

// Frames a second while the mouse drags for 120 frames.
async function panning(page) {
  return page.evaluate(async () => {
    const canvas = document.getElementById("graph"), box = canvas.getBoundingClientRect();
    const event = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: box.left + 300 + x, clientY: box.top + 200, buttons: 1, bubbles: true }));
    canvas.setPointerCapture = () => {};
    event("pointerdown", 0);
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    await frame();
    const begin = performance.now();
    for (let i = 1; i <= 120; ++i) { event("pointermove", 40 * Math.sin(i / 10)); await frame(); }
    const rate = 120000 / (performance.now() - begin);
    event("pointerup", 0);
    return Math.round(rate);
  });
}


liveTests(test, { browser, belay, pages, picture });

let failed = 0;
for (const { name, body } of tests) {
  try {
    await body();
    console.log(`ok    ${name}`);
  } catch (problem) {
    ++failed;
    console.log(`FAIL  ${name}\n${problem.stack ?? problem}`);
  }
  for (const context of browser.contexts()) await context.close();
}
await browser.close();
console.log(`${tests.length - failed} of ${tests.length} browser tests passed, Chromium ${browser.version()}`);
process.exit(failed ? 1 : 0);
