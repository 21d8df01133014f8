// SPDX-License-Identifier: Apache-2.0
#include "exact/products/sum.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/threads/parallel.h"

namespace belay::exact {
namespace {

bool finite(const Value& value) {
  const auto x = value.doubles();
  std::atomic<bool> all{true};
  parallel_for(static_cast<int64_t>(x.size()), 1 << 16, [&](int64_t begin, int64_t end) {
    double sum = 0;  // of zeros, unless one of them is not finite
    for (int64_t i = begin; i < end; ++i) sum += x[static_cast<size_t>(i)] * 0;
    if (sum != 0) all = false;
  });
  return all;
}

}  // namespace

double roundings(double terms, double repeats) {
  constexpr double likely = 3;  // deviations: docs/precision-bounds.md
  return std::min(terms + 1, likely * std::sqrt(terms) + repeats + 1);
}

bool may_sum_products(const graph::Node& node) {
  static constexpr std::string_view convolutions[] = {
      "Conv2D",          "Conv3D",           "DepthwiseConv2D", "Conv2DBackpropInput", "Conv2DBackpropInputD",
      "Conv2DTranspose", "Conv2DTransposeD", "Conv3DTranspose", "Conv3DTransposeD",    "Deconvolution"};
  return node.type.find("MatMul") != std::string::npos ||
         std::ranges::find(convolutions, std::string_view(node.type)) != std::end(convolutions);
}

Result<std::optional<Sums>> sum_products(const graph::Node& node, std::span<const Value> inputs,
                                         const graph::Shape& output, bool units) {
  for (const Value& input : inputs)
    if (input.present && input.real() && !finite(input)) return std::optional<Sums>();
  if (std::ranges::none_of(inputs, &Value::real)) return std::optional<Sums>();  // of integers
  if (node.type.find("MatMul") != std::string::npos) return sum_matmul(node, inputs, output, units);
  return sum_convolution(node, inputs, output, units);
}

}  // namespace belay::exact
