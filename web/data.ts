// SPDX-License-Identifier: Apache-2.0
// What the page shows, as belay writes it (docs/report.md), and where it comes from.

export type Real = number | "nan" | "inf" | "-inf" | string;

export interface Operator {
  name: string;
  type: string;
  sources?: string[];
  blame?: "clean" | "inherits" | "guilty" | "not checkable";
  why?: string;
  together?: string[];
  cause?: string;
  terms?: string[];
  share?: number;
  outputs?: { output: number; contributed: Real; allowed: Real; inherited?: Real; wrong: number; elements: number }[];
  time?: number;
  replay?: string;
}

export interface Summary {
  min?: Real; max?: Real; mean?: Real; deviation?: Real; l2norm?: Real;
  nan?: Real; plusInf?: Real; minusInf?: Real;
}

export interface Histogram { low: number; high: number; counts: number[] }

export interface Picture { cells: number[]; most: number; begin: number; codes?: Uint8Array }

export interface Detail {
  ours: Histogram | null;
  truth: Histogram | null;
  difference: Histogram | null;
  worst: [number, Real, Real, Real][];
  picture?: Picture;
}

export interface Tensor {
  op: number;
  step: number;
  label: string;
  type?: string;
  truthType?: string;
  shape?: number[];
  layout?: string;
  verdict?: string;
  reason?: string;
  partner?: string;
  by?: string;
  problem?: string;
  count?: number;
  measures?: Record<string, Real>;
  a?: Summary;
  b?: Summary;
  detail?: Detail;
}

export interface Group {
  name: string;
  parent: number;
  children: number[];  // an operator, or ~ of a group
  x: number[]; y: number[];
  width: number; height: number;
  ports: [number, number, number, number][];  // where a link crosses its border: the operator it comes from, 1 outwards, x, y
  routes: [number, number, number[]][];       // between children, and behind them ports
}

export interface Verdict { text: string; more: string; state: "good" | "bad" | "unknown"; op?: number }

export interface Page {
  version: number;
  verdict: Verdict;
  a: string;
  b?: string;
  model?: string;
  sequence: boolean;
  shown: number;
  steps: string[];
  judged?: number;     // the step whose operators were judged
  replays?: string[];  // of each step, what the command to replay an operator begins with
  notes: string[];
  operators: Operator[];
  links: [number, number, number, number][];
  groups: Group[];
  tensors: Tensor[];
  ended?: boolean;
}

// Where details come from: the page itself, or the server that is asked for them.
export type Details = (tensor: number) => Promise<Detail | null>;

interface Inflating { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> }
declare const DecompressionStream: { new (format: "deflate"): Inflating } | undefined;

async function inflated(text: string): Promise<Uint8Array> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser cannot unpack the page's data; any of 2023 or later can");
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function withPicture(detail: Detail, bytes: Uint8Array): Detail {
  if (detail.picture) {
    const { cells, begin } = detail.picture;
    detail.picture.codes = bytes.subarray(begin, begin + cells.reduce((all, cell) => all * cell, 1));
  }
  return detail;
}

// The length of the JSON, the JSON, the bytes of pictures.
export function unpacked<T>(whole: Uint8Array): { json: T; bytes: Uint8Array } {
  const length = new DataView(whole.buffer, whole.byteOffset).getUint32(0, true);
  return { json: JSON.parse(new TextDecoder().decode(whole.subarray(4, 4 + length))), bytes: whole.subarray(4 + length) };
}

export function unpackedDetail(whole: Uint8Array): Detail | null {
  const { json, bytes } = unpacked<Detail | null>(whole);
  return json && withPicture(json, bytes);
}

// The page's own data; null when there is none, and a server has it.
export async function embedded(): Promise<{ page: Page; details: Details } | null> {
  const text = document.getElementById("data")!.textContent!.trim();
  if (!text) return null;
  const { json: page, bytes } = unpacked<Page>(await inflated(text));
  const details: Details = async (tensor) => {
    const detail = page.tensors[tensor].detail;
    return detail ? withPicture(detail, bytes) : null;
  };
  return { page, details };
}
