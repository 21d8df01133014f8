// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace belay::backend::cpu {

// A function of one float. Those with parameters say them in brackets.
enum class Map {
  Abs,
  AddValue,  // x + [0]
  Ceil,
  Cos,
  Cube,
  Elu,  // [1] * (x < 0 ? [0] * expm1([2] x) : x)
  Erf,
  Exp,
  FastGelu,
  Floor,
  Gelu,
  HardSigmoid,  // [0] x + [1] within 0 and 1
  HardSwish,
  LeakyRelu,  // x < 0 ? [0] x : x
  Limit,      // within [0] and [1]; the upper limit wins when they are crossed
  Log,
  Mish,
  MultiplyValue,  // x * [0]
  Negative,
  Reciprocal,
  Relu,
  Rsqrt,
  Sigmoid,
  Sin,
  Sqrt,
  SqrtOfPower,  // as pow(x, 0.5) has it: 0 of -0, infinity of both infinities
  Square,
  Swish,  // x sigmoid([0] x)
  Tanh,
  TanhGelu,
};

using MapParameters = std::array<float, 3>;

// to[i] = f(from[i]) for `count` elements; the two may be one.
void map_floats(Map f, const MapParameters& parameters, const float* from, float* to, size_t count);
// The same in place, for rows of `count` elements that are `stride` apart.
void map_rows(Map f, const MapParameters& parameters, float* y, size_t rows, size_t count, size_t stride);

}  // namespace belay::backend::cpu
