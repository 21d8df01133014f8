// SPDX-License-Identifier: Apache-2.0
// One operator: what it is, what is known of its tensors, and what to do next.
import { curve, histogram, PictureView } from "./charts";
import type { Detail, Operator, Real, Tensor } from "./data";
import { byId, make } from "./dom";
import { asNumber, duration, element, headroom, indexText, real, shapeText, spelled } from "./format";
import type { Model } from "./model";

const STATISTICS: [string, string][] = [["min", "Min"], ["max", "Max"], ["mean", "Mean"], ["deviation", "Deviation"],
  ["l2norm", "L2 norm"], ["nan", "NaN"], ["plusInf", "+inf"], ["minusInf", "\u2212inf"]];
const MEASURES: [string, string][] = [["cosine", "Cosine similarity"], ["euclidean", "Relative Euclidean distance"],
  ["maxAbsolute", "Max |x\u2212y|"], ["meanAbsolute", "Mean |x\u2212y|"], ["rootMeanSquare", "Root mean square error"],
  ["maxRelative", "Max |x/y\u22121|"], ["meanRelative", "Mean |x/y\u22121|"], ["maxUlp", "Max ulp"], ["psnr", "PSNR (dB)"],
  ["different", "Different elements"]];

function facts(rows: [string, string | Node | undefined | false][]): HTMLElement {
  const list = make("dl", {});
  for (const [name, value] of rows) if (value) list.append(make("dt", {}, name), make("dd", {}, value));
  return list;
}

function grid(head: string[], rows: string[][], caption: string): HTMLElement {
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    make("table", {}, make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...rows.map(([first, ...cells]) =>
        make("tr", {}, make("th", { scope: "row" }, first), ...cells.map((text) => make("td", {}, text)))))));
}

export class Panel {
  private readonly element = byId("panel");
  private statistic = "max";
  private turn = 0;  // details of an earlier selection that come late are not shown

  constructor(private readonly model: Model) {
    model.onChange((change) => { if (change !== "scene" && change !== "colour") this.draw(); });
    this.draw();
  }

  focus(): void { this.element.querySelector<HTMLElement>("h2")?.focus(); }

  private draw(): void {
    const turn = ++this.turn, { page, op, tensor } = this.model;
    const at = this.element.scrollTop;
    if (op < 0) return this.element.replaceChildren(this.overview());
    const operator = page.operators[op];
    const place = make("div", {});
    this.element.replaceChildren(this.title(operator), this.blame(operator), this.choice(), place, this.neighbours(), this.replay(operator));
    this.element.scrollTop = at;
    if (tensor >= 0) this.tensor(page.tensors[tensor], tensor, place, turn);
    else place.append(make("p", { class: "quiet" }, "The dump holds no tensor of this operator in this step."));
  }

  private overview(): HTMLElement {
    const { page } = this.model, count = (verdict: string) => page.operators.filter((op) => op.blame === verdict).length;
    const differ = page.tensors.filter((tensor) => tensor.verdict === "differ").length;
    const worst = page.operators.map((_, op) => op).filter((op) => this.model.mode.alarms(this.model.value(op)))
      .sort((a, b) => this.model.value(b) - this.model.value(a)).slice(0, 8);
    return make("div", {}, make("h2", { tabindex: -1 }, "Overview"),
      facts([["Operators", String(page.operators.length)], ["Tensors", String(page.tensors.length)],
             ["Differ", page.b !== undefined && String(differ)],
             ["Guilty", page.operators.some((each) => each.blame) && String(count("guilty"))],
             ["Inherit", count("inherits") > 0 && String(count("inherits"))],
             ["Not checked", count("not checkable") > 0 && String(count("not checkable"))]]),
      worst.length > 0 && make("h3", {}, `First by ${this.model.mode.name.toLowerCase()}`),
      worst.length > 0 && make("ul", { class: "links" }, ...worst.map((op) => make("li", {}, this.link(op), make("span", { class: "quiet" }, ` ${this.model.mode.text(this.model.value(op))}`)))),
      make("p", { class: "quiet" }, "Choose an operator in the graph, in the table, or by its name."));
  }

  private title(operator: Operator): HTMLElement {
    const sources = operator.sources ?? [], made = sources.length > 1 || (sources.length === 1 && sources[0] !== operator.name);
    return make("header", {}, make("h2", { tabindex: -1 }, operator.name),
      make("p", { class: "chips" }, make("span", { class: "chip" }, operator.type),
        operator.blame && make("span", { class: `chip is-${operator.blame.replace(/ /g, "-")}` }, operator.blame),
        operator.time !== undefined && make("span", { class: "chip" }, duration(operator.time))),
      made && facts([["Made of", sources.join(", ")]]));
  }

  private blame(operator: Operator): HTMLElement | "" {
    if (!operator.blame) return "";
    const { judged, steps } = this.model.page, other = judged !== undefined && judged !== this.model.step;
    const rows = (operator.outputs ?? []).map((each) => [String(each.output), real(each.contributed, 3), real(each.allowed, 3),
      each.inherited === undefined ? "" : real(each.inherited, 3), `${each.wrong} of ${each.elements}`]);
    return make("section", { class: operator.blame === "guilty" ? "blame guilty" : "blame" },
      other && make("p", { class: "quiet" }, `Of step ${judged + 1}, ${steps[judged]}: the one that is shown was not judged.`),
      operator.cause !== undefined && make("p", {}, make("strong", {}, "Cause: "), operator.cause || "the data shows none"),
      operator.share !== undefined && make("p", {}, `When it alone is corrected, ${real(100 * operator.share, 3)} % of the error of the outputs is gone.`),
      operator.why && make("p", {}, operator.why),
      operator.together && make("p", {}, `Judged together with ${operator.together.join(", ")}, which the dump does not have.`),
      rows.length > 0 && grid(["Output", "contributed", "allowed", "inherited", "wrong"], rows, "From its own inputs"),
      operator.terms && operator.terms.length > 0 && make("details", {}, make("summary", {}, "What made the worst element"),
        make("ul", { class: "terms" }, ...operator.terms.map((term) => make("li", {}, term)))));
  }

  private choice(): HTMLElement | "" {
    const list = this.model.tensorsAt(this.model.op);
    if (list.length === 0) return "";
    const select: HTMLSelectElement = make("select", { id: "tensor-choice", input: () => this.model.select(this.model.op, Number(select.value)) },
      ...list.map((at) => make("option", { value: at, selected: at === this.model.tensor },
        `${this.model.page.tensors[at].label} ${this.model.page.tensors[at].type ?? ""} ${shapeText(this.model.page.tensors[at].shape)}`)));
    return make("p", { class: "choice" }, make("label", { for: "tensor-choice" }, "Tensor"), select);
  }

  private tensor(tensor: Tensor, at: number, place: HTMLElement, turn: number): void {
    const both = tensor.b !== undefined, room = headroom(tensor);
    const types = tensor.truthType ? `${tensor.type}, in B ${tensor.truthType}` : tensor.type;
    place.append(facts([["Type", types], ["Shape", shapeText(tensor.shape)], ["Layout", tensor.layout],
      ["Elements", tensor.count !== undefined && String(tensor.count)], ["Partner", tensor.partner && `${tensor.partner}, by ${tensor.by}`],
      ["Verdict", tensor.verdict && (tensor.reason ? `${tensor.verdict}: ${tensor.reason}` : tensor.verdict)],
      ["Problem", tensor.problem], ["Headroom", !Number.isNaN(room) && (room === -Infinity ? "none: not finite" : `${real(room, 3)} binades`)]]));
    const value = (side: Record<string, Real | undefined> | undefined, key: string) => {
      const found = side?.[key], type = side === other ? tensor.truthType ?? tensor.type : tensor.type;
      return found !== undefined && (key === "min" || key === "max") ? element(found, type) : real(found);
    };
    const sides = tensor.a as Record<string, Real> | undefined, other = tensor.b as Record<string, Real> | undefined;
    if (sides)
      place.append(grid(both ? ["Statistic", "A", "B"] : ["Statistic", "A"], STATISTICS.filter(([key]) => sides[key] !== undefined)
        .map(([key, name]) => (both ? [name, value(sides, key), value(other, key)] : [name, value(sides, key)])), "Statistics"));
    if (tensor.measures)
      place.append(grid(["Measure", "x: A, y: B"], MEASURES.map(([key, name]) => [name, real(tensor.measures![key])]), "How far they differ"));
    const later = make("div", { class: "details" });
    place.append(later, this.history(tensor));
    this.model.details(at).then((detail) => { if (turn === this.turn && detail) this.detail(tensor, detail, later); },
      (problem) => { if (turn === this.turn) later.replaceChildren(make("p", { class: "quiet" }, String(problem.message ?? problem))); });
  }

  private detail(tensor: Tensor, detail: Detail, place: HTMLElement): void {
    const shape = tensor.shape ?? [], both = detail.truth !== null;
    place.replaceChildren();
    const values = histogram("Values", [{ name: "B", kind: "b", histogram: detail.truth }, { name: "A", kind: "a", histogram: detail.ours }]);
    if (values) place.append(values);
    const difference = histogram("Difference A \u2212 B", [{ name: "", kind: "d", histogram: detail.difference }]);
    if (difference) place.append(difference);
    if (detail.picture?.codes && detail.picture.most > 0)
      place.append(new PictureView(detail.picture, shape.length ? shape : [1], both ? "Error |A \u2212 B|" : "Magnitude |A|").element);
    const text = (value: Real) => element(value, tensor.type);
    const rows = detail.worst.map(([at, ours, truth, apart]) => both ? [indexText(shape, at), text(ours), element(truth, tensor.truthType ?? tensor.type),
      /int/.test(tensor.type ?? "") ? text(apart) : real(apart, 4)] : [indexText(shape, at), text(ours)]);
    if (rows.length) place.append(grid(both ? ["Element", "A", "B", "A \u2212 B"] : ["Element", "A"], rows, both ? "Farthest apart" : "Largest"));
  }

  // Any statistic of this tensor over the steps.
  private history(tensor: Tensor): HTMLElement | "" {
    const { page, model } = { page: this.model.page, model: this.model };
    if (page.steps.length < 2) return "";
    const at = page.steps.map((_, step) => model.tensorsAt(tensor.op, step).map((each) => page.tensors[each]).find((each) => each.label === tensor.label));
    const names: [string, string][] = [...STATISTICS, ...(tensor.measures ? MEASURES : [])];
    const read = (each?: Tensor) => {
      const value = (each?.a as Record<string, Real> | undefined)?.[this.statistic] ?? each?.measures?.[this.statistic];
      return value === undefined ? undefined : asNumber(value);
    };
    const chart = make("div", {});
    const show = () => chart.replaceChildren(curve("Over the steps", at.map(read), model.step, (step) => model.showStep(step)) ??
      make("p", { class: "quiet" }, "Fewer than two steps have it."));
    const select: HTMLSelectElement = make("select", { id: "statistic", input: () => { this.statistic = select.value; show(); } },
      ...names.map(([key, name]) => make("option", { value: key, selected: key === this.statistic }, name)));
    show();
    return make("section", {}, make("p", { class: "choice" }, make("label", { for: "statistic" }, "Statistic"), select), chart);
  }

  private link(op: number): HTMLElement {
    return make("button", { type: "button", class: "link", click: () => { this.model.select(op); this.focus(); } }, this.model.page.operators[op].name);
  }

  private neighbours(): HTMLElement | "" {
    if (this.model.page.sequence) return "";
    const list = (title: string, ops: number[]) => ops.length > 0 && make("div", {}, make("h3", {}, title),
      make("ul", { class: "links" }, ...ops.slice(0, 40).map((op) => make("li", {}, this.link(op)))));
    return make("section", { class: "neighbours" }, list("Reads", this.model.producers[this.model.op]), list("Is read by", this.model.readers[this.model.op]));
  }

  private replay(operator: Operator): HTMLElement | "" {
    const place = this.model.page.replays?.[this.model.step];
    if (!operator.replay || !place) return "";
    const command = place + operator.replay;
    const said = make("span", { role: "status" });
    const copy = () => navigator.clipboard?.writeText(command).then(() => (said.textContent = "copied"), () => (said.textContent = "select the text to copy it"));
    return make("section", {}, make("h3", {}, "Run it again by itself"),
      make("pre", { tabindex: 0, "aria-label": "command to replay this operator" }, spelled(command)),
      make("p", { class: "no-print" }, make("button", { type: "button", click: () => void copy() }, "Copy"), " ", said));
  }
}
