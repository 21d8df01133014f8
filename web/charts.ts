// SPDX-License-Identifier: Apache-2.0
// Histograms, curves over steps, and the picture of the error.
import { heat, notFiniteColour } from "./colour";
import type { Histogram, Picture } from "./data";
import { draw, make } from "./dom";
import { real } from "./format";

const WIDTH = 336, HEIGHT = 92;

export interface Series { name: string; kind: "a" | "b" | "d"; histogram: Histogram | null }

// Counts, the tallest bar full; small counts stay visible by the root.
export function histogram(title: string, series: Series[]): HTMLElement | null {
  const shown = series.filter((each) => each.histogram);
  if (shown.length === 0) return null;
  const { low, high } = shown[0].histogram!;
  const tallest = Math.max(...shown.map((each) => Math.max(...each.histogram!.counts)), 1);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 18}`, class: "chart", role: "img",
                            "aria-label": `${title}: histogram from ${real(low, 4)} to ${real(high, 4)}` });
  for (const { kind, histogram } of shown) {
    const { counts } = histogram!, step = WIDTH / counts.length;
    const at = (count: number) => HEIGHT - Math.sqrt(count / tallest) * (HEIGHT - 4);
    let path = `M0 ${HEIGHT}`;
    counts.forEach((count, i) => (path += `L${(i * step).toFixed(1)} ${at(count).toFixed(1)}L${((i + 1) * step).toFixed(1)} ${at(count).toFixed(1)}`));
    svg.append(draw("path", { d: `${path}L${WIDTH} ${HEIGHT}Z`, class: `series-${kind}` }));
  }
  svg.append(draw("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT, class: "axis" }));
  if (low < 0 && high > 0) {
    const zero = (-low / (high - low)) * WIDTH;
    svg.append(draw("line", { x1: zero, x2: zero, y1: 0, y2: HEIGHT, class: "zero" }));
    if (zero > 70 && zero < WIDTH - 70) svg.append(draw("text", { x: zero, y: HEIGHT + 14, class: "tick middle" }, "0"));
  }
  svg.append(draw("text", { x: 0, y: HEIGHT + 14, class: "tick" }, real(low, 4)),
             draw("text", { x: WIDTH, y: HEIGHT + 14, class: "tick end" }, real(high, 4)));
  const keys = shown.filter(({ name }) => name).map(({ name, kind }) => make("span", { class: "key" }, make("i", { class: `swatch series-${kind}` }), name));
  return make("figure", {}, make("figcaption", {}, title, ...keys, make("span", { class: "key end" }, `the tallest bar: ${tallest}`)), svg);
}

// One value for each step; steps without one are left out. What is not finite has a mark of its own above or below the curve.
export function curve(title: string, values: (number | undefined)[], current: number, choose: (step: number) => void): HTMLElement | null {
  const known: { value: number; step: number }[] = [];
  values.forEach((value, step) => { if (value !== undefined) known.push({ value, step }); });
  if (known.length < 2) return null;
  const finite = known.filter(({ value }) => Number.isFinite(value)), list = finite.map(({ value }) => value);
  const low = list.reduce((a, b) => Math.min(a, b), Infinity), high = list.reduce((a, b) => Math.max(a, b), -Infinity);
  const x = (step: number) => 6 + (step / Math.max(values.length - 1, 1)) * (WIDTH - 12);
  const y = (value: number) => (!Number.isFinite(value) ? (value === -Infinity ? HEIGHT - 4 : 5) : high > low ? HEIGHT - 8 - ((value - low) / (high - low)) * (HEIGHT - 18) : HEIGHT / 2);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT + 18}`, class: "chart", role: "img",
                            "aria-label": `${title} over ${values.length} steps, ${finite.length ? `from ${real(low, 4)} to ${real(high, 4)}` : "never finite"}` });
  if (finite.length) svg.append(draw("path", { d: `M${finite.map(({ value, step }) => `${x(step).toFixed(1)} ${y(value).toFixed(1)}`).join("L")}`, class: "curve" }));
  for (const { value, step } of known)
    if (known.length <= 64 || step === current)
      svg.append(draw("circle", { cx: x(step), cy: y(value), r: step === current ? 4.5 : 2.5, class: Number.isFinite(value) ? "point" : "point broken", click: () => choose(step) },
        draw("title", {}, `step ${step}: ${real(value)}`)));
  svg.append(draw("text", { x: 2, y: HEIGHT + 14, class: "tick" }, `step ${known[0].step}`),
             draw("text", { x: WIDTH, y: HEIGHT + 14, class: "tick end" }, `step ${known[known.length - 1].step}`),
             draw("text", { x: 2, y: 10, class: "tick" }, finite.length ? real(high, 4) : ""),
             draw("text", { x: 2, y: HEIGHT - 2, class: "tick" }, finite.length && high > low ? real(low, 4) : ""));
  return make("figure", {}, make("figcaption", {}, title), svg);
}

const LONG = 64;  // cells in a row
const CODES = 62, NOT_FINITE = 63, DECADES = 6;

function valueText(code: number, most: number): string {
  if (code === NOT_FINITE) return "not finite";
  return code === 0 ? "0" : real(most * 10 ** (((code - 1) / (CODES - 1) - 1) * DECADES), 2);
}

// The elements that a cell is made of: "4\u20137".
function span(cell: number, cells: number, length: number): string {
  const begin = Math.ceil((cell * length) / cells), end = Math.ceil(((cell + 1) * length) / cells) - 1;
  return begin === end ? String(begin) : `${begin}\u2013${end}`;
}

// A heat map over two axes; every other axis has a slider.
export class PictureView {
  readonly element: HTMLElement;
  private readonly canvas = make("canvas", { class: "picture", role: "img" });
  private readonly reading = make("p", { class: "reading" });
  private readonly place = make("p", { class: "reading" });
  private readonly sliders = make("div", { class: "sliders" });
  private down: number;
  private across: number;
  private readonly at: number[];

  constructor(private readonly picture: Picture, private readonly shape: number[], private readonly what: string) {
    const { cells } = picture;
    this.at = cells.map(() => 0);
    this.across = cells.length - 1;
    this.down = Math.max(0, cells.length - 2);
    this.toWorst();
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.element = make("figure", {}, make("figcaption", {}, what), this.axes(), this.canvas, this.place, this.scale(), this.sliders, this.reading);
    this.draw();
  }

  // Where the largest is, so that it is seen first.
  private toWorst(): void {
    const { cells, codes } = this.picture;
    let place = 0;
    codes!.forEach((code, i) => { if (code > codes![place]) place = i; });
    for (let axis = cells.length - 1; axis >= 0; --axis) {
      this.at[axis] = place % cells[axis];
      place = Math.floor(place / cells[axis]);
    }
  }

  private axes(): HTMLElement | "" {
    if (this.picture.cells.length === 1) return "";  // there is no other
    const choice = (label: string, chosen: number, set: (axis: number) => void) => {
      const select = make("select", { input: () => { set(Number(select.value)); this.draw(); } },
        ...this.picture.cells.map((_, axis) => make("option", { value: axis, selected: axis === chosen }, `axis ${axis}: ${this.shape[axis] ?? 1}`)));
      return make("label", {}, label, select);
    };
    return make("div", { class: "axes" }, choice("down", this.down, (axis) => (this.down = axis)),
                choice("across", this.across, (axis) => (this.across = axis)));
  }

  private scale(): HTMLElement {
    const stops = [0, 0.25, 0.5, 0.75, 1].map((part) => `rgb(${heat(part).map(Math.round).join(",")})`);
    const bar = make("span", { class: "bar" });
    bar.style.background = `linear-gradient(90deg, ${stops.join(",")})`;
    return make("div", { class: "scale" }, make("span", {}, valueText(1, this.picture.most)), bar, make("span", {}, valueText(CODES, this.picture.most)));
  }

  private draw(): void {
    const { cells } = this.picture;
    const others = cells.map((_, axis) => axis).filter((axis) => axis !== this.down && axis !== this.across && cells[axis] > 1);
    this.sliders.replaceChildren(...others.map((axis) => {
      const now = make("output", {}, span(this.at[axis], cells[axis], this.shape[axis]));
      const slider = make("input", { type: "range", min: 0, max: cells[axis] - 1, value: this.at[axis], input: () => {
        this.at[axis] = Number(slider.value);
        now.textContent = span(this.at[axis], cells[axis], this.shape[axis]);
        this.paint();
      } });
      return make("label", {}, `axis ${axis}`, slider, now);
    }));
    this.paint();
  }

  private code(row: number, column: number): number {
    const { cells, codes } = this.picture;
    let place = 0;
    for (let axis = 0; axis < cells.length; ++axis)
      place = place * cells[axis] + (axis === this.across ? column : axis === this.down ? row : this.at[axis]);
    return codes![place];
  }

  // One row alone, when it is long, is broken like a text.
  private get size(): [number, number] {
    const { cells } = this.picture, columns = cells[this.across], rows = this.down === this.across ? 1 : cells[this.down];
    if (rows > 1 || columns <= LONG) return [rows, columns];
    const width = Math.ceil(Math.sqrt(3 * columns));
    return [Math.ceil(columns / width), width];
  }

  private get broken(): boolean { return this.size[1] < this.picture.cells[this.across]; }

  // Along the two axes; undefined: behind the end of a broken row.
  private cellAt(row: number, column: number): [number, number] | undefined {
    if (!this.broken) return [row, column];
    const at = row * this.size[1] + column;
    return at < this.picture.cells[this.across] ? [0, at] : undefined;
  }

  private paint(): void {
    const [rows, columns] = this.size;
    this.canvas.width = columns;
    this.canvas.height = rows;
    this.canvas.style.aspectRatio = `${columns} / ${Math.max(rows, columns / 12)}`;
    const context = this.canvas.getContext("2d")!, image = context.createImageData(columns, rows);
    for (let row = 0; row < rows; ++row)
      for (let column = 0; column < columns; ++column) {
        const cell = this.cellAt(row, column);
        if (!cell) continue;
        const code = this.code(...cell);
        const rgb = code === NOT_FINITE ? notFiniteColour : code === 0 ? [255, 255, 255] : heat((code - 1) / (CODES - 1));
        image.data.set([...rgb, 255], (row * columns + column) * 4);
      }
    context.putImageData(image, 0, 0);
    this.canvas.setAttribute("aria-label", `${this.what}; ${rows} by ${columns} cells`);
    this.reading.textContent = "Each cell is the largest of the elements in it; white is 0.";
    this.place.textContent = this.placeText();
  }

  // What the picture shows of the tensor, in words: on paper there are no controls.
  private placeText(): string {
    const { cells } = this.picture, whole = (axis: number) => `axis ${axis} (0\u2013${Math.max(0, (this.shape[axis] ?? 1) - 1)})`;
    if (cells.length === 1) return `${whole(0)} from left to right${this.broken ? ", row by row" : ""}`;
    const others = cells.map((_, axis) => axis).filter((axis) => axis !== this.down && axis !== this.across && (this.shape[axis] ?? 1) > 1)
      .map((axis) => `axis ${axis} at ${span(this.at[axis], cells[axis], this.shape[axis])}`);
    return [`down: ${whole(this.down)}`, `across: ${whole(this.across)}${this.broken ? ", row by row" : ""}`, ...others].join("; ");
  }

  private point(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect(), [rows, columns] = this.size, { cells } = this.picture;
    const column = Math.min(columns - 1, Math.floor(((event.clientX - box.left) / box.width) * columns));
    const row = Math.min(rows - 1, Math.floor(((event.clientY - box.top) / box.height) * rows));
    const cell = column < 0 || row < 0 ? undefined : this.cellAt(row, column);
    if (!cell) return;
    const index = cells.map((_, axis) => span(axis === this.across ? cell[1] : axis === this.down ? cell[0] : this.at[axis], cells[axis], this.shape[axis] ?? 1));
    this.reading.textContent = `[${index.join(", ")}]: up to ${valueText(this.code(...cell), this.picture.most)}`;
  }
}
