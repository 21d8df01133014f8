// SPDX-License-Identifier: Apache-2.0
// Operators by their name or type, as one types.
import { byId, make } from "./dom";
import type { Model } from "./model";

const SHOWN = 12;

export class Search {
  private readonly input = byId<HTMLInputElement>("search");
  private readonly list = byId("found");
  private found: number[] = [];
  private at = -1;

  constructor(private readonly model: Model, private readonly chosen: () => void) {
    this.input.addEventListener("input", () => this.look());
    this.input.addEventListener("keydown", (event) => { if (this.press(event)) event.preventDefault(); });
    this.input.addEventListener("blur", () => setTimeout(() => { if (document.activeElement !== this.input) this.close(); }, 150));
  }

  focus(): void { this.input.focus(); this.input.select(); }

  private look(): void {
    const text = this.input.value.trim().toLowerCase();
    const rank = (name: string) => { const at = name.toLowerCase().indexOf(text); return at < 0 ? Infinity : at; };
    const { operators } = this.model.page, found: [number, number][] = [];
    if (text)
      operators.forEach((op, at) => {
        const best = Math.min(rank(op.name), rank(op.type) + 1000, ...(op.sources ?? []).map((source) => rank(source) + 100));
        if (best < Infinity) found.push([best, at]);
      });
    this.found = found.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, SHOWN).map(([, at]) => at);
    this.at = this.found.length ? 0 : -1;
    this.draw(text !== "" && this.found.length === 0);
  }

  private draw(none = false): void {
    const { operators } = this.model.page;
    this.list.replaceChildren(...this.found.map((op, i) => make("li", { role: "option", id: `found-${i}`, "aria-selected": String(i === this.at),
      pointerdown: () => this.choose(i) }, make("span", { class: "name" }, operators[op].name), make("span", { class: "quiet" }, operators[op].type))));
    if (none) this.list.append(make("li", { role: "option", "aria-disabled": "true", "aria-selected": "false" }, "No operator is called so"));
    this.list.hidden = this.found.length === 0 && !none;
    this.input.setAttribute("aria-expanded", String(!this.list.hidden));
    if (this.at >= 0) this.input.setAttribute("aria-activedescendant", `found-${this.at}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private close(): void {
    this.found = [];
    this.at = -1;
    this.draw();
  }

  private choose(i: number): void {
    const op = this.found[i];
    if (op === undefined) return;
    this.close();
    this.model.select(op);
    this.chosen();
  }

  private press(event: KeyboardEvent): boolean {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (this.found.length === 0) return false;
      this.at = (this.at + (event.key === "ArrowDown" ? 1 : this.found.length - 1)) % this.found.length;
      this.draw();
    } else if (event.key === "Enter") {
      this.choose(this.at);
    } else if (event.key === "Escape") {
      this.close();
    } else {
      return false;
    }
    return true;
  }
}
