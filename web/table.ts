// SPDX-License-Identifier: Apache-2.0
// All tensors of the step that is shown: sorted, filtered, and only the rows in view are made.
import type { Real, Tensor } from "./data";
import { byId, make } from "./dom";
import { asNumber, headroom, notFinite, real, shapeText } from "./format";
import type { Model } from "./model";

const ROW = 30, SPARE = 8, PRINTED = 400;

interface Column {
  id: string;
  title: string;
  hint: string;
  text(tensor: Tensor, model: Model): string;
  order(tensor: Tensor, model: Model): number | string | undefined;  // undefined: there is no value
  number?: boolean;
}

const operatorOf = (tensor: Tensor, model: Model) => model.page.operators[tensor.op];
const words = (id: string, title: string, hint: string, text: Column["text"]): Column => ({ id, title, hint, text, order: text });
const given = (value?: Real) => (value === undefined ? undefined : asNumber(value));
const numbers = (id: string, title: string, hint: string, of: (tensor: Tensor, model: Model) => number | undefined, digits = 6): Column => ({
  id, title, hint, number: true, order: of,
  text: (tensor, model) => { const value = of(tensor, model); return value === undefined ? "" : id === "headroom" && value < 0 ? "none" : real(value, digits); },
});
const measure = (id: string, title: string, hint: string) => numbers(id, title, hint, (tensor) => given(tensor.measures?.[id]));
const statistic = (id: "min" | "max" | "mean" | "l2norm", title: string, hint: string) =>
  numbers(id, title, hint, (tensor) => given(tensor.a?.[id]));
const LOW_IS_BAD = ["cosine", "headroom"];

const empty = (key?: number | string) => key === undefined || key === "";

function columnsOf(model: Model): Column[] {
  const { page } = model, has = (test: (tensor: Tensor) => boolean) => page.tensors.some(test);
  const columns = [
    words("name", "Operator", "name of the operator", (tensor) => operatorOf(tensor, model).name),
    words("optype", "Op type", "type of the operator", (tensor) => operatorOf(tensor, model).type),
    words("label", "Tensor", "input or output", (tensor) => tensor.label),
    words("type", "Type", "element type, of A and of B", (tensor) => (tensor.type ?? "") + (tensor.truthType ? `/${tensor.truthType}` : "")),
    words("shape", "Shape", "logical shape", (tensor) => shapeText(tensor.shape)),
  ];
  if (page.b !== undefined) {
    columns.push(words("verdict", "Verdict", "agree or differ", (tensor) => tensor.verdict ?? (tensor.problem ? "unread" : "no partner")));
    columns.push(measure("cosine", "Cosine", "cosine similarity, as in belay compare --csv"));
    columns.push(measure("euclidean", "Rel. Euclid", "relative Euclidean distance"));
    columns.push(measure("maxAbsolute", "Max |x\u2212y|", "largest absolute difference"));
    columns.push(measure("maxUlp", "Max ulp", "largest difference in units of the last place"));
  }
  if (page.operators.some((op) => op.blame)) {
    columns.push(words("blame", "Blame", "clean, inherits, guilty", (tensor) => (tensor.label.startsWith("output") ? operatorOf(tensor, model).blame ?? "" : "")));
  }
  if (has((tensor) => !Number.isNaN(headroom(tensor))))
    columns.push(numbers("headroom", "Headroom", "binades below the largest number of the type", (tensor) => { const room = headroom(tensor); return Number.isNaN(room) ? undefined : room; }, 3));
  columns.push(statistic("min", "Min", "least element of A"), statistic("max", "Max", "largest element of A"),
               statistic("mean", "Mean", "mean of A"));
  columns.push(numbers("notFinite", "NaN, inf", "elements of A that are not finite", (tensor) => (tensor.a ? notFinite(tensor) : undefined)));
  return columns;
}

export class Table {
  private readonly body = byId("table-body");
  private readonly scroller = byId("table-scroll");
  private readonly head = byId("table-head");
  private readonly grid = byId("table-grid");
  private columns: Column[] = [];
  private rows: number[] = [];
  private sorted = "";
  private downwards = true;
  private focused = -1;
  private printed = false;  // on paper all rows are there

  constructor(private readonly model: Model, private readonly chosen: () => void) {
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("keydown", (event) => { if (this.press(event)) event.preventDefault(); });
    for (const id of ["filter", "filter-kind"]) byId(id).addEventListener("input", () => this.rebuild());
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    model.onChange((change) => {
      if (change === "data") this.columns = columnsOf(model), this.makeHead();
      if (change === "selection") this.follow();
      else if (change === "step" || change === "data") this.rebuild(change === "data");
    });
    this.columns = columnsOf(model);
    this.makeHead();
    this.rebuild();
    for (const printed of [true, false])
      window.addEventListener(printed ? "beforeprint" : "afterprint", () => { this.printed = printed; this.draw(); });
  }

  private makeHead(): void {
    const cells = this.columns.map((column) => {
      const order = this.sorted === column.id ? (this.downwards ? "descending" : "ascending") : "none";
      const button = make("button", { type: "button", title: column.hint, click: () => this.sortBy(column) }, column.title,
        make("span", { class: "arrow", "aria-hidden": "true" }, order === "none" ? "" : this.downwards ? "\u25be" : "\u25b4"));
      return make("div", { role: "columnheader", "aria-sort": order, class: `cell ${column.number ? "number" : ""} col-${column.id}` }, button);
    });
    this.head.replaceChildren(...cells);
    this.grid.setAttribute("aria-colcount", String(this.columns.length));
  }

  private sortBy(column: Column): void {
    if (this.sorted === column.id) this.downwards = !this.downwards;
    else this.sorted = column.id, this.downwards = column.number === true;
    const at = this.columns.indexOf(column);
    this.makeHead();
    this.head.children[at].querySelector("button")!.focus();
    this.rebuild();
  }

  private wanted(tensor: Tensor, text: string, kind: string): boolean {
    if (tensor.step !== this.model.step) return false;
    if (kind === "outputs" && !tensor.label.startsWith("output")) return false;
    if (kind === "differ" && tensor.verdict !== "differ") return false;
    if (kind === "guilty" && operatorOf(tensor, this.model).blame !== "guilty") return false;
    if (kind === "broken" && !(notFinite(tensor) > 0)) return false;
    if (!text) return true;
    const op = operatorOf(tensor, this.model);
    return `${op.name} ${op.type} ${tensor.label} ${tensor.type} ${shapeText(tensor.shape)}`.toLowerCase().includes(text);
  }

  private rebuild(keepPlace = false): void {
    const { tensors } = this.model.page;
    const text = byId<HTMLInputElement>("filter").value.trim().toLowerCase(), kind = byId<HTMLSelectElement>("filter-kind").value;
    this.rows = [];
    tensors.forEach((tensor, at) => { if (this.wanted(tensor, text, kind)) this.rows.push(at); });
    const column = this.columns.find((each) => each.id === this.sorted);
    if (column) this.sort(column);
    this.grid.setAttribute("aria-rowcount", String(this.rows.length + 1));
    if (!keepPlace) this.focused = -1, this.scroller.scrollTop = 0;
    byId("count").textContent = `${this.rows.length} of ${tensors.filter((each) => each.step === this.model.step).length} tensors`;
    this.draw();
  }

  // What has no value is last, whichever way; NaN is worse than any number.
  private sort(column: Column): void {
    const keys = new Map(this.rows.map((at) => [at, column.order(this.model.page.tensors[at], this.model)]));
    const sign = this.downwards ? -1 : 1, bad = LOW_IS_BAD.includes(column.id) ? -sign : sign;
    this.rows.sort((a, b) => {
      const x = keys.get(a), y = keys.get(b);
      if (empty(x) || empty(y)) return Number(empty(x)) - Number(empty(y)) || a - b;
      if (Number.isNaN(x) || Number.isNaN(y)) return (Number(Number.isNaN(x)) - Number(Number.isNaN(y))) * bad || a - b;
      return (x! < y! ? -1 : x! > y! ? 1 : 0) * sign || a - b;
    });
  }

  private draw(): void {
    const all = this.printed;
    const height = this.scroller.clientHeight - ROW, top = this.scroller.scrollTop;
    const first = all ? 0 : Math.max(0, Math.floor(top / ROW) - SPARE);
    const last = all ? Math.min(this.rows.length, PRINTED) : Math.min(this.rows.length, Math.ceil((top + height) / ROW) + SPARE);
    this.body.style.height = `${(all ? last : this.rows.length) * ROW}px`;
    this.body.replaceChildren(...this.rows.slice(first, last).map((at, i) => this.row(at, first + i)));
    if (this.focused >= first && this.focused < last) this.scroller.setAttribute("aria-activedescendant", `row-${this.rows[this.focused]}`);
    else this.scroller.removeAttribute("aria-activedescendant");  // it names none that is not there
  }

  private row(at: number, place: number): HTMLElement {
    const tensor = this.model.page.tensors[at], chosen = at === this.model.tensor;
    const state = tensor.verdict === "differ" ? " differs" : "";
    const cells = this.columns.map((column) => {
      const text = column.text(tensor, this.model);
      const mark = column.id === "blame" || column.id === "verdict" ? ` is-${text.replace(/ /g, "-")}` : "";
      return make("div", { role: "gridcell", class: `cell ${column.number ? "number" : ""} col-${column.id}${mark}`, title: text }, text);
    });
    const row = make("div", { role: "row", "aria-rowindex": place + 2, "aria-selected": String(chosen), id: `row-${at}`,
                              class: `row${chosen ? " chosen" : ""}${place === this.focused ? " focused" : ""}${state}`,
                              click: () => this.choose(place) }, ...cells);
    row.style.top = `${place * ROW}px`;
    return row;
  }

  private choose(place: number): void {
    const at = this.rows[place];
    if (at === undefined) return;
    this.focused = place;
    this.model.select(this.model.page.tensors[at].op, at);
    this.chosen();
  }

  // The selected tensor comes into view.
  private follow(): void {
    const place = this.rows.indexOf(this.model.tensor);
    if (place >= 0) this.focusRow(place);
    else this.draw();
  }

  private focusRow(place: number): void {
    this.focused = Math.min(Math.max(place, 0), this.rows.length - 1);
    const top = this.focused * ROW, room = this.scroller.clientHeight - 2 * ROW;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    else if (top > this.scroller.scrollTop + room) this.scroller.scrollTop = top - room;
    this.draw();
  }

  private press(event: KeyboardEvent): boolean {
    if (event.target !== this.scroller || event.ctrlKey || event.metaKey || event.altKey) return false;
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 2);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (event.key in steps) this.focusRow(this.focused + steps[event.key]);
    else if (event.key === "Home") this.focusRow(0);
    else if (event.key === "End") this.focusRow(this.rows.length - 1);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.focused);
    else return false;
    return true;
  }
}
