// SPDX-License-Identifier: Apache-2.0
// belay view: the page while a program runs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import readline from "node:readline";
import { checkedByAxe, openPage } from "./support.mjs";

const PLACE = "20250102030405/0/net/1/0";

// Starts belay view and reads the address that it prints.
async function view(belay, ...words) {
  const child = spawn(belay, ["view", ...words], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  const lines = readline.createInterface({ input: child.stdout });
  const address = await new Promise((found, failed) => {
    lines.on("line", (line) => line.startsWith("belay view: http") && found(line.slice(12)));
    ended.then((code) => failed(new Error(`belay view ended with ${code}`)));
  });
  return { address, ended, stop: () => { child.kill("SIGINT"); return ended; } };
}

// The status of a request as it is, without what a browser makes of it.
function status(address, options = {}) {
  const { hostname, port, pathname } = new URL(address);
  return new Promise((done, failed) => {
    const request = http.request({ host: hostname, port, path: options.path ?? pathname, headers: options.headers, method: options.method },
      (answer) => { answer.resume(); answer.on("end", () => done(answer.statusCode)); });
    request.on("error", failed);
    request.end();
  });
}

const items = (page, count) => page.waitForFunction((count) => Number(document.getElementById("graph").dataset.items) === count, count);

export function liveTests(test, { browser, belay, pages, picture }) {
  test("view: operators appear as their files do, statistics and the overflow with them", async () => {
    const folder = fs.mkdtempSync(`${pages}/live-`), place = path.join(folder, PLACE);
    const { address, stop } = await view(belay, folder);
    const page = await openPage(browser, address);
    assert.match(await page.textContent("h1"), /Waiting|0 tensors/);
    fs.mkdirSync(place, { recursive: true });
    const files = fs.readdirSync(path.join(pages, "arriving", PLACE)).sort((a, b) => a.split(".").at(-1) - b.split(".").at(-1));
    for (const [i, file] of files.entries()) {
      fs.renameSync(path.join(pages, "arriving", PLACE, file), path.join(place, file));
      if (i === 2 || i === files.length - 1) await items(page, i + 1);
    }
    await page.waitForFunction(() => document.querySelector("h1").textContent.includes("overflowed"));
    assert.match(await page.textContent("h1"), /Exp layer\/exp overflowed first: exp\(12\)/);
    await page.fill("#search", "op3");
    await page.press("#search", "Enter");
    assert.match(await page.textContent("#panel"), /Max\s*4/);
    await page.waitForSelector("#panel .details svg");
    await checkedByAxe(page);
    await picture(page, "view");
    assert.equal(await stop(), 0);
    await page.waitForFunction(() => document.getElementById("live").textContent === "the server is gone");
  });

  test("view: a file that is seen before it is whole is read when it is", async () => {
    const folder = fs.mkdtempSync(`${pages}/growing-`), place = path.join(folder, PLACE);
    fs.mkdirSync(place, { recursive: true });
    const from = path.join(pages, "hostile", PLACE), name = fs.readdirSync(from).find((file) => file.includes(".5.0.")), whole = fs.readFileSync(path.join(from, name));
    const { address, stop } = await view(belay, folder);
    const page = await openPage(browser, address);
    fs.writeFileSync(path.join(place, name), whole.subarray(0, whole.length / 2));
    await page.waitForFunction(() => !document.getElementById("notes").hidden);
    const table = "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value\nOutput,0,24,DT_FLOAT,ND,2x3,1\n";
    fs.writeFileSync(path.join(place, "Add.late.9.0.1700000000000009.csv"), table.slice(0, -20));
    fs.appendFileSync(path.join(place, name), whole.subarray(whole.length / 2));
    await items(page, 1);
    fs.writeFileSync(path.join(place, "Add.late.9.0.1700000000000009.csv"), table);
    await items(page, 2);
    await page.waitForFunction(() => ![...document.querySelectorAll("#notes li")].some((note) => /whole|row|header/.test(note.textContent)));
    assert.match(await page.textContent("h1"), /^.?3 tensors of 2 operators so far/);
    assert.equal(await stop(), 0);
  });

  test("view: of outputs alone the first that is not finite is one, and lines are only the order", async () => {
    const { address, stop } = await view(belay, `${pages}/broken_a`);
    const page = await openPage(browser, address);
    await items(page, 5);
    await page.waitForFunction(() => /in 2 executions/.test(document.getElementById("verdict-more").textContent));
    assert.match(await page.textContent("h1"), /^.?Add nan overflowed first/);
    assert.match(await page.textContent("#verdict-more"), /1 operator overflowed in 2 executions\. 10 tensors of 5 operators so far/);
    await page.waitForFunction(() => /order of execution/.test(document.querySelector("#notes ul").textContent));
    assert.equal(await stop(), 0);
  });

  test("view: DIR, then its options", async () => {
    const { address, stop } = await view(belay, `${pages}/hostile`, "--model", `${pages}/half.om`, "--port", "0");
    assert.match(await (await fetch(`${address}news?operators=0&tensors=0&revision=0&drawing=0`)).text(), /half\.om/);
    assert.equal(await stop(), 0);
    await assert.rejects(view(belay, `${pages}/half.om`), /ended with 2/);
  });

  test("view: a program that will not end is ended, by a second Ctrl-C at once", async () => {
    const { address, stop, ended } = await view(belay, `${pages}/hostile`, "--", "sh", "-c", "trap '' TERM INT; while :; do sleep 0.1; done");
    assert.equal(await status(address), 200);
    const begin = Date.now();
    stop();
    await new Promise((done) => setTimeout(done, 500));
    stop();
    assert.equal(await ended, 128 + 9);
    assert.ok(Date.now() - begin < 4000);
  });

  test("view: connections that ask for nothing keep nobody out; HEAD has no body; two hosts are none of ours", async () => {
    const { address, stop } = await view(belay, `${pages}/hostile`);
    const { port, hostname, pathname, host } = new URL(address);
    const idle = Array.from({ length: 100 }, () => net.connect(Number(port), hostname).on("error", () => {}));
    await new Promise((done) => setTimeout(done, 300));
    for (let i = 0; i < 3; ++i) assert.equal(await status(address), 200);
    for (const each of idle) each.destroy();
    assert.equal(await status(address, { method: "HEAD" }), 200);
    const raw = (text) => new Promise((done) => {
      let answer = "";
      const socket = net.connect(Number(port), hostname, () => socket.write(text));
      socket.on("data", (data) => (answer += data)).on("end", () => done(answer));
    });
    assert.match(await raw(`HEAD ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`), /^HTTP\/1.1 200 OK[^]*\r\n\r\n$/);
    assert.match(await raw(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`), /^HTTP\/1.1 403/);
    assert.equal(await stop(), 0);
  });

  test("view: another token, another origin, another host and .. are forbidden; nothing listens beyond loopback", async () => {
    const { address, stop } = await view(belay, pages);
    const { port, pathname, host } = new URL(address);
    assert.equal(await status(address), 200);
    assert.equal(await status(address, { path: "/" }), 403);
    assert.equal(await status(address, { path: `/${"0".repeat(32)}/` }), 403);
    assert.equal(await status(address, { path: `/${"0".repeat(32)}/news` }), 403);
    assert.equal(await status(address, { path: pathname.slice(0, -1) }), 403);
    assert.equal(await status(address, { path: `${pathname}../../etc/passwd` }), 403);
    assert.equal(await status(address, { path: `${pathname}%2e%2e/x` }), 403);
    assert.equal(await status(address, { headers: { Origin: "http://evil.example" } }), 403);
    assert.equal(await status(address, { headers: { Origin: "null" } }), 403);
    assert.equal(await status(address, { headers: { Origin: `http://${host}` } }), 200);
    assert.equal(await status(address, { headers: { Host: `evil.example:${port}` } }), 403);
    assert.equal(await status(address, { path: `${pathname}other` }), 404);
    assert.equal(await status(address, { method: "POST" }), 400);
    const hex = Number(port).toString(16).toUpperCase().padStart(4, "0");
    const listening = ["/proc/net/tcp", "/proc/net/tcp6"].filter((table) => fs.existsSync(table))
      .flatMap((table) => fs.readFileSync(table, "utf8").split("\n")).map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[1]?.endsWith(`:${hex}`) && fields[3] === "0A").map((fields) => fields[1]);
    assert.deepEqual(listening, [`0100007F:${hex}`]);
    assert.equal(await stop(), 0);
  });

  test("view: ends with the program, and has its exit code", async () => {
    const folder = fs.mkdtempSync(`${pages}/program-`), go = path.join(folder, "go");
    const dump = path.join(folder, "d");
    const { address, ended } = await view(belay, dump, "--", "sh", "-c",
      `cp -r '${pages}/hostile' '${dump}'; while [ ! -e '${go}' ]; do sleep 0.1; done; exit 7`);
    const page = await openPage(browser, address);
    await items(page, 8);
    fs.writeFileSync(go, "");
    await page.waitForFunction(() => document.getElementById("live").textContent === "ended");
    assert.equal(await ended, 7);
    assert.match(await page.textContent("h1"), /15 tensors of 8 operators; nothing overflowed/);
    assert.equal(await page.title().then((title) => title.includes("owned")), false);
  });

  test("view: 100 000 operators do not freeze it", async () => {
    const begin = Date.now();
    const { address, stop } = await view(belay, `${pages}/huge`);
    const page = await openPage(browser, address);
    await page.evaluate(() => {
      let last = performance.now();
      window.longest = 0;
      const frame = (now) => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(frame); };
      requestAnimationFrame(frame);
    });
    await page.waitForFunction(() => /^199999 tensors of 100000/.test(document.querySelector("#verdict-text").textContent), null, { timeout: 300000 });
    await page.fill("#search", "op77777");
    await page.press("#search", "Enter");
    assert.equal(await page.textContent("#panel h2"), "part77/op77777");
    console.log(`  100 000 operators: all there after ${Math.round((Date.now() - begin) / 1000)} s; the longest wait between two frames was ${Math.round(await page.evaluate(() => window.longest))} ms`);
    assert.equal(await stop(), 0);
  });
}
