// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// Opens it, waits until it can be used, and from then on fails on any error in its console.
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: false, ...options });
  const page = await context.newPage();
  page.on("pageerror", (problem) => { throw problem; });
  const expected = address.startsWith("http") ? /Failed to load resource/ : /^$/;  // of a server that has ended
  page.on("console", (message) => assert.ok(message.type() !== "error" || expected.test(message.text()), message.text()));
  await page.goto(address);
  await page.waitForSelector("html[data-ready=yes]");
  return page;
}

export async function checkedByAxe(page) {
  const cdp = await page.context().newCDPSession(page);  // beside the page's policy, as a developer's console is
  const run = (expression) => cdp.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  await run(axe);
  const { result } = await run("axe.run(document).then((found) => found.violations.map((each) => `${each.id}: ${each.help}: ${each.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`))");
  assert.deepEqual(result.value, []);
}

// The rows that the table has made, by column.
export function rowTexts(page) {
  return page.locator(".row").evaluateAll((rows) => rows
    .sort((a, b) => Number(a.getAttribute("aria-rowindex")) - Number(b.getAttribute("aria-rowindex")))
    .map((row) => Object.fromEntries([...row.children].map((cell) => [cell.className.match(/col-(\w+)/)[1], cell.textContent]))));
}

// What is drawn: the page tells it to tests as it tells it to screen readers.
export async function shown(page) {
  const [items, groups] = await page.evaluate(() => {
    const { items, groups } = document.getElementById("graph").dataset;
    return [Number(items), Number(groups)];
  });
  return { items, groups: Array.from({ length: groups }) };
}

export function csvRows(text) {
  const records = [];
  let record = [], field = "", quoted = false;
  for (let i = 0; i < text.length; ++i) {
    const c = text[i];
    if (quoted && c === '"' && text[i + 1] === '"') field += text[++i];
    else if (c === '"') quoted = !quoted;
    else if (c === "," && !quoted) record.push(field), field = "";
    else if (c === "\n" && !quoted) records.push([...record, field]), record = [], field = "";
    else field += c;
  }
  const [head, ...rows] = records;
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}
