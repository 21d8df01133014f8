// SPDX-License-Identifier: Apache-2.0
// The whole graph in a corner, drawn once until it changes, and what of it is in view.
import { cssColour } from "./dom";
import type { GraphView } from "./graph_view";

export class Minimap {
  private whole: HTMLCanvasElement | null = null;

  constructor(private readonly graph: GraphView, private readonly canvas: HTMLCanvasElement) {
    const go = (event: PointerEvent) => {
      if (event.buttons !== 1) return;
      const box = canvas.getBoundingClientRect(), { scale, left, top } = this.place();
      const view = graph.view;
      graph.x = (event.clientX - box.left - left) / scale - view.width / 2;
      graph.y = (event.clientY - box.top - top) / scale - view.height / 2;
      graph.draw();
    };
    canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); go(event); });
    canvas.addEventListener("pointermove", go);
  }

  // How much of the graph's width it takes.
  get width(): number { return this.canvas.clientWidth + 12; }

  forget(): void { this.whole = null; }

  private place(): { scale: number; left: number; top: number } {
    const { box } = this.graph.model.scene, { clientWidth: width, clientHeight: height } = this.canvas;
    const scale = Math.min((width - 8) / Math.max(box.width, 1), (height - 8) / Math.max(box.height, 1));
    return { scale, left: (width - box.width * scale) / 2, top: (height - box.height * scale) / 2 };
  }

  private paintWhole(width: number, height: number): HTMLCanvasElement {
    const whole = document.createElement("canvas");
    whole.width = width;
    whole.height = height;
    const context = whole.getContext("2d")!, { scale, left, top } = this.place();
    for (const item of this.graph.model.scene.items) {
      context.fillStyle = this.graph.model.paint(item.op).fill;
      context.fillRect(left + item.x * scale, top + item.y * scale, Math.max(1, item.width * scale), Math.max(1, item.height * scale));
    }
    return whole;
  }

  draw(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0) return;
    if (this.canvas.width !== width || this.canvas.height !== height) this.canvas.width = width, this.canvas.height = height;
    this.whole ??= this.paintWhole(width, height);
    const context = this.canvas.getContext("2d")!, { scale, left, top } = this.place(), view = this.graph.view;
    context.clearRect(0, 0, width, height);
    context.drawImage(this.whole, 0, 0);
    context.strokeStyle = cssColour("--focus");
    context.lineWidth = 1.5;
    context.strokeRect(left + view.x * scale, top + view.y * scale, view.width * scale, view.height * scale);
  }
}
