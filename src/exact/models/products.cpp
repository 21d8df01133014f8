// SPDX-License-Identifier: Apache-2.0
// Sums of products: convolutions and matrix products. What sum_products() computes has its units already; the others
// are bounded by the sums of their products' magnitudes.
#include <algorithm>
#include <cmath>

#include "exact/models/model.h"
#include "exact/products/sum.h"
#include "graph/infer/arguments.h"
#include "graph/infer/convolution.h"
#include "graph/infer/einsum_plan.h"

namespace belay::exact {
namespace {

using graph::Shape;

Result<double> terms_of_convolution(const Operation& operation) {
  std::vector<graph::TensorInfo> infos;
  for (const Tracked& input : operation.inputs)
    infos.push_back({input.stored, input.value.shape, nullptr, input.value.present});
  // Sizes that come as an input are of no interest here.
  if (operation.node.type.find("Backprop") != std::string::npos ||
      operation.node.type.find("Transpose") != std::string::npos)
    return static_cast<double>(
        graph::element_count(operation.inputs.size() > 1 ? operation.inputs[1].value.shape : Shape{}));
  const graph::InferContext context(operation.node, infos);
  const graph::Convolution c = TRY(graph::read_convolution(context));
  double terms = static_cast<double>(c.input_channels / c.groups);
  for (const int64_t size : c.window.kernel) terms *= static_cast<double>(size);
  return terms;
}

Result<double> terms_of(const Operation& operation) {
  const std::string& type = operation.node.type;
  const Shape& a = operation.inputs[0].value.shape;
  if (type == "Einsum") {
    std::vector<Shape> shapes;
    for (const Tracked& input : operation.inputs) shapes.push_back(input.value.shape);
    const auto equation = graph::get_or(operation.node.attributes, "equation", std::string());
    const auto plan = TRY(graph::plan_einsum(equation, shapes));
    double terms = 1;
    for (size_t label = 0; label < plan.sizes.size(); ++label)
      if (std::ranges::find(plan.result, static_cast<int>(label)) == plan.result.end())
        terms *= static_cast<double>(plan.sizes[label]);
    return terms + static_cast<double>(operation.inputs.size());
  }
  if (type == "FullyConnection") {
    const auto axis = static_cast<size_t>(std::max<int64_t>(0, graph::int_of(operation.node, "axis", 1)));
    double terms = 1;
    for (size_t d = axis; d < a.size(); ++d) terms *= static_cast<double>(a[d]);
    return terms;
  }
  if (type == "GEMM" || type.find("MatMul") != std::string::npos || type.find("Matmul") != std::string::npos)
    return a.empty() ? 1.0 : static_cast<double>(std::max(a.back(), a.size() > 1 ? a.end()[-2] : 1));
  return terms_of_convolution(operation);
}

// Roundings to the result's own type on the way: relative to the sum of the magnitudes, and absolute.
struct Steps {
  double units = 0, fixed = 0;
};

// A GEMM of halves rounds the product, and what the factors make of it and of the addend.
Steps steps_of(const Operation& operation, graph::DataType stored) {
  const bool half = stored == graph::DataType::Float16 || stored == graph::DataType::BFloat16;
  if (operation.node.type != "GEMM" || !half) return {};
  const auto alpha = operation.inputs[3].value.doubles();
  const Rounding& rounding = rounding_of(stored);
  return {3 * rounding.unit, (std::abs(alpha[0]) + 2) * rounding.smallest};
}

Status products(const Operation& operation, std::span<Tracked> outputs) {
  Tracked& y = outputs[0];
  if (!y.value.real()) return {};
  const auto sums = TRY(operation.again(magnitudes(operation, false)));
  const auto moved = operation.inexact() ? TRY(operation.again(magnitudes(operation, true))) : sums;
  const double terms = TRY(terms_of(operation)), units = (roundings(terms, terms) + 3) * sum_unit(y.stored);
  const auto sum = sums[0].doubles(), most = moved[0].doubles();
  const Steps steps = steps_of(operation, y.stored);
  y.errors = round_each(y, [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    return units * most[e] + (most[e] - sum[e]) + steps.units * most[e] + steps.fixed;
  });
  return {};
}

// x * cos + turned * sin: with one of them 0, the other's part.
Status rotate(const Operation& operation, std::span<Tracked> outputs) {
  std::vector<double> all(static_cast<size_t>(outputs[0].value.count())), wide(all.size());
  for (const bool widened : {false, true})
    for (const size_t left : {1, 2}) {
      auto values = magnitudes(operation, widened);
      const size_t other = 3 - left;
      values[other] = make_value(values[other].shape, std::vector<double>(static_cast<size_t>(values[other].count())));
      const auto made = TRY(operation.again(values));
      for (size_t i = 0; i < all.size(); ++i) (widened ? wide : all)[i] += std::fabs(made[0].doubles()[i]);
    }
  const double unit = rounding_of(outputs[0].stored).unit;
  outputs[0].errors = round_each(outputs[0], [&](int64_t i) {
    const auto e = static_cast<size_t>(i);
    return 3 * unit * wide[e] + (wide[e] - all[e]);
  });
  return {};
}

constexpr ErrorModelRow rows[] = {
    {"BatchMatMul", products},
    {"BatchMatMulV2", products},
    {"BatchMatMulV3", products},
    {"Conv2D", products},
    {"Conv2DBackpropInput", products},
    {"Conv2DBackpropInputD", products},
    {"Conv2DTranspose", products},
    {"Conv2DTransposeD", products},
    {"Conv3D", products},
    {"Conv3DTranspose", products},
    {"Conv3DTransposeD", products},
    {"Deconvolution", products},
    {"DepthwiseConv2D", products},
    {"Einsum", products},
    {"FullyConnection", products},
    {"GEMM", products},
    {"MatMul", products},
    {"MatMulV2", products},
    {"MatMulV3", products},
    {"RotaryMul", rotate},
    {"RotaryPositionEmbedding", rotate},
};

}  // namespace

std::span<const ErrorModelRow> product_models() { return rows; }

}  // namespace belay::exact
