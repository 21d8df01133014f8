// SPDX-License-Identifier: Apache-2.0
// What the views have in common: the data with its indices, and what is selected, open and coloured.
import { modesOf, type Mode, type Paint } from "./colour";
import type { Details, Group, Page, Tensor } from "./data";
import { isOutput } from "./format";
import { Atlas, type Scene } from "./scene";

export type Change = "selection" | "scene" | "colour" | "step" | "data";
const SHOWN_AT_ONCE = 400;  // operators; more begin folded

export class Model {
  atlas!: Atlas;
  scene!: Scene;
  modes!: Mode[];
  mode!: Mode;
  open = new Set<number>();
  op = -1;          // what is selected; -1: nothing
  tensor = -1;
  step: number;
  private steps: number;          // how many there were
  private groups: Group[] = [];   // that `open` means
  private unfolded = false;       // nobody has folded any
  lit = new Set<number>();        // links on the way from the guilty operator to the outputs
  litOperators = new Set<number>();
  readers: number[][] = [];       // of each operator, those that read it
  producers: number[][] = [];
  private tensorsOf: number[][][] = [];  // by step and operator
  private paints = new Map<number, Paint>();
  private readonly listeners: ((change: Change) => void)[] = [];

  constructor(public page: Page, public details: Details) {
    this.step = page.shown;
    this.steps = page.steps.length;
    this.index();
    this.mode = this.modes.find((mode) => this.knows(mode)) ?? this.modes[this.modes.length - 1];
    const guilty = this.modes.find((mode) => mode.id === "blame");
    const named = page.verdict.state === "bad" ? page.verdict.op ?? -1 : -1;
    if (guilty && page.operators.some((op) => op.blame === "guilty")) this.mode = guilty;
    else if (named >= 0 && this.value(named) !== Infinity) this.mode = this.modes.find((mode) => this.showsBroken(mode, named)) ?? this.mode;
    if (page.operators.length <= SHOWN_AT_ONCE) this.openAll();
    else this.rebuild();
  }

  // The page has more than before.
  update(page: Page): void {
    const names = new Set([...this.open].map((group) => this.groups[group].name));
    if (this.step >= this.steps - 1) this.step = Math.max(0, page.steps.length - 1);
    this.steps = page.steps.length;
    this.page = page;
    const mode = this.mode.id;
    this.index();
    this.mode = this.modes.find((each) => each.id === mode) ?? this.modes[0];
    if (mode === "magnitude" && this.modes.some((each) => each.id === "blame")) this.colourBy("blame");
    const all = this.unfolded && page.operators.length <= SHOWN_AT_ONCE;
    this.open = new Set();
    page.groups.forEach((group, at) => { if (at > 0 && (all || names.has(group.name))) this.open.add(at); });
    this.rebuild();
    this.tell("data");
  }

  onChange(listener: (change: Change) => void): void { this.listeners.push(listener); }
  private tell(change: Change): void { for (const listener of this.listeners) listener(change); }

  private index(): void {
    const { page } = this;
    this.atlas = new Atlas(page);
    this.modes = modesOf(page);
    this.readers = page.operators.map(() => []);
    this.producers = page.operators.map(() => []);
    for (const [from, to] of page.links) {
      if (!this.readers[from].includes(to)) this.readers[from].push(to);
      if (!this.producers[to].includes(from)) this.producers[to].push(from);
    }
    this.tensorsOf = page.steps.map(() => []);
    page.tensors.forEach((tensor, at) => ((this.tensorsOf[tensor.step] ??= [])[tensor.op] ??= []).push(at));
    this.paints.clear();
    this.findLit();
  }

  // The way from the operator that the verdict names to whatever it reaches.
  private findLit(): void {
    this.lit.clear();
    this.litOperators.clear();
    const start = this.page.operators.findIndex((op) => op.blame === "guilty");
    const first = start >= 0 ? start : this.page.verdict.state === "bad" ? this.page.verdict.op ?? -1 : -1;
    if (first < 0 || this.page.sequence) return;
    this.litOperators.add(first);
    const queue = [first];
    for (let op = queue.pop(); op !== undefined; op = queue.pop())
      for (const reader of this.readers[op])
        if (!this.litOperators.has(reader)) this.litOperators.add(reader), queue.push(reader);
    this.page.links.forEach(([from, to], link) => {
      if (this.litOperators.has(from) && this.litOperators.has(to)) this.lit.add(link);
    });
  }

  // Whether the operator stands out because it is not finite.
  private showsBroken(mode: Mode, op: number): boolean {
    return this.page.b === undefined && mode.value(op, this.tensors(op), this.page.operators[op]) === Infinity;
  }

  // Whether a mode tells something of most operators that have outputs.
  private knows(mode: Mode): boolean {
    const { operators } = this.page, has = (op: number) => this.tensors(op).some(isOutput);
    const made = operators.map((_, op) => op).filter(has);
    return 2 * made.filter((op) => !Number.isNaN(mode.value(op, this.tensors(op), operators[op]))).length > made.length;
  }

  // Places in page.tensors of what the operator has in the step that is shown.
  tensorsAt(op: number, step = this.step): number[] { return this.tensorsOf[step]?.[op] ?? []; }
  tensors(op: number): Tensor[] { return this.tensorsAt(op).map((at) => this.page.tensors[at]); }

  // The item that the chosen operator is drawn as.
  get shownAs(): number { return this.op >= 0 ? this.atlas.shownAs(this.op, this.open) : -1; }

  value(op: number): number { return this.mode.value(op, this.tensors(op), this.page.operators[op]); }

  // Of an operator, or of ~ a folded group: the worst in it.
  paint(item: number): Paint {
    let paint = this.paints.get(item);
    if (!paint) this.paints.set(item, paint = this.mode.paint(this.valueOf(item)));
    return paint;
  }

  valueOf(item: number): number {
    return item >= 0 ? this.value(item)
      : this.page.groups[~item].children.map((child) => this.valueOf(child)).reduce(this.mode.worse, NaN);
  }

  isGuilty(item: number): boolean {
    return item >= 0 ? this.page.operators[item].blame === "guilty"
      : this.page.groups[~item].children.some((child) => this.isGuilty(child));
  }

  select(op: number, tensor = -1): void {
    this.op = op;
    this.tensor = tensor >= 0 ? tensor : op >= 0 ? this.firstTensor(op) : -1;
    if (op >= 0 && this.atlas.shownAs(op, this.open) < 0) this.reveal(op);
    this.tell("selection");
  }

  private firstTensor(op: number): number {
    const all = this.tensorsAt(op);
    return all.find((at) => this.page.tensors[at].label.startsWith("output")) ?? all[0] ?? -1;
  }

  private reveal(op: number): void {
    for (const group of this.atlas.ancestors(op)) if (group > 0) this.open.add(group);
    this.rebuild();
    this.tell("scene");
  }

  toggle(group: number): void {
    if (this.open.delete(group)) this.unfolded = false;
    else this.open.add(group);
    this.rebuild();
    this.tell("scene");
  }

  foldAll(): void {
    this.unfolded = false;
    this.open.clear();
    this.rebuild();
    this.tell("scene");
  }

  openAll(): void {
    this.unfolded = true;
    this.page.groups.forEach((_, group) => { if (group > 0) this.open.add(group); });
    this.rebuild();
    this.tell("scene");
  }

  private rebuild(): void {
    this.groups = this.page.groups;
    this.scene = this.atlas.scene(this.open);
  }

  colourBy(id: string): void {
    this.mode = this.modes.find((mode) => mode.id === id) ?? this.mode;
    this.paints.clear();
    this.tell("colour");
  }

  showStep(step: number): void {
    const label = this.tensor >= 0 ? this.page.tensors[this.tensor].label : "";
    this.step = step;
    this.paints.clear();
    if (this.op >= 0)
      this.tensor = this.tensorsAt(this.op).find((at) => this.page.tensors[at].label === label) ?? this.firstTensor(this.op);
    this.tell("step");
  }
}
