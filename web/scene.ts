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

// `same`: nothing in it is open.
interface Level { x: Stretch; y: Stretch; width: number; height: number; same: boolean; sizes: [number, number][] }

// What does not change when groups open and close.
export class Atlas {
  readonly groupOf: number[] = [];              // of each operator
  private readonly placeOf: number[] = [];      // among the children of that group
  private readonly placeOfGroup: number[] = [];
  private readonly meets: number[] = [];        // of each link the innermost group that both ends are in
  private readonly routes: Map<number, number[]>[] = [];
  private readonly ports: Map<number, number>[] = [];  // by 2 * operator + outwards: the place behind the children
  readonly sizes: number[] = [];                // operators in each group

  constructor(private readonly page: Page) {
    const { groups, links } = page;
    groups.forEach((group, at) => {
      group.children.forEach((child, place) => {
        if (child < 0) this.placeOfGroup[~child] = place;
        else this.groupOf[child] = at, this.placeOf[child] = place;
      });
      const places = group.children.length + group.ports.length;
      this.routes.push(new Map(group.routes.map(([from, to, points]) => [from * places + to, points])));
      this.ports.push(new Map(group.ports.map(([source, out], i) => [2 * source + out, group.children.length + i])));
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

  private meeting(from: number, to: number): number {
    const a = this.ancestors(from), b = this.ancestors(to);
    let depth = 0;
    while (depth + 1 < a.length && depth + 1 < b.length && a[depth + 1] === b[depth + 1]) ++depth;
    return a[depth];
  }

  // The group that an item is in, and its place there.
  private home(item: number): [number, number] {
    return item >= 0 ? [this.groupOf[item], this.placeOf[item]] : [this.page.groups[~item].parent, this.placeOfGroup[~item]];
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

  // From the lower side of one box to the upper side of the other: out of the groups that only the first is in, through the one
  // that both are in, into those of the other; in each along the way that belay found past its children.
  private path(link: number, a: number, b: number, levels: Map<number, Level>, corners: Map<number, [number, number]>,
               boxes: Map<number, Box>): number[] {
    const source = this.page.links[link][0], meets = this.meets[link];
    const legs: Leg[] = [];
    const up = (item: number, out: number, add: (leg: Leg) => void): [number, number] => {
      let [group, place] = this.home(item);
      for (; group !== meets; [group, place] = this.home(~group)) {
        const port = this.ports[group].get(2 * source + out) ?? place;
        add(out ? { group, from: place, to: port } : { group, from: port, to: place });
      }
      return [group, place];
    };
    const inwards: Leg[] = [];
    const [, from] = up(a, 1, (leg) => legs.push(leg)), [, to] = up(b, 0, (leg) => inwards.unshift(leg));
    legs.push({ group: meets, from, to }, ...inwards);
    const whole: number[] = [];
    let crosses: number | undefined;  // where the border between two legs is crossed
    legs.forEach((leg, i) => {
      const next = legs[i + 1], inner = next && this.page.groups[leg.group].children[leg.to] === ~next.group;
      const begin = crosses ?? this.portX(leg, leg.from, levels, corners);
      const end = inner ? this.portX(next, next.from, levels, corners) : this.portX(leg, leg.to, levels, corners);
      crosses = inner ? undefined : end;
      const points = this.leg(leg, begin, end, levels, corners, boxes);
      if (whole.length === 0) whole.push(points[0], points[1]);
      else straight(whole, points[0], points[1]);
      for (let at = 2; at < points.length; ++at) whole.push(points[at]);
    });
    return whole;
  }

  // undefined: the place is no port.
  private portX(leg: Leg, place: number, levels: Map<number, Level>, corners: Map<number, [number, number]>): number | undefined {
    const group = this.page.groups[leg.group], port = group.ports[place - group.children.length];
    return port && corners.get(leg.group)![0] + levels.get(leg.group)!.x.map(port[2]);
  }

  // The way in one group. `begin` and `end` say where it meets its ends, which are wider than when it was found.
  private leg({ group: at, from, to }: Leg, begin: number | undefined, end: number | undefined, levels: Map<number, Level>,
              corners: Map<number, [number, number]>, boxes: Map<number, Box>): number[] {
    const group = this.page.groups[at], level = levels.get(at)!, [x, y] = corners.get(at)!, count = group.children.length;
    const route = this.routes[at].get(from * (count + group.ports.length) + to) ?? [];
    const ends = [from, to].map((place, i): [number, number] => {
      const wanted = i === 0 ? begin : end;
      if (place >= count) return [wanted!, y + level.y.map(group.ports[place - count][3])];
      const box = boxes.get(group.children[place])!, raw = route.length ? route[i === 0 ? 0 : route.length - 2] : group.x[place];
      const part = Math.max(-0.9, Math.min(0.9, (raw - group.x[place]) / (BOX_WIDTH / 2)));
      return [wanted ?? box.x + (box.width * (1 + part)) / 2, i === 0 ? box.y + box.height : box.y];
    });
    if (route.length < 8 || route[1] > route[route.length - 1]) {  // none, or it runs backwards
      const points = [...ends[0]];
      curve(points, ...ends[1]);
      return points;
    }
    const fine = level.same ? route : halved(halved(route));
    const points = fine.map((value, i) => (i % 2 ? y + level.y.map(value) : x + level.x.map(value)));
    land(points, ...ends[1], 1);
    const back = reversed(points);
    land(back, ...ends[0], -1);
    return reversed(back);
  }
}

interface Leg { group: number; from: number; to: number }

function stretched(group: Group, sizes: [number, number][]): Omit<Level, "sizes"> {
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
  return { x, y, width: x.map(group.width), height: y.map(group.height), same: columns.length + tall.length === 0 };
}

const GAP = 22;  // between two rows of boxes, where a line may move aside

const reversed = (points: number[]): number[] => {
  const back: number[] = [];
  for (let i = points.length - 2; i >= 0; i -= 2) back.push(points[i], points[i + 1]);
  return back;
};

// The first and the second part of the curve that begins at `at`, as points.
function split(points: number[], at: number, part: number): [number[], number[]] {
  const mix = (a: number[], b: number[]) => a.map((value, i) => value + part * (b[i] - value));
  const [p0, p1, p2, p3] = [0, 2, 4, 6].map((i) => [points[at + i], points[at + i + 1]]);
  const a = mix(p0, p1), b = mix(p1, p2), c = mix(p2, p3), d = mix(a, b), e = mix(b, c), middle = mix(d, e);
  return [[...p0, ...a, ...d, ...middle], [...middle, ...e, ...c, ...p3]];
}

// The same curves in twice as many pieces: then what stretches their points stretches them.
function halved(points: number[]): number[] {
  const fine = points.slice(0, 2);
  for (let at = 0; at + 7 < points.length; at += 6)
    for (const half of split(points, at, 0.5)) fine.push(...half.slice(2));
  return fine;
}

// Lets the curves end at x, y instead: they turn aside within the gap before their end. `down`: 1, or -1 when they run upwards.
function land(points: number[], x: number, y: number, down: 1 | -1): void {
  const endX = points[points.length - 2], endY = points[points.length - 1];
  if (Math.abs(endX - x) > 1) {
    const turn = endY - down * GAP;
    let at = points.length - 8;
    while (at > 0 && down * points[at + 1] > down * turn) at -= 6;
    let low = 0, high = 1;
    for (let i = 0; i < 12; ++i) {
      const middle = (low + high) / 2;
      if (down * split(points, at, middle)[0][7] < down * turn) low = middle; else high = middle;
    }
    const kept = split(points, at, low)[0];
    points.splice(at, points.length, ...kept);
    curve(points, x, endY);
  }
  straight(points, x, y);
}

function straight(points: number[], x: number, y: number): void {
  const fromX = points[points.length - 2], fromY = points[points.length - 1];
  if (Math.abs(x - fromX) + Math.abs(y - fromY) < 0.5) return;
  points.push(fromX + (x - fromX) / 3, fromY + (y - fromY) / 3, x - (x - fromX) / 3, y - (y - fromY) / 3, x, y);
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
