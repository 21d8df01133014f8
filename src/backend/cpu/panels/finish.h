// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "backend/cpu/chain.h"
#include "backend/cpu/simd/map_floats.h"

// What follows a product while its results are in the cache.
namespace belay::backend::cpu::panels {

// A function of each element, and its parameters.
struct Step {
  Map map;
  MapParameters parameters = {};
};
// The activation of a chain in the words of map_floats. All kinds have them.
std::vector<Step> steps_of(const Activation& activation);

// y = steps(product + bias + addend), in this order. It borrows everything. Null: nothing is added. NaN stays NaN.
struct Finish {
  const float* bias = nullptr;    // an element for each column
  const float* addend = nullptr;  // laid out as y; may be y itself
  std::span<const Step> steps;    // Relu or Limit alone costs nothing; others are one more pass over y, in the cache
};

// The first step where a kernel can take it in registers: Relu or Limit.
struct Limits {
  bool any = false;
  float low = 0, high = 0;
  std::span<const Step> rest;  // the steps that are left
};
Limits limits_of(std::span<const Step> steps);

// The steps, on rows of y that are `stride` elements apart.
void take_steps(std::span<const Step> steps, float* y, int64_t rows, int64_t width, int64_t stride);

}  // namespace belay::backend::cpu::panels
