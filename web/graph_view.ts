// SPDX-License-Identifier: Apache-2.0
// The graph on a canvas: only what is visible is drawn, and only in as much detail as can be seen.
import { announce, byId, cssColour } from "./dom";
import type { Operator } from "./data";
import { GraphKeys } from "./graph_keys";
import { Minimap } from "./minimap";
import type { Model } from "./model";
import { meet, type Box, type Item, type Line } from "./scene";

const MOST = 2.5, LEAST = 0.002, LEAST_TEXT = 0.45, LEAST_CURVE = 0.16;
const FONT = 'ui-sans-serif, system-ui, "Segoe UI", sans-serif';

// The name without its folders; of a fused operator, whose name is made of those of its members, without the first one's.
function shortName({ name, sources }: Operator): string {
  const first = sources && sources.length > 1 ? sources[0] : name, folders = first.lastIndexOf("/", first.length - 2) + 1;
  return name.startsWith(first.slice(0, folders)) ? name.slice(folders) : name;
}

declare global {
  interface CanvasRenderingContext2D { roundRect(x: number, y: number, width: number, height: number, radius: number): void }
}

interface Colours { line: string; lit: string; frame: string; border: string; text: string; faint: string; focus: string; back: string }

export class GraphView {
  readonly canvas = byId<HTMLCanvasElement>("graph");
  scale = 1;
  x = 0;  // of the scene, at the left and upper side of the canvas
  y = 0;
  seen = false;                   // something was there to be drawn
  focused: number | null = null;  // an item: an operator, or ~ of a folded group
  private dirty = false;
  private far: { canvas: HTMLCanvasElement; box: Box; scale: number } | null = null;
  private colours!: Colours;
  private names = new Map<string, string>();
  private readonly minimap: Minimap;

  constructor(readonly model: Model, private readonly opened: () => void) {
    this.minimap = new Minimap(this, byId<HTMLCanvasElement>("minimap"));
    new GraphKeys(this);
    this.pointer();
    new ResizeObserver(() => this.resized()).observe(this.canvas);
    model.onChange((change) => this.changed(change));
    this.recolour();
    this.tell();
    this.resized();
    this.begin();
  }

  // With `now` at once: a page is printed before its next frame.
  recolour(now = false): void {
    this.colours = { line: cssColour("--line"), lit: cssColour("--lit"), frame: cssColour("--frame"), border: cssColour("--border"),
                     text: cssColour("--text"), faint: cssColour("--faint"), focus: cssColour("--focus"), back: cssColour("--canvas") };
    this.minimap.forget();
    this.redraw();
    if (now) this.paint();
  }

  get width(): number { return this.canvas.clientWidth; }
  get height(): number { return this.canvas.clientHeight; }
  get view(): Box { return { x: this.x, y: this.y, width: this.width / this.scale, height: this.height / this.scale }; }

  private changed(change: string): void {
    if (change === "selection" && this.model.op >= 0) {
      this.focused = this.model.op;
      this.show(this.model.op);
    }
    if (change !== "selection") this.minimap.forget();
    this.tell();
    this.redraw();
  }

  // For tests and for whoever inspects the page: how much is drawn.
  private tell(): void {
    this.canvas.dataset.items = String(this.model.scene.items.length);
    this.canvas.dataset.groups = String(this.model.page.groups.length - 1);
  }

  private resized(): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.max(1, Math.round(this.height * ratio));
    this.minimap.forget();
    this.redraw();
  }

  // What was drawn first: the whole when that can be read, else its upper part.
  begin(): void {
    this.fit();
    const { box } = this.model.scene;
    if (this.scale >= LEAST_TEXT) return;
    this.scale = Math.min(1, Math.max(this.scale, (this.width - 48) / Math.max(box.width, 1), LEAST_TEXT));
    this.x = box.x + box.width / 2 - this.width / 2 / this.scale;
    this.y = box.y - 24 / this.scale;
    this.draw();
  }

  fit(): void {
    const { box } = this.model.scene, margin = 24, width = this.width - this.minimap.width;  // nothing lies beneath the small one
    const across = (width - 2 * margin) / Math.max(box.width, 1), down = (this.height - 2 * margin) / Math.max(box.height, 1);
    this.seen = box.width > 0;
    this.scale = Math.min(across, down, 1);
    this.x = box.x + box.width / 2 - width / 2 / this.scale;
    this.y = box.y + box.height / 2 - this.height / 2 / this.scale;
    this.draw();
  }

  // After groups were folded or unfolded: what is chosen stays in view.
  beginAtChosen(): void {
    this.begin();
    if (this.model.op >= 0) this.show(this.model.atlas.shownAs(this.model.op, this.model.open));
  }

  zoom(factor: number, atX = this.width / 2, atY = this.height / 2): void {
    const next = Math.min(MOST, Math.max(Math.min(LEAST, this.scale), this.scale * factor));
    this.x += atX / this.scale - atX / next;
    this.y += atY / this.scale - atY / next;
    this.scale = next;
    this.draw();
  }

  pan(dx: number, dy: number): void {
    this.x += dx / this.scale;
    this.y += dy / this.scale;
    this.draw();
  }

  // Brings an item into view, large enough to be read.
  show(item: number): void {
    const box = this.model.scene.itemOf.get(item);
    if (!box) return;
    const view = this.view, near = 40 / this.scale;
    const inside = box.x > view.x + near && box.x + box.width < view.x + view.width - near && box.y > view.y + near &&
      box.y + box.height < view.y + view.height - near;
    if (inside && this.scale >= LEAST_TEXT) return this.draw();
    this.scale = Math.max(this.scale, 0.8);
    this.x = box.x + box.width / 2 - this.width / 2 / this.scale;
    this.y = box.y + box.height / 2 - this.height / 2 / this.scale;
    this.draw();
  }

  focus(item: number): void {
    this.focused = item;
    this.redraw();
    this.show(item);
    announce(this.describe(item));
  }

  describe(item: number): string {
    const { page, mode } = this.model;
    const value = mode.text(this.model.valueOf(item));
    if (item < 0) return `folded group ${page.groups[~item].name}, ${this.model.atlas.sizes[~item]} operators, ${value}`;
    const op = page.operators[item];
    return `${op.type} ${op.name}, ${value}`;
  }

  open(item: number): void {
    if (item < 0) {
      const first = this.model.page.groups[~item].children[0];
      this.model.toggle(~item);
      this.focus(first);
    } else {
      this.model.select(item);
      this.opened();
    }
  }

  private at(clientX: number, clientY: number): { item?: Item; frame?: Item } {
    const box = this.canvas.getBoundingClientRect();
    const x = this.x + (clientX - box.left) / this.scale, y = this.y + (clientY - box.top) / this.scale;
    const slack = this.scale < LEAST_TEXT ? 3 / this.scale : 0;
    const point = { x: x - slack, y: y - slack, width: 2 * slack, height: 2 * slack };
    const { items, frames } = this.model.scene;
    return { item: items.find((each) => meet(each, point)),
             frame: frames.filter((each) => meet({ ...each, height: 24 }, point)).pop() };
  }

  private pointer(): void {
    const pointers = new Map<number, [number, number]>();
    let moved = 0;
    const distance = () => {
      const [a, b] = [...pointers.values()];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.canvas.setPointerCapture(event.pointerId);
      moved = 0;
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return this.hover(event);
      const apart = pointers.size === 2 ? distance() : 0;
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      const dx = event.clientX - before[0], dy = event.clientY - before[1];
      moved += Math.abs(dx) + Math.abs(dy);
      if (apart > 0) {
        const box = this.canvas.getBoundingClientRect();
        this.zoom(distance() / apart, event.clientX - box.left, event.clientY - box.top);
      } else if (moved > 4) {
        this.pan(-dx, -dy);
      }
    });
    const up = (event: PointerEvent) => {
      if (pointers.delete(event.pointerId) && event.type === "pointerup" && moved <= 4) this.click(event);
    };
    this.canvas.addEventListener("pointerup", up);
    this.canvas.addEventListener("pointercancel", up);
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.canvas.getBoundingClientRect();
      if (event.shiftKey) this.pan(event.deltaY, 0);
      else this.zoom(Math.exp(-event.deltaY / 400), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
  }

  private hover(event: PointerEvent): void {
    const { item, frame } = this.at(event.clientX, event.clientY);
    this.canvas.style.cursor = item || frame ? "pointer" : "grab";
    this.canvas.title = item ? this.describe(item.op) : frame ? `fold ${this.model.page.groups[frame.group].name}` : "";
  }

  private click(event: PointerEvent): void {
    const { item, frame } = this.at(event.clientX, event.clientY);
    if (item) {
      this.focused = item.op;
      this.open(item.op);
    } else if (frame) {
      this.model.toggle(frame.group);
      this.focus(frame.op);
    } else {
      this.model.select(-1);
    }
  }

  // Something looks different than before.
  redraw(): void {
    if (this.far) this.far.scale = NaN;
    this.draw();
  }

  // What is in view has moved.
  draw(): void {
    if (this.dirty) return;
    this.dirty = true;
    requestAnimationFrame(() => this.paint());
  }

  private paint(): void {
    this.dirty = false;
    if (this.scale < LEAST_CURVE) this.paintFar();
    else this.paintView(this.canvas, this.view);
    this.minimap.draw();
  }

  // Far away thousands of boxes are in view, which take longer than a frame: more than the view is drawn, and kept.
  private paintFar(): void {
    const view = this.view, { far } = this;
    const kept = far && far.scale === this.scale && far.box.x <= view.x && far.box.y <= view.y &&
      far.box.x + far.box.width >= view.x + view.width && far.box.y + far.box.height >= view.y + view.height;
    if (!kept) {
      const canvas = far?.canvas ?? document.createElement("canvas");
      canvas.width = 2 * this.canvas.width;
      canvas.height = 2 * this.canvas.height;
      const box = { x: view.x - view.width / 2, y: view.y - view.height / 2, width: 2 * view.width, height: 2 * view.height };
      this.paintView(canvas, box);
      this.far = { canvas, box, scale: this.scale };
    }
    const { canvas, box } = this.far!, ratio = this.canvas.width / Math.max(this.width, 1) * this.scale;
    const context = this.canvas.getContext("2d", { alpha: false })!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(canvas, Math.round((box.x - view.x) * ratio), Math.round((box.y - view.y) * ratio));
  }

  private paintView(canvas: HTMLCanvasElement, view: Box): void {
    const context = canvas.getContext("2d", { alpha: false })!;
    const ratio = this.canvas.width / Math.max(this.width, 1) * this.scale;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colours.back;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(ratio, 0, 0, ratio, -view.x * ratio, -view.y * ratio);
    const { scene } = this.model;
    const frames = scene.frames.filter((frame) => meet(frame, view));
    for (const frame of frames) this.paintFrame(context, frame);
    this.paintLines(context, scene.lines.filter((line) => meet(line.box, view)));
    if (this.scale >= LEAST_TEXT) for (const frame of frames) this.paintTitle(context, frame);
    const visible = scene.items.filter((item) => meet(item, view));
    if (this.scale < LEAST_CURVE) this.paintSmall(context, visible);
    else for (const item of visible) this.paintItem(context, item);
  }

  private paintFrame(context: CanvasRenderingContext2D, frame: Item): void {
    context.fillStyle = this.colours.frame;
    context.strokeStyle = this.colours.border;
    context.lineWidth = 1 / Math.max(this.scale, 0.3);
    context.beginPath();
    context.roundRect(frame.x, frame.y, frame.width, frame.height, 8);
    context.fill();
    context.stroke();
  }

  private paintTitle(context: CanvasRenderingContext2D, frame: Item): void {
    context.font = `11px ${FONT}`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const title = this.cut(context, `\u25be ${this.model.page.groups[frame.group].name}`, frame.width - 20);
    context.fillStyle = this.colours.frame;  // a line that enters does not strike it out
    context.fillRect(frame.x + 7, frame.y + 5, context.measureText(title).width + 6, 16);
    context.fillStyle = this.colours.faint;
    context.fillText(title, frame.x + 10, frame.y + 13);
  }

  private paintLines(context: CanvasRenderingContext2D, lines: Line[]): void {
    const { lit } = this.model, isLit = (line: Line) => lit.size > 0 && line.links.some((link) => lit.has(link));
    const touches = (line: Line) => this.model.op >= 0 && (line.from === this.model.op || line.to === this.model.op);
    const strong = lines.filter(isLit), chosen = lines.filter(touches);
    context.setLineDash(this.model.page.sequence ? [4, 4] : []);
    this.stroke(context, strong.length ? lines.filter((line) => !isLit(line)) : lines, this.colours.line, 1.2);
    this.stroke(context, strong, this.colours.lit, 2.6);
    this.stroke(context, chosen, this.colours.focus, 2);
    context.setLineDash([]);
  }

  private stroke(context: CanvasRenderingContext2D, lines: Line[], colour: string, width: number): void {
    if (lines.length === 0) return;
    const curved = this.scale >= LEAST_CURVE;
    context.beginPath();
    for (const { points } of lines) {
      context.moveTo(points[0], points[1]);
      if (!curved) context.lineTo(points[points.length - 2], points[points.length - 1]);
      for (let i = 2; curved && i + 5 < points.length; i += 6)
        context.bezierCurveTo(points[i], points[i + 1], points[i + 2], points[i + 3], points[i + 4], points[i + 5]);
    }
    context.strokeStyle = colour;
    context.lineWidth = Math.max(width, curved ? 0 : 0.7 / this.scale);
    context.stroke();
  }

  // Far away: boxes of one colour are one path.
  private paintSmall(context: CanvasRenderingContext2D, items: Item[]): void {
    const byColour = new Map<string, Item[]>();
    for (const item of items) {
      const { fill } = this.model.paint(item.op);
      const list = byColour.get(fill);
      if (list) list.push(item); else byColour.set(fill, [item]);
    }
    const least = 1 / this.scale;  // a pixel
    for (const [fill, list] of byColour) {
      context.fillStyle = fill;
      context.beginPath();
      for (const item of list) context.rect(item.x, item.y, Math.max(item.width, least), Math.max(item.height, least));
      context.fill();
    }
    for (const item of items) if (this.isChosen(item) || item.op === this.focused || this.model.isGuilty(item.op)) this.outline(context, item);
  }

  private paintItem(context: CanvasRenderingContext2D, item: Item): void {
    const paint = this.model.paint(item.op);
    context.fillStyle = paint.fill;
    context.strokeStyle = this.colours.border;
    context.lineWidth = 1;
    if (item.op < 0)  // a folded group is a stack
      for (const shift of [6, 3]) {
        context.beginPath();
        context.roundRect(item.x + shift, item.y - shift, item.width - shift, item.height, 6);
        context.fill();
        context.stroke();
      }
    context.beginPath();
    context.roundRect(item.x, item.y, item.width, item.height, item.op < 0 ? 6 : 5);
    context.fill();
    context.stroke();
    this.outline(context, item);
    if (this.scale < LEAST_TEXT) return;
    const [upper, lower] = this.lines(item);
    context.fillStyle = paint.text;
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.font = `600 11.5px ${FONT}`;
    context.fillText(this.cut(context, upper, item.width - 16), item.x + 8, item.y + 13);
    context.font = `10.5px ${FONT}`;
    context.globalAlpha = 0.85;
    context.fillText(this.cut(context, lower, item.width - 16), item.x + 8, item.y + 27);
    context.globalAlpha = 1;
  }

  private lines(item: Item): [string, string] {
    const { page, mode } = this.model;
    if (item.op < 0) return [`\u25b8 ${page.groups[item.group].name}`, `${item.size} operators`];
    const op = page.operators[item.op], value = this.model.value(item.op);
    return [shortName(op), Number.isNaN(value) ? op.type : `${op.type} \u00b7 ${mode.brief(value)}`];
  }

  // The chosen operator, or the folded group that it is in.
  private isChosen(item: Item): boolean {
    return this.model.op >= 0 && item.op === this.model.shownAs;
  }

  private outline(context: CanvasRenderingContext2D, item: Item): void {
    const around = (grow: number, colour: string, width: number) => {
      context.strokeStyle = colour;
      context.lineWidth = width / Math.min(1, this.scale * 1.5);
      context.beginPath();
      context.roundRect(item.x - grow, item.y - grow, item.width + 2 * grow, item.height + 2 * grow, 6 + grow);
      context.stroke();
    };
    if (this.model.isGuilty(item.op)) around(3, this.colours.lit, 2.5);
    if (this.isChosen(item)) around(2, this.colours.focus, 3);
    if (item.op === this.focused && document.activeElement === this.canvas) around(5.5, this.colours.focus, 1.5);
  }

  // The text, or as much of its beginning and end as there is room for.
  private cut(context: CanvasRenderingContext2D, text: string, room: number): string {
    const key = `${context.font}|${Math.round(room)}|${text.length > 300 ? text.slice(0, 150) + text.slice(-150) : text}`;
    let cut = this.names.get(key);
    if (cut !== undefined) return cut;
    cut = text.length > 300 ? `${text.slice(0, 150)}\u2026${text.slice(-150)}` : text;
    for (let kept = cut.length - 1; kept > 4 && context.measureText(cut).width > room; --kept) {
      const front = Math.ceil(kept * 0.55);
      cut = `${text.slice(0, front)}\u2026${text.slice(text.length - (kept - front))}`;
    }
    if (this.names.size > 20000) this.names.clear();
    this.names.set(key, cut);
    return cut;
  }
}
