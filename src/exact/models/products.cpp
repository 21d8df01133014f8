// SPDX-License-Identifier: Apache-2.0
// Sums of products: convolutions and matrix products.
#include <algorithm>
#include <cmath>

#include "exact/models/model.h"

namespace belay::exact {
namespace {

Value magnitudes(const Value& value, const Errors& errors) {
  if (!value.present || !value.real()) return value;
  const auto x = value.doubles();
  std::vector<double> made(x.size());
  for (size_t i = 0; i < made.size(); ++i) made[i] = std::fabs(x[i]) + (errors ? (*errors)[i] : 0);
  return make_value(value.shape, made);
}

// Terms in one sum: the products of all are as many as there are elements in one matrix, for each place in the other.
double terms(const Operation& operation, const Value& y) {
  const graph::Shape& a = operation.inputs[0].value.shape;
  const graph::Shape& b = operation.inputs[1].value.shape;
  if (operation.node.type.find("MatMul") != std::string::npos || operation.node.type == "GEMM")
    return static_cast<double>(a.empty() ? 1 : *std::ranges::max_element(a));
  (void)y;
  return static_cast<double>(graph::element_count(b)) / static_cast<double>(std::max<int64_t>(1, b.empty() ? 1 : b[0]));
}

Status products(const Operation& operation, std::span<Tracked> outputs) {
  Tracked& y = outputs[0];
  if (!y.value.real()) return {};
  std::vector<Value> plain, wide;
  for (const Tracked& input : operation.inputs) {
    plain.push_back(magnitudes(input.value, nullptr));
    wide.push_back(magnitudes(input.value, input.errors));
  }
  const auto sums = TRY(operation.again(plain));
  const auto moved = operation.inexact() ? TRY(operation.again(wide)) : sums;
  const double units = (terms(operation, y.value) + 2) * sum_unit(y.stored);
  const auto sum = sums[0].doubles(), most = moved[0].doubles();
  y.errors = round_each(y, [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    return units * most[e] + (most[e] - sum[e]);
  });
  return {};
}

constexpr ErrorModelRow rows[] = {
    {"BatchMatMul", products}, {"BatchMatMulV2", products}, {"BatchMatMulV3", products},
    {"Conv2D", products},      {"Conv3D", products},        {"DepthwiseConv2D", products},
    {"MatMul", products},      {"MatMulV2", products},      {"MatMulV3", products},
};

}  // namespace

std::span<const ErrorModelRow> product_models() { return rows; }

}  // namespace belay::exact
