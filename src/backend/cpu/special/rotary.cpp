// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: x * cos + turned(x) * sin.
#include "backend/cpu/convert_element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// The element that stands where `d` of `width` was, and its sign: halves exchanged, or neighbours.
struct Turned {
  int64_t place;
  int sign;
};
Turned turned(int64_t d, int64_t width, bool neighbours) {
  if (neighbours) return d % 2 ? Turned{d - 1, 1} : Turned{d + 1, -1};
  return d < width / 2 ? Turned{d + width / 2, -1} : Turned{d - width / 2, 1};
}

// Elements from one to the next of each of x's dimensions in a tensor that broadcasts to it.
Result<Shape> steps(const Shape& x, const Shape& other) {
  if (other.size() != x.size()) return refuse("cos and sin must have the rank of x");
  Shape made(x.size(), 0);
  int64_t step = 1;
  for (size_t d = x.size(); d-- > 0; step *= other[d]) {
    if (other[d] != x[d] && other[d] != 1) return refuse("cos and sin do not broadcast to x");
    if (other[d] != 1) made[d] = step;
  }
  return made;
}

MadeKernel make_rotary(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  const int64_t mode = graph::int_of(request.node, "mode", 0);
  if (mode != 0 && mode != 1) return refuse("only mode 0 (halves) and 1 (interleaved) are supported");
  if (x.empty() || x.back() % 2) return refuse("the last dimension must be even");
  const Shape cos = TRY(steps(x, request.inputs[1].shape)), sin = TRY(steps(x, request.inputs[2].shape));
  for (const auto& input : request.inputs)
    if (input.type != request.inputs[0].type) return refuse("x, cos and sin must have one type");
  return with_type(FloatTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([x, cos, sin, mode](Inputs in, Outputs out) -> Status {
      const int64_t width = x.back();
      const T *from = in[0].as<T>(), *c = in[1].as<T>(), *s = in[2].as<T>();
      for (int64_t i = 0, count = in[0].count(); i < count; ++i) {
        int64_t rest = i, at_cos = 0, at_sin = 0;
        for (size_t d = x.size(); d-- > 0; rest /= x[d]) at_cos += rest % x[d] * cos[d], at_sin += rest % x[d] * sin[d];
        const int64_t d = i % width;
        const Turned other = turned(d, width, mode == 1);
        const compute_t<T> straight = from[i], cross = from[i - d + other.place];
        out[0].as<T>()[i] = convert_element<T>(straight * compute_t<T>(c[at_cos]) +
                                               static_cast<compute_t<T>>(other.sign) * cross * compute_t<T>(s[at_sin]));
      }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"RotaryMul", "reference", make_rotary},
    {"RotaryPositionEmbedding", "reference", make_rotary},
};

}  // namespace

std::span<const KernelRow> rotary_rows() { return rows; }

}  // namespace belay::backend::cpu
