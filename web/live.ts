// SPDX-License-Identifier: Apache-2.0
// The page while a program runs: asks the server that it came from for what is new, again and again.
import { unpackedDetail, type Details, type Group, type Operator, type Page, type Tensor, type Verdict } from "./data";

interface News {
  revision: number;
  drawing: number;
  a: string;
  model?: string;
  verdict: Verdict;
  steps: string[];
  judged?: number;
  notes: string[];
  ended: boolean;
  examined: (Partial<Operator> & { op: number })[];
  operators: Operator[];
  tensors: Tensor[];
  drawn?: { sequence: boolean; links: Page["links"]; groups: Group[] };
}

const LEAST_REST = 200, REST_AFTER_WORK = 4, RETRY = 1000, RETRIES = 5;
const rest = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

export class Live {
  readonly page: Page = { version: 1, verdict: { text: "Waiting for the first file\u2026", more: "", state: "unknown" }, a: "", sequence: false, shown: 0,
    steps: [], notes: [], operators: [], links: [], tensors: [],
    groups: [{ name: "", parent: -1, children: [], x: [], y: [], width: 0, height: 0, ports: [], routes: [] }] };
  private revision = 0;
  private drawing = 0;

  // The details of a tensor are asked for when somebody looks at it.
  readonly details: Details = async (tensor) => {
    const answer = await fetch(`tensor?at=${tensor}`).catch(() => null);
    if (!answer) throw new Error("The program has ended; belay report, or belay view of the folder alone, shows the details.");
    if (!answer.ok) throw new Error(await answer.text());
    return unpackedDetail(new Uint8Array(await answer.arrayBuffer()));
  };

  // Calls back after each change, until the program has ended or the server is gone. What takes long is done less often.
  async follow(changed: (state: "live" | "ended" | "lost") => void): Promise<void> {
    for (let failed = 0; failed < RETRIES;) {
      try {
        const news = await this.ask();
        failed = 0;
        const begin = performance.now();
        this.merge(news);
        changed(news.ended ? "ended" : "live");
        if (news.ended) return;
        await rest(news.revision === 0 ? 0 : Math.max(LEAST_REST, REST_AFTER_WORK * (performance.now() - begin)));
      } catch {
        ++failed;
        await rest(RETRY);
      }
    }
    changed("lost");
  }

  private async ask(): Promise<News> {
    const { operators, tensors } = this.page;
    const answer = await fetch(`news?operators=${operators.length}&tensors=${tensors.length}&revision=${this.revision}&drawing=${this.drawing}`);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  private merge(news: News): void {
    const { page } = this;
    for (const operator of news.operators) page.operators.push(operator);
    for (const tensor of news.tensors) page.tensors.push(tensor);
    for (const { op, ...found } of news.examined) Object.assign(page.operators[op], found);
    Object.assign(page, { a: news.a, model: news.model, verdict: news.verdict, steps: news.steps, judged: news.judged, notes: news.notes, ended: news.ended });
    if (news.drawn) {
      Object.assign(page, news.drawn);
      this.drawing = news.drawing;
    }
    this.revision = news.revision;
  }
}
