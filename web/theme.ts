// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the system says, until the reader says otherwise. Paper is always light.
import { byId } from "./dom";

const KEY = "belay-theme";

function kept(): string | null {
  try { return localStorage.getItem(KEY); } catch { return null; }  // some browsers refuse it to files
}

export class Theme {
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private chosen = kept();

  constructor(private readonly changed: (printed: boolean) => void) {
    this.system.addEventListener("change", () => this.apply());
    byId("theme").addEventListener("click", () => {
      this.chosen = this.dark ? "light" : "dark";
      try { localStorage.setItem(KEY, this.chosen); } catch { /* it lasts as long as the page */ }
      this.apply();
    });
    window.addEventListener("beforeprint", () => this.apply(true));
    window.addEventListener("afterprint", () => this.apply());
    this.apply();
  }

  private get dark(): boolean { return this.chosen ? this.chosen === "dark" : this.system.matches; }

  private apply(printed = false): void {
    const dark = this.dark && !printed;
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    byId("theme").textContent = dark ? "Light" : "Dark";
    byId("theme").setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
    this.changed(printed);
  }
}
