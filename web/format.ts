// SPDX-License-Identifier: Apache-2.0
// Numbers, shapes and places as text.
import type { Real, Tensor } from "./data";

export function asNumber(value: Real | undefined | null): number {
  if (typeof value === "number") return value;
  if (value === "inf") return Infinity;
  if (value === "-inf") return -Infinity;
  if (value === undefined || value === null || value === "") return NaN;
  return Number(value);
}

// Six significant digits, as belay compare prints them.
export function real(value: Real | undefined | null, digits = 6): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string" && /^-?\d{16,}$/.test(value)) return value;  // a whole number that no double is
  const number = asNumber(value);
  if (!Number.isFinite(number)) return Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
  if (Number.isInteger(number) && Math.abs(number) < 1e6) return String(number);
  const exponent = Math.floor(Math.log10(Math.abs(number)));
  if (exponent < -4 || exponent >= digits) {
    const [mantissa, power] = number.toExponential(digits - 1).split("e");
    const trimmed = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    const sign = power[0] === "-" ? "-" : "+";
    return `${trimmed}e${sign}${power.replace(/^[+-]/, "").padStart(2, "0")}`;
  }
  const text = number.toPrecision(digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

export const shapeText = (shape?: number[]): string => (shape ? `[${shape.join(",")}]` : "");

// The place of an element in row-major order: "[0,2,1]".
export function indexText(shape: number[], at: number): string {
  const index: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    index.unshift(at % shape[axis]);
    at = Math.floor(at / shape[axis]);
  }
  return shapeText(index);
}

export function duration(microseconds: number): string {
  if (microseconds >= 1000) return `${real(microseconds / 1000, 3)} ms`;
  return `${real(microseconds, 3)} \u00b5s`;
}

// An element of a type: whole numbers with all their digits.
export function element(value: Real, type?: string): string {
  const number = typeof value === "number" ? value : NaN;
  return /^u?int/i.test(type ?? "") && Number.isInteger(number) ? BigInt(number).toString() : real(value);
}

// How many times the largest magnitude can be doubled within its type: -Infinity when an element is beyond it, NaN for types
// that are not told of.
export function headroom(tensor: Tensor): number {
  const limit = { float16: 65504, FLOAT16: 65504, bfloat16: 3.3895313892515355e38, BF16: 3.3895313892515355e38 }[tensor.type ?? ""];
  const most = magnitude(tensor);
  if (limit && most === Infinity) return -Infinity;
  return limit && most > 0 ? Math.log2(limit / most) : NaN;
}

// The largest magnitude of our side; infinite when an element is not finite.
export function magnitude(tensor: Tensor): number {
  if (!tensor.a) return NaN;
  if (notFinite(tensor) > 0) return Infinity;
  return Math.max(Math.abs(asNumber(tensor.a.min)), Math.abs(asNumber(tensor.a.max)));
}

export function notFinite(tensor: Tensor): number {
  const count = (value?: Real) => asNumber(value) || 0;
  return count(tensor.a?.nan) + count(tensor.a?.plusInf) + count(tensor.a?.minusInf);
}

export const isOutput = (tensor: Tensor): boolean => tensor.label.startsWith("output");

// Characters that cannot be seen, or that turn the direction of what stands beside them, as belay prints them on a terminal.
export function spelled(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (c) => {
    const code = c.charCodeAt(0);
    return { 9: "\\t", 10: "\\n", 13: "\\r" }[code] ?? (code < 0x80 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`);
  });
}
