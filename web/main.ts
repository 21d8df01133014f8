// SPDX-License-Identifier: Apache-2.0
import { embedded, type Page } from "./data";
import { byId, make } from "./dom";
import { GraphView } from "./graph_view";
import { Live } from "./live";
import { Model } from "./model";
import { Panel } from "./panel";
import { Search } from "./search";
import { Table } from "./table";
import { Theme } from "./theme";

// The text with the name in it kept apart: one that is written from right to left turns nothing else round.
function isolated(text: string, name: string): (string | HTMLElement)[] {
  const at = name ? text.indexOf(name) : -1;
  return at < 0 ? [text] : [text.slice(0, at), make("bdi", {}, name), text.slice(at + name.length)];
}

function showHead(page: Page): void {
  const { verdict } = page;
  document.title = `${verdict.text.slice(0, 100)} \u2013 Belay`;
  byId("sides").textContent = [page.b === undefined ? page.a : `${page.a} against ${page.b}`, page.model && `model ${page.model}`]
    .filter(Boolean).join(" \u00b7 ");
  byId("sides").title = byId("sides").textContent!;
  byId("verdict-text").replaceChildren(...isolated(verdict.text, verdict.op === undefined ? "" : page.operators[verdict.op]?.name ?? ""));
  byId("verdict-more").textContent = verdict.more;
  byId("verdict-mark").className = verdict.state;
  byId("verdict-mark").textContent = { good: "\u2713", bad: "!", unknown: "?" }[verdict.state];
  const notes = byId("notes");
  notes.hidden = page.notes.length === 0;
  notes.querySelector("summary")!.textContent = `${page.notes.length} note${page.notes.length === 1 ? "" : "s"}`;
  notes.querySelector("ul")!.replaceChildren(...page.notes.map((note) => make("li", {}, note)));
}

function showLegend(model: Model): void {
  const { mode } = model, legend = byId("legend");
  legend.replaceChildren(make("p", {}, mode.about));
  if (mode.scale) {
    const bar = make("span", { class: "bar" });
    bar.style.background = `linear-gradient(90deg, ${[0, 0.2, 0.4, 0.6, 0.8, 1].map((part) => mode.scale!.at(part)).join(",")})`;
    legend.append(make("div", { class: "scale" }, make("span", {}, mode.scale.from), bar, make("span", {}, mode.scale.to)));
  }
  legend.append(make("div", { class: "keys" }, ...mode.keys.map(({ label, paint }) => {
    const swatch = make("i", { class: "swatch" });
    swatch.style.background = paint.fill;
    return make("span", {}, swatch, label);
  })));
}

function showTools(model: Model): void {
  const colour = byId<HTMLSelectElement>("colour");
  colour.replaceChildren(...model.modes.map((mode) => make("option", { value: mode.id, selected: mode === model.mode }, mode.name)));
  const { steps } = model.page, step = byId<HTMLInputElement>("step");
  byId("step-label").hidden = steps.length < 2;
  step.max = String(steps.length - 1);
  step.value = String(model.step);
  byId("step-now").textContent = `${model.step + 1} of ${steps.length}: ${steps[model.step] ?? ""}`;
  byId("step-now").title = steps[model.step] ?? "";
  for (const id of ["fold", "unfold"]) byId(id).hidden = model.page.groups.length < 2;
}

async function start(): Promise<void> {
  const own = await embedded();
  const live = own ? null : new Live();
  const model = own ? new Model(own.page, own.details) : new Model(live!.page, live!.details);
  showHead(model.page);
  showTools(model);
  showLegend(model);
  const panel = new Panel(model);
  const graph = new GraphView(model, () => panel.focus());
  const search = new Search(model, () => { graph.canvas.focus(); });
  new Table(model, () => graph.draw());
  new Theme((printed) => graph.recolour(printed));
  model.onChange((change) => {
    if (change === "data") showHead(model.page);
    if (change !== "selection" && change !== "scene") showTools(model), showLegend(model);
  });
  byId("colour").addEventListener("input", () => model.colourBy(byId<HTMLSelectElement>("colour").value));
  byId("step").addEventListener("input", () => model.showStep(Number(byId<HTMLInputElement>("step").value)));
  byId("fold").addEventListener("click", () => { model.foldAll(); graph.beginAtChosen(); });
  byId("unfold").addEventListener("click", () => { model.openAll(); graph.beginAtChosen(); });
  byId("fit").addEventListener("click", () => graph.fit());
  byId("in").addEventListener("click", () => graph.zoom(1.3));
  byId("out").addEventListener("click", () => graph.zoom(1 / 1.3));
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key === "/" && !typing) event.preventDefault(), search.focus();
    if (event.key === "Escape") graph.canvas.focus();
  });
  const named = model.page.verdict.op;
  if (named !== undefined) model.select(named);
  document.documentElement.dataset.ready = "yes";
  void live?.follow((state) => {
    byId("live").textContent = { live: "live", ended: "ended", lost: "the server is gone" }[state];
    byId("live").className = state;
    const first = model.page.operators.length > 0 && !graph.seen;
    model.update(live.page);
    if (first) graph.begin();
  });
}

start().catch((problem) => {
  byId("verdict-text").textContent = `This page cannot be shown: ${problem.message ?? problem}`;
});
