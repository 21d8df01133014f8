// SPDX-License-Identifier: Apache-2.0
// The graph without a mouse: arrows go along lines and to neighbours, Enter opens.
import type { GraphView } from "./graph_view";
import type { Item } from "./scene";

export class GraphKeys {
  constructor(private readonly view: GraphView) {
    view.canvas.addEventListener("keydown", (event) => { if (this.press(event)) event.preventDefault(); });
    view.canvas.addEventListener("focus", () => { if (this.current() === undefined) this.begin(); else view.redraw(); });
    view.canvas.addEventListener("blur", () => view.redraw());
  }

  private current(): Item | undefined {
    const { focused, model } = this.view;
    if (focused === null) return undefined;
    const shown = focused >= 0 ? model.atlas.shownAs(focused, model.open) : focused;
    return model.scene.itemOf.get(shown);
  }

  private begin(): void {
    const { model } = this.view;
    const guilty = model.page.operators.findIndex((op) => op.blame === "guilty");
    const start = model.op >= 0 ? model.op : guilty >= 0 ? guilty : model.page.verdict.op ?? -1;
    const item = start >= 0 ? model.atlas.shownAs(start, model.open) : model.scene.items[0]?.op;
    if (item !== undefined) this.view.focus(item);
  }

  private press(event: KeyboardEvent): boolean {
    const { view } = this;
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.shiftKey && event.key.startsWith("Arrow")) return this.pan(event.key);
    switch (event.key) {
      case "ArrowDown": return this.follow(1);
      case "ArrowUp": return this.follow(-1);
      case "ArrowLeft": return this.beside(-1);
      case "ArrowRight": return this.beside(1);
      case "Home": return this.end(0);
      case "End": return this.end(-1);
      case "Enter": case " ": return this.open();
      case "f": return this.fold();
      case "+": case "=": view.zoom(1.25); return true;
      case "-": view.zoom(0.8); return true;
      case "0": view.fit(); return true;
      default: return false;
    }
  }

  private pan(key: string): boolean {
    const [dx, dy] = { ArrowLeft: [-60, 0], ArrowRight: [60, 0], ArrowUp: [0, -60], ArrowDown: [0, 60] }[key]!;
    this.view.pan(dx, dy);
    return true;
  }

  private open(): boolean {
    const item = this.current();
    if (item) this.view.open(item.op);
    return true;
  }

  private fold(): boolean {
    const item = this.current(), { model } = this.view;
    if (!item) return true;
    const group = item.op >= 0 ? model.atlas.groupOf[item.op] : model.page.groups[item.group].parent;
    if (group > 0) {
      model.toggle(group);
      this.view.focus(~group);
    }
    return true;
  }

  private end(at: number): boolean {
    const item = this.view.model.scene.items.slice(at)[0];
    if (item) this.view.focus(item.op);
    return true;
  }

  // To the nearest that reads it, or that it reads.
  private follow(direction: 1 | -1): boolean {
    const item = this.current();
    if (!item) return this.end(0);
    const { lines, itemOf } = this.view.model.scene;
    const next = lines.filter((line) => (direction > 0 ? line.from : line.to) === item.op)
      .map((line) => itemOf.get(direction > 0 ? line.to : line.from))
      .filter((each): each is Item => each !== undefined);
    const nearest = next.sort((a, b) => distance(item, a) - distance(item, b))[0];
    if (nearest) this.view.focus(nearest.op);
    return true;
  }

  // To what is drawn beside it.
  private beside(direction: 1 | -1): boolean {
    const item = this.current();
    if (!item) return this.end(0);
    const next = this.view.model.scene.items
      .filter((each) => direction * (each.x - item.x) > 1 && Math.abs(each.y - item.y) < 400)
      .sort((a, b) => aside(item, a) - aside(item, b))[0];
    if (next) this.view.focus(next.op);
    return true;
  }
}

const distance = (a: Item, b: Item) => Math.hypot(a.x - b.x, a.y - b.y);
const aside = (a: Item, b: Item) => Math.abs(a.x - b.x) + 3 * Math.abs(a.y - b.y);
