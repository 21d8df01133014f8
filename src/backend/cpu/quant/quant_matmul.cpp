// SPDX-License-Identifier: Apache-2.0
// Products of which one or both matrices are quantised.
#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/gemm.h"
#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/quant/exact_product.h"
#include "backend/cpu/quant/parameter.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// Matrices of m by k and k by n for each batch of the result, with where each batch of the operands starts.
struct Product {
  int64_t m, n, k;
  bool transpose_a, transpose_b;
  std::vector<int64_t> a_starts, b_starts;
};

std::vector<int64_t> starts_of(const Shape& result, const Shape& operand, int64_t matrix) {
  return batch_starts({result.begin(), result.end() - 2}, {operand.begin(), operand.end() - 2}, matrix);
}

Product product_of(const KernelRequest& request, bool transpose_a, bool transpose_b) {
  const Shape &a = request.inputs[0].shape, &b = request.inputs[1].shape, &y = request.outputs[0].shape;
  const int64_t m = y.end()[-2], n = y.back(), k = transpose_a ? a.end()[-2] : a.back();
  return {m, n, k, transpose_a, transpose_b, starts_of(y, a, m * k), starts_of(y, b, k * n)};
}

Matrix<float> left_of(const Product& p, const float* data) { return {data, p.transpose_a ? p.m : p.k, p.transpose_a}; }
Matrix<float> right_of(const Product& p, const float* data) { return {data, p.transpose_b ? p.k : p.n, p.transpose_b}; }

Tensor input_or_absent(Inputs in, size_t i) { return i < in.size() ? in[i] : Tensor{.present = false}; }

std::vector<float> widened(const Tensor& x) {
  std::vector<float> floats(size_t(x.count()));
  load_integers(x, floats.data());
  return floats;
}

struct QuantMatmul {
  std::string label;
  Product product;

  // x1, x2, scale, offset?, bias?, pertoken_scale?: sums in int32, an integer bias added to them.
  template <class T>
  Status run(Inputs in, Tensor& y) const {
    const Product& p = product;
    const auto a = widened(in[0]), b = widened(in[1]);
    const Shape row{p.n}, column{p.m};
    const auto scale = TRY(Parameter::read(label, in[2], row, 0, 1));
    const auto offset = TRY(Parameter::read(label, input_or_absent(in, 3), row, 0, 0));
    const auto token = TRY(Parameter::read(label, input_or_absent(in, 5), column, 0, 1));
    const Tensor given = input_or_absent(in, 4);
    const bool whole = given.present && given.type == DataType::Int32;
    const auto bias = given.present ? TRY(reals(given)) : std::vector<double>(size_t(p.n));
    if (int64_t(bias.size()) != p.n) return failed(label, "bias needs a number for each column");
    std::vector<int32_t> sums(size_t(p.m * p.n));
    std::vector<float> part(sums.size());
    const auto finish = [&](int64_t r, T* row) {
      for (int64_t c = 0; c < p.n; ++c) {
        const double sum = double(sums[size_t(r * p.n + c)]) + (whole ? bias[size_t(c)] : 0);
        using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
        const Real value = Real(sum) * scale.at(c) * token.at(r) + (whole ? 0 : Real(bias[size_t(c)]));
        if constexpr (std::is_same_v<T, int8_t>)
          row[c] = saturated<int8_t>(std::nearbyint(value) + offset.at(c));
        else
          row[c] = T(value);
      }
    };
    for (size_t batch = 0; batch < p.a_starts.size(); ++batch) {
      exact_gemm(p.m, p.n, p.k, left_of(p, a.data() + p.a_starts[batch]), right_of(p, b.data() + p.b_starts[batch]),
                 exact_terms(128, 128), part.data(), sums.data());
      T* to = y.as<T>() + int64_t(batch) * p.m * p.n;
      parallel_for(p.m, std::max<int64_t>(1, 8192 / std::max<int64_t>(1, p.n)), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) finish(r, to + r * p.n);
      });
    }
    return {};
  }
};

MadeKernel make_quant_matmul(const KernelRequest& request) {
  const auto& node = request.node;
  if (request.inputs[0].type != DataType::Int8 || request.inputs[1].type != DataType::Int8)
    return refuse("x1 and x2 must be int8");
  if (graph::int_of(node, "group_size", 0) != 0) return refuse("group_size is not supported");
  const QuantMatmul op{label_of(node), product_of(request, graph::flag_of(node, "transpose_x1", false),
                                                  graph::flag_of(node, "transpose_x2", false))};
  const DataType type = request.outputs[0].type;
  if (type == DataType::Int8)
    return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run<int8_t>(in, out[0]); });
  return with_type(FloatTypes{}, type, [&]<class T>() -> MadeKernel {
    return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run<T>(in, out[0]); });
  });
}

struct WeightQuantMatmul {
  std::string label;
  Product product;
  int64_t group;  // rows of the weight that share a scale; 0: all

  // (weight + offset) * scale as floats, k by n.
  Result<std::vector<float>> weights(Inputs in) const {
    const Product& p = product;
    std::vector<double> scales = TRY(reals(in[2])), offsets;
    if (in.size() > 3 && in[3].present) offsets = TRY(reals(in[3]));
    const int64_t groups = group > 0 ? (p.k + group - 1) / group : 1;
    const auto fits = [&](size_t count) { return count == 1 || int64_t(count) == groups * p.n; };
    if (!fits(scales.size()) || !(offsets.empty() || fits(offsets.size())))
      return failed(label, "antiquant_scale or antiquant_offset does not fit the weight");
    const auto pick = [&](const std::vector<double>& from, int64_t row, int64_t column) {
      if (from.size() == 1) return float(from[0]);
      const int64_t g = group > 0 ? row / group : 0;
      return float(from[size_t(p.transpose_b ? column * groups + g : g * p.n + column)]);
    };
    std::vector<float> all(size_t(in[1].count()));
    for (int64_t i = 0; i < int64_t(all.size()); ++i) {
      const int64_t within = i % (p.k * p.n);
      const int64_t row = p.transpose_b ? within % p.k : within / p.n,
                    column = p.transpose_b ? within / p.k : within % p.n;
      const float offset = offsets.empty() ? 0 : pick(offsets, row, column);
      all[size_t(i)] = (float(in[1].as<int8_t>()[i]) + offset) * pick(scales, row, column);
    }
    return all;
  }

  template <class T>
  Status run(Inputs in, Tensor& y) const {
    const Product& p = product;
    const auto b = TRY(weights(in));
    const std::vector<float> a(in[0].as<T>(), in[0].as<T>() + in[0].count());
    std::vector<double> bias(static_cast<size_t>(p.n));
    if (in.size() > 6 && in[6].present) bias = TRY(reals(in[6]));
    if (int64_t(bias.size()) != p.n) return failed(label, "bias needs a number for each column");
    std::vector<float> sums(size_t(p.m * p.n));
    for (size_t batch = 0; batch < p.a_starts.size(); ++batch) {
      gemm(p.m, p.n, p.k, left_of(p, a.data() + p.a_starts[batch]), right_of(p, b.data() + p.b_starts[batch]), 0.0f,
           sums.data(), p.n);
      for (int64_t i = 0; i < p.m * p.n; ++i)
        y.as<T>()[int64_t(batch) * p.m * p.n + i] = T(sums[size_t(i)] + float(bias[size_t(i % p.n)]));
    }
    return {};
  }
};

MadeKernel make_weight_quant_matmul(const KernelRequest& request) {
  const auto& node = request.node;
  if (request.inputs[1].type != DataType::Int8)
    return refuse(formatted("a weight of type {} is not supported", graph::name_of(request.inputs[1].type)));
  if (request.inputs.size() > 4 && request.inputs[4].present) return refuse("quant_scale is not supported");
  if (request.outputs[0].type != request.inputs[0].type)
    return refuse("a result of another type than x is not supported");
  const WeightQuantMatmul op{
      label_of(node),
      product_of(request, graph::flag_of(node, "transpose_x", false), graph::flag_of(node, "transpose_weight", false)),
      graph::int_of(node, "antiquant_group_size", 0)};
  return with_type(TypeList<Half, BFloat16, float>{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run<T>(in, out[0]); });
  });
}

constexpr KernelRow rows[] = {
    {"QuantBatchMatmulV3", "reference", make_quant_matmul},
    {"WeightQuantBatchMatmulV2", "reference", make_weight_quant_matmul},
};

}  // namespace

std::span<const KernelRow> quant_matmul_rows() { return rows; }

}  // namespace belay::backend::cpu
