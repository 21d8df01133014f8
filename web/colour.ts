// SPDX-License-Identifier: Apache-2.0
// What an operator's colour says. The scales can be told apart with any kind of colour vision, and by their lightness alone.
import type { Operator, Page, Tensor } from "./data";
import { asNumber, duration, headroom, isOutput, magnitude, notFinite, real } from "./format";

type Rgb = [number, number, number];
export interface Paint { fill: string; text: string; known: boolean }
export interface Key { label: string; paint: Paint }
export interface Mode {
  id: string;
  name: string;
  about: string;
  paint(value: number): Paint;
  text(value: number): string;
  brief(value: number): string;         // for a box of the graph
  value(op: number, tensors: Tensor[], operator: Operator): number;  // NaN: nothing is known
  worse(a: number, b: number): number;  // of two operators in one folded group
  alarms(value: number): boolean;       // whether there is anything to be told of it
  keys: Key[];                          // of classes
  scale?: { from: string; to: string; at(part: number): string };
}

// From calm to alarming, lighter to darker.
const ALARM: Rgb[] = [[226, 238, 244], [175, 207, 222], [128, 170, 196], [128, 128, 168], [140, 80, 128], [134, 36, 84], [98, 10, 50]];
const GUILTY: Rgb = [192, 57, 0], INHERITS: Rgb = [248, 226, 170], CLEAN: Rgb = [190, 214, 226], UNKNOWN: Rgb = [214, 216, 219];

const css = ([r, g, b]: Rgb) => `rgb(${Math.round(r)},${Math.round(g)},${Math.round(b)})`;

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function painted(rgb: Rgb, known = true): Paint {
  return { fill: css(rgb), text: luminance(rgb) > 0.2 ? "#14181d" : "#ffffff", known };
}

function onScale(part: number): Rgb {
  const at = Math.min(Math.max(part, 0), 1) * (ALARM.length - 1);
  const low = Math.min(Math.floor(at), ALARM.length - 2), rest = at - low;
  return ALARM[low].map((value, i) => value + rest * (ALARM[low + 1][i] - value)) as Rgb;
}

const nothing = painted(UNKNOWN, false);
const broken: Key = { label: "not finite", paint: painted(GUILTY) };
const unknown: Key = { label: "not known", paint: nothing };

function scaled(low: number, high: number): (value: number) => Paint {
  return (value) => {
    if (Number.isNaN(value)) return nothing;
    if (!Number.isFinite(value)) return broken.paint;
    return painted(onScale(high > low ? (value - low) / (high - low) : 0));
  };
}

const scaleOf = (from: string, to: string) => ({ from, to, at: (part: number) => css(onScale(part)) });
const larger = (a: number, b: number) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b));

function most(tensors: Tensor[], of: (tensor: Tensor) => number): number {
  return tensors.filter(isOutput).map(of).reduce(larger, NaN);
}

const known = (value: number): boolean => !Number.isNaN(value);

const ERROR_LOW = -8;

function errorMode(page: Page): Mode {
  const of = (tensor: Tensor): number => {
    if (!tensor.measures) return NaN;
    const error = asNumber(tensor.measures.finiteEuclidean);
    const apart = asNumber(tensor.measures.maxUlp);
    if (!Number.isFinite(apart) && tensor.verdict === "differ") return Infinity;
    return error > 0 ? Math.max(Math.log10(error), ERROR_LOW) : ERROR_LOW;
  };
  // What every tensor has, as half precision leaves it, is calm.
  const errors = page.tensors.filter(isOutput).map(of).filter((value) => Number.isFinite(value) && value > ERROR_LOW).sort((a, b) => a - b);
  const low = Math.min(-1, errors[errors.length >> 2] ?? ERROR_LOW);
  return {
    id: "error", name: "Error", about: "relative Euclidean distance of the outputs from B",
    value: (_op, tensors) => most(tensors, of), worse: larger, paint: scaled(low, 0), alarms: (value) => value > ERROR_LOW,
    text: (value) => (Number.isNaN(value) ? "no partner" : value === Infinity ? "not finite on one side"
      : value <= ERROR_LOW ? "error at most 1e-8" : `error ${real(10 ** value, 2)}`),
    brief: (value) => (value === Infinity ? "not finite" : value <= ERROR_LOW ? "< 1e-8" : real(10 ** value, 2)),
    keys: [broken, unknown], scale: scaleOf(real(10 ** low, 2), "1"),
  };
}

const VERDICTS = ["clean", "inherits", "guilty"];

function blameMode(): Mode {
  const paints = [painted(CLEAN), painted(INHERITS), painted(GUILTY)];
  return {
    id: "blame", name: "Inherited or contributed", about: "whether an operator made the error or was given it",
    value: (_op, _tensors, operator) => (operator.blame && VERDICTS.includes(operator.blame) ? VERDICTS.indexOf(operator.blame) : NaN),
    worse: larger, alarms: (value) => value > 0, paint: (value) => (Number.isNaN(value) ? nothing : paints[value]),
    text: (value) => (Number.isNaN(value) ? "not checked" : VERDICTS[value]), brief: (value) => VERDICTS[value],
    keys: [{ label: "clean", paint: paints[0] }, { label: "inherits the error", paint: paints[1] },
           { label: "guilty: contributes it", paint: paints[2] }, { label: "not checked", paint: nothing }],
  };
}

const ROOMY = 24;

function headroomMode(): Mode {
  const of = (tensor: Tensor) => (notFinite(tensor) > 0 ? Infinity : -headroom(tensor));
  return {
    id: "headroom", name: "Headroom to overflow", about: "binades below the largest number of the type",
    value: (_op, tensors) => most(tensors, of), worse: larger, alarms: known, paint: scaled(-ROOMY, 0),
    text: (value) => (Number.isNaN(value) ? "no half-precision output" : value === Infinity ? "not finite" : `${real(-value, 3)} binades`),
    brief: (value) => (value === Infinity ? "not finite" : `${real(-value, 3)} bin`),
    keys: [broken, unknown], scale: scaleOf(`${ROOMY} binades`, "0"),
  };
}

function timeMode(page: Page): Mode {
  const times = page.operators.map((op) => op.time ?? 0);
  const longest = times.reduce((a, b) => Math.max(a, b), 0);
  return {
    id: "time", name: "Time", about: "how long an operator took",
    value: (_op, _tensors, operator) => operator.time ?? NaN, worse: larger, alarms: known, paint: scaled(0, longest),
    text: (value) => (Number.isNaN(value) ? "no time" : duration(value)), brief: duration,
    keys: [unknown], scale: scaleOf("0", duration(longest)),
  };
}

function magnitudeMode(page: Page): Mode {
  const of = (tensor: Tensor): number => {
    const value = magnitude(tensor);
    return value > 0 ? Math.log10(value) : NaN;
  };
  const all = page.tensors.filter(isOutput).map(of).filter(Number.isFinite);
  const low = all.reduce((a, b) => Math.min(a, b), Infinity), high = all.reduce((a, b) => Math.max(a, b), -Infinity);
  return {
    id: "magnitude", name: "Largest value", about: "the largest magnitude of the outputs",
    value: (_op, tensors) => most(tensors, of), worse: larger, alarms: known, paint: scaled(low, high),
    text: (value) => (Number.isNaN(value) ? "no output" : value === Infinity ? "not finite" : `up to ${real(10 ** value, 3)}`),
    brief: (value) => (value === Infinity ? "not finite" : real(10 ** value, 3)),
    keys: [broken, unknown], scale: all.length ? scaleOf(real(10 ** low, 2), real(10 ** high, 2)) : undefined,
  };
}

// Those that the page has data for; the first is what a reader wants first.
export function modesOf(page: Page): Mode[] {
  const modes: Mode[] = [];
  if (page.b !== undefined) modes.push(errorMode(page));
  if (page.operators.some((op) => op.blame)) modes.push(blameMode());
  if (page.tensors.some((tensor) => !Number.isNaN(headroom(tensor)))) modes.push(headroomMode());
  if (page.operators.some((op) => op.time !== undefined)) modes.push(timeMode(page));
  modes.push(magnitudeMode(page));
  return modes;
}

// 0: the calmest, 1: the most alarming; for pictures.
export const heat = (part: number): Rgb => onScale(part);
export const notFiniteColour: Rgb = GUILTY;
