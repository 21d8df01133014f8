// SPDX-License-Identifier: Apache-2.0
// Where everything is: belay laid every group out with its children folded; here the open ones make room for what is in them.
import type { Group, Page } from "./data";

export const BOX_WIDTH = 132, BOX_HEIGHT = 38;
const PAD = 14, TITLE = 24;

export interface Box { x: number; y: number; width: number; height: number }
// An operator, a folded group, or the frame of an open one.
export interface Item extends Box { op: number; group: number; open: boolean; depth: number; size: number }
// Points: the start, then two control points and an end for each curve.
export interface Line { from: number; to: number; points: number[]; links: number[]; box: Box }
export interface Scene { items: Item[]; frames: Item[]; lines: Line[]; itemOf: Map<number, Item>; box: Box }

// Grows where something open needs room, and keeps the order: the integral of how much each place is stretched.
class Stretch {
  private readonly at: number[];
  private readonly to: number[];

  constructor(parts: { begin: number; end: number; size: number }[], end: number) {
    const cuts = new Set<number>([0, end]);
    for (const part of parts) cuts.add(part.begin), cuts.add(part.end);
    this.at = [...cuts].sort((a, b) => a - b);
    const by = new Array<number>(this.at.length).fill(1);
    for (const part of parts) {
      const factor = part.size / (part.end - part.begin);
      for (let i = this.find(part.begin); this.at[i] < part.end; ++i) by[i] = Math.max(by[i], factor);
    }
    this.to = [this.at[0]];
    for (let i = 1; i < this.at.length; ++i) this.to.push(this.to[i - 1] + (this.at[i] - this.at[i - 1]) * by[i - 1]);
  }

  private find(value: number): number {
    let low = 0, high = this.at.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.at[middle] <= value) low = middle; else high = middle - 1;
    }
    return low;
  }

  map(value: number): number {
    const i = Math.min(this.find(value), this.at.length - 2);
    if (i < 0) return value;
    const length = this.at[i + 1] - this.at[i];
    return length > 0 ? this.to[i] + ((value - this.at[i]) / length) * (this.to[i + 1] - this.to[i]) : this.to[i];
  }
}

interface Level { x: Stretch; y: Stretch; width: number; height: number; sizes: [number, number][] }

// What does not change when groups open and close.
export class Atlas {
  readonly groupOf: number[] = [];              // of each operator
  private readonly placeOf: number[] = [];      // among the children of that group
  private readonly placeOfGroup: number[] = [];
  private readonly meets: { group: number; from: number; to: number }[] = [];
  private readonly routes: Map<number, number[]>[] = [];
  readonly sizes: number[] = [];                // operators in each group

  constructor(private readonly page: Page) {
    const { groups, links } = page;
    groups.forEach((group, at) => {
      group.children.forEach((child, place) => {
        if (child < 0) this.placeOfGroup[~child] = place;
        else this.groupOf[child] = at, this.placeOf[child] = place;
      });
      this.routes.push(new Map(group.routes.map(([from, to, points]) => [from * group.children.length + to, points])));
    });
    for (const [from, to] of links) this.meets.push(this.meeting(from, to));
    groups.forEach((_, at) => this.count(at));
  }

  private count(group: number): number {
    if (this.sizes[group] === undefined)
      this.sizes[group] = this.page.groups[group].children.reduce((all, child) => all + (child < 0 ? this.count(~child) : 1), 0);
    return this.sizes[group];
  }

  // From the whole inwards.
  ancestors(op: number): number[] {
    const list: number[] = [];
    for (let group = this.groupOf[op]; group >= 0; group = this.page.groups[group].parent) list.unshift(group);
    return list;
  }

  private meeting(from: number, to: number): { group: number; from: number; to: number } {
    const a = this.ancestors(from), b = this.ancestors(to);
    let depth = 0;
    while (depth + 1 < a.length && depth + 1 < b.length && a[depth + 1] === b[depth + 1]) ++depth;
    const place = (op: number, line: number[]) =>
      depth + 1 < line.length ? this.placeOfGroup[line[depth + 1]] : this.placeOf[op];
    return { group: a[depth], from: place(from, a), to: place(to, b) };
  }

  // The operator itself, or ~ of the outermost folded group that it is in.
  shownAs(op: number, open: Set<number>): number {
    for (const group of this.ancestors(op)) if (group > 0 && !open.has(group)) return ~group;
    return op;
  }

  scene(open: Set<number>): Scene {
    const levels = new Map<number, Level>();
    const whole = this.level(0, open, levels);
    const scene: Scene = { items: [], frames: [], lines: [], itemOf: new Map(),
                           box: { x: 0, y: 0, width: whole.width, height: whole.height } };
    const corners = new Map<number, [number, number]>();
    const boxes = new Map<number, Box>();
    this.place(0, 0, 0, 0, open, levels, scene, corners, boxes);
    this.connect(open, levels, scene, corners, boxes);
    return scene;
  }

  private level(at: number, open: Set<number>, levels: Map<number, Level>): Level {
    const group = this.page.groups[at];
    const sizes: [number, number][] = group.children.map((child) => {
      if (child >= 0 || !open.has(~child)) return [BOX_WIDTH, BOX_HEIGHT];
      const inner = this.level(~child, open, levels);
      return [inner.width + 2 * PAD, inner.height + PAD + TITLE];
    });
    const level = { ...stretched(group, sizes), sizes };
    levels.set(at, level);
    return level;
  }

  private place(at: number, x: number, y: number, depth: number, open: Set<number>, levels: Map<number, Level>, scene: Scene,
                corners: Map<number, [number, number]>, boxes: Map<number, Box>): void {
    const group = this.page.groups[at], level = levels.get(at)!;
    corners.set(at, [x, y]);
    group.children.forEach((child, i) => {
      const [width, height] = level.sizes[i];
      const middleX = (level.x.map(group.x[i] - BOX_WIDTH / 2) + level.x.map(group.x[i] + BOX_WIDTH / 2)) / 2;
      const middleY = (level.y.map(group.y[i] - BOX_HEIGHT / 2) + level.y.map(group.y[i] + BOX_HEIGHT / 2)) / 2;
      const isOpen = child < 0 && open.has(~child);
      const item: Item = { x: x + middleX - width / 2, y: y + middleY - height / 2, width, height, depth,
                           op: child, group: child < 0 ? ~child : -1, open: isOpen, size: child < 0 ? this.sizes[~child] : 1 };
      boxes.set(child, item);
      if (!isOpen) {
        scene.items.push(item);
        scene.itemOf.set(child, item);
      } else {
        scene.frames.push(item);
        this.place(~child, item.x + PAD, item.y + TITLE, depth + 1, open, levels, scene, corners, boxes);
      }
    });
  }

  private connect(open: Set<number>, levels: Map<number, Level>, scene: Scene, corners: Map<number, [number, number]>,
                  boxes: Map<number, Box>): void {
    const known = new Map<string, Line>();
    this.page.links.forEach(([from, to], link) => {
      const a = this.shownAs(from, open), b = this.shownAs(to, open);
      if (a === b) return;
      const key = `${a} ${b}`;
      const line = known.get(key);
      if (line) {
        line.links.push(link);
        return;
      }
      const points = this.path(link, a, b, levels, corners, boxes);
      const made = { from: a, to: b, points, links: [link], box: around(points) };
      known.set(key, made);
      scene.lines.push(made);
    });
  }

  // From the lower side of one box to the upper side of the other, along the way that belay found between the children that
  // they are in.
  private path(link: number, a: number, b: number, levels: Map<number, Level>, corners: Map<number, [number, number]>,
               boxes: Map<number, Box>): number[] {
    const { group: at, from, to } = this.meets[link];
    const group = this.page.groups[at], level = levels.get(at)!, [x, y] = corners.get(at)!;
    const outer = boxes.get(group.children[from])!, inner = boxes.get(group.children[to])!;
    const start = boxes.get(a)!, end = boxes.get(b)!;
    const route = this.routes[at].get(from * group.children.length + to) ?? [];
    const points = route.map((value, i) => (i % 2 ? y + level.y.map(value) : x + level.x.map(value)));
    if (points.length >= 4 && points[1] < points[points.length - 1]) {
      points[1] = outer.y + outer.height;
      points[points.length - 1] = inner.y;
    } else if (points.length < 4) {
      points.splice(0, points.length, outer.x + outer.width / 2, outer.y + outer.height);
      curve(points, inner.x + inner.width / 2, inner.y);
    }
    const whole = [start.x + start.width / 2, start.y + start.height];
    if (start === outer) whole.splice(0, 2, points[0], points[1]);
    else curve(whole, points[0], points[1]);
    for (let i = 2; i < points.length; ++i) whole.push(points[i]);
    if (end !== inner) curve(whole, end.x + end.width / 2, end.y);
    return whole;
  }
}

function stretched(group: Group, sizes: [number, number][]): { x: Stretch; y: Stretch; width: number; height: number } {
  const rows = new Map<number, number>();
  const columns: { begin: number; end: number; size: number }[] = [];
  group.children.forEach((_, i) => {
    const [width, height] = sizes[i];
    rows.set(group.y[i], Math.max(rows.get(group.y[i]) ?? BOX_HEIGHT, height));
    if (width > BOX_WIDTH)
      columns.push({ begin: group.x[i] - BOX_WIDTH / 2, end: group.x[i] + BOX_WIDTH / 2, size: width });
  });
  const tall = [...rows].filter(([, height]) => height > BOX_HEIGHT)
    .map(([y, height]) => ({ begin: y - BOX_HEIGHT / 2, end: y + BOX_HEIGHT / 2, size: height }));
  const x = new Stretch(columns, group.width), y = new Stretch(tall, group.height);
  return { x, y, width: x.map(group.width), height: y.map(group.height) };
}

function curve(points: number[], x: number, y: number): void {
  const fromX = points[points.length - 2], fromY = points[points.length - 1];
  const bend = (y - fromY) / 2;
  points.push(fromX, fromY + bend, x, y - bend, x, y);
}

function around(points: number[]): Box {
  let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
  for (let i = 0; i < points.length; i += 2) {
    left = Math.min(left, points[i]);
    right = Math.max(right, points[i]);
    top = Math.min(top, points[i + 1]);
    bottom = Math.max(bottom, points[i + 1]);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export const meet = (a: Box, b: Box): boolean =>
  a.x <= b.x + b.width && b.x <= a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height;
