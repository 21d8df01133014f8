// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of one product: QuantMatmul, of integers on both sides, and WeightQuantBatchMatmul.
#include <algorithm>
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/nn/matmul_shape.h"
#include "backend/cpu/quant/exact_product.h"
#include "backend/cpu/quant/parameter.h"
#include "backend/cpu/quant/scaled_product.h"
#include "backend/cpu/rows.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

bool is_one_of(DataType type, std::initializer_list<DataType> types) { return std::ranges::count(types, type) > 0; }

Status wrong_type(const std::string& what, DataType type) {
  return refuse(formatted("{} of type {} is not supported here", what, graph::name_of(type)));
}

// The matrices of a call: m by k and k by n, for each batch of the result.
struct Matrices {
  int64_t m = 0, n = 0, k = 0;
  bool turned_a = false, turned_b = false;
  std::vector<int64_t> a_starts, b_starts;
};

Result<Matrices> matrices_of(const Shape& a, const Shape& b, bool turned_a, bool turned_b, const Shape& y) {
  if (a.size() < 2 || b.size() < 2 || a.size() > 6 || b.size() > 6)
    return refuse("x1 and x2 must have 2 to 6 dimensions");
  Matrices made{a[a.size() - (turned_a ? 1 : 2)],
                b[b.size() - (turned_b ? 2 : 1)],
                a[a.size() - (turned_a ? 2 : 1)],
                turned_a,
                turned_b,
                {},
                {}};
  const int64_t other = b[b.size() - (turned_b ? 1 : 2)];
  if (made.k != other)
    return refuse(formatted("the matrices do not fit: {} and {}{}", graph::to_text(a), graph::to_text(b),
                            turned_a || turned_b ? " (with transposition)" : ""));
  if (graph::element_count(a) == 0 || graph::element_count(b) == 0) return refuse("empty matrices are not supported");
  auto batch = graph::broadcast(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch.ok()) return refuse(batch.status().message);
  Shape wanted = *batch;
  wanted.insert(wanted.end(), {made.m, made.n});
  if (wanted != y)
    return refuse(formatted("the result has shape {}, out has shape {}", graph::to_text(wanted), graph::to_text(y)));
  made.a_starts = batch_starts(*batch, {a.begin(), a.end() - 2}, made.m * made.k);
  made.b_starts = batch_starts(*batch, {b.begin(), b.end() - 2}, made.k * made.n);
  return made;
}

ScaledProduct product_of(const Matrices& p, size_t batch, const float* a, const Tensor& b) {
  ScaledProduct made{.m = p.m,
                     .n = p.n,
                     .k = p.k,
                     .x = a + p.a_starts[batch],
                     .x_step = p.turned_a ? p.m : p.k,
                     .x_turned = p.turned_a,
                     .w = b,
                     .w_first = p.b_starts[batch],
                     .w_step = p.turned_b ? p.k : p.n,
                     .w_turned = p.turned_b};
  return made;
}

float number_at(const std::vector<float>& numbers, int64_t i, float fallback) {
  return numbers.empty() ? fallback : numbers[numbers.size() == 1 ? 0 : static_cast<size_t>(i)];
}

// Refuses a tensor of numbers that has neither one element nor `count`.
Status one_or(const WholeCall& call, const std::string& name, int64_t count) {
  const int input = call.input(name);
  if (input < 0) return {};
  const int64_t given = graph::element_count(call.info(input).shape);
  if (given != 1 && given != count)
    return refuse(formatted("{} has {} elements; it must have 1 or {}", name, given, count));
  if (!reads_floats(call.info(input).type)) return wrong_type(name, call.info(input).type);
  return {};
}

struct QuantMatmul {
  Matrices matrices;
  int x1, x2, scale, offset, token, bias;
  float factor;
  bool packed, whole_bias;

  Status run(Inputs in, Outputs out) const {
    const auto a = all_floats(packed ? as_int4(tensor_at(in, x1)) : tensor_at(in, x1));
    const Tensor b = packed ? as_int4(tensor_at(in, x2)) : tensor_at(in, x2);
    const auto scales = scale_numbers(tensor_at(in, scale)), tokens = all_floats(tensor_at(in, token));
    auto offsets = all_floats(tensor_at(in, offset));
    if (offset < 0) offsets = word_offsets(tensor_at(in, scale));
    const auto added = all_floats(tensor_at(in, bias));
    Tensor& y = out[0];
    std::vector<ScaledProduct> products;
    for (size_t batch = 0; batch < matrices.a_starts.size(); ++batch) {
      ScaledProduct product = product_of(matrices, batch, a.data(), b);
      product.whole = true;
      const int64_t start = static_cast<int64_t>(batch) * matrices.m * matrices.n;
      const bool own_bias = static_cast<int64_t>(added.size()) > matrices.n;
      const int64_t bias_start = own_bias ? static_cast<int64_t>(batch) * matrices.n : 0;
      product.finish = [&, start, bias_start](int64_t row, int64_t first, int64_t count, const float*,
                                              const int32_t* exact) {
        std::vector<float> values(static_cast<size_t>(count));
        for (int64_t c = 0; c < count; ++c) {
          const int64_t column = first + c, at = start + row * matrices.n + column;
          int32_t sum = exact[c];
          if (whole_bias) sum = wrapping_sum(sum, in[static_cast<size_t>(bias)].as<int32_t>()[bias_start + column]);
          if (y.type == DataType::Int32) {
            y.as<int32_t>()[at] = sum;
            continue;
          }
          float value = static_cast<float>(sum) * factor * number_at(scales, column, 1) * number_at(tokens, row, 1);
          if (!whole_bias) value += number_at(added, bias_start + column, 0);
          values[static_cast<size_t>(c)] = value;
          if (y.type == DataType::Int8)
            y.as<int8_t>()[at] = saturated<int8_t>(nearest_whole(value + number_at(offsets, column, 0)));
        }
        if (y.type != DataType::Int32 && y.type != DataType::Int8)
          write_floats(values.data(), count, y, start + row * matrices.n + first);
      };
      products.push_back(std::move(product));
    }
    multiply(products);
    return {};
  }
};

MadeKernel make_quant_matmul(const KernelRequest& request) {
  using enum DataType;
  const WholeCall call(request);
  QuantMatmul op{{},
                 call.even_empty("x1"),
                 call.even_empty("x2"),
                 call.input("scale"),
                 call.input("offset"),
                 call.input("token"),
                 call.input("bias"),
                 static_cast<float>(call.real("factor", 1)),
                 false,
                 false};
  TRY(call.absent({"yScale", "x1Offset", "yOffset"}));
  if (call.integer("group") != 0) return refuse("groupSize must be 0: products by groups are not supported");
  const auto &a = call.info(op.x1), &b = call.info(op.x2);
  op.packed = holds_int4(a.type) && holds_int4(b.type);
  if (!op.packed && (a.type != Int8 || b.type != Int8))
    return refuse(formatted("x1 of {} and x2 of {} do not go together; both must be INT8, or INT4",
                            graph::name_of(a.type), graph::name_of(b.type)));
  const auto& y = call.result(0);
  if (!is_one_of(y.type, {Float16, BFloat16, Float, Int8, Int32})) return wrong_type("out", y.type);
  op.matrices = TRY(matrices_of(shape_in_int4(a, op.packed), shape_in_int4(b, op.packed), call.flag("transpose_x1"),
                                call.flag("transpose_x2"), y.shape));
  TRY(call.all_real({"token"}));
  TRY(one_or(call, "scale", op.matrices.n));
  TRY(one_or(call, "offset", op.matrices.n));
  if (op.token >= 0 && graph::element_count(call.info(op.token).shape) != op.matrices.m)
    return refuse(formatted("the scale of the tokens needs {} elements", op.matrices.m));
  if (op.offset >= 0 && y.type != Int8) return refuse("offset goes with an out of INT8");
  if (op.token >= 0 && y.type == Int8) return refuse("a scale of the tokens does not go with an out of INT8");
  if (op.bias < 0) return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
  const auto& bias = call.info(op.bias);
  op.whole_bias = bias.type == Int32;
  if (!op.whole_bias && (y.type == Int32 || !is_one_of(bias.type, {Float, Float16, BFloat16})))
    return wrong_type("bias", bias.type);
  const int64_t count = graph::element_count(bias.shape), batches = static_cast<int64_t>(op.matrices.a_starts.size());
  if (count != op.matrices.n && count != batches * op.matrices.n)
    return refuse(formatted("bias has shape {}; it must have {} elements", graph::to_text(bias.shape), op.matrices.n));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

struct WeightQuantMatmul {
  Matrices matrices;
  int x, weight, scale, offset, quant_scale, quant_offset, bias;
  int64_t group;

  Status run(Inputs in, Outputs out) const {
    const auto a = all_floats(tensor_at(in, x));
    const auto scales = scale_numbers(tensor_at(in, scale)), offsets = all_floats(tensor_at(in, offset));
    const auto outer = scale_numbers(tensor_at(in, quant_scale)), shift = all_floats(tensor_at(in, quant_offset));
    const auto added = all_floats(tensor_at(in, bias));
    const auto numbers = [&](const std::vector<float>& from) -> WeightNumbers {
      return {from.empty() ? nullptr : from.data(), static_cast<int64_t>(from.size()), group, matrices.n};
    };
    Tensor& y = out[0];
    ScaledProduct product = product_of(matrices, 0, a.data(), as_int4(tensor_at(in, weight)));
    product.scale = numbers(scales);
    product.offset = numbers(offsets);
    product.finish = [&](int64_t row, int64_t first, int64_t count, const float* sums, const int32_t*) {
      std::vector<float> values(sums, sums + count);
      const int64_t at = row * matrices.n + first;
      for (int64_t c = 0; c < count; ++c) values[static_cast<size_t>(c)] += number_at(added, first + c, 0);
      if (quant_scale < 0) return write_floats(values.data(), count, y, at);
      for (int64_t c = 0; c < count; ++c)
        y.as<int8_t>()[at + c] = saturated<int8_t>(nearest_whole(
            values[static_cast<size_t>(c)] * number_at(outer, first + c, 1) + number_at(shift, first + c, 0)));
    };
    multiply({&product, 1});
    return {};
  }
};

Status check_groups(const WholeCall& call, const std::string& name, int64_t groups, int64_t n) {
  const int input = call.input(name);
  if (input < 0) return {};
  const auto& info = call.info(input);
  const int64_t count = graph::element_count(info.shape);
  if (count != groups * n && (count != 1 || groups > 1))
    return refuse(formatted("{} has shape {}; {} rows of {} are needed", name, graph::to_text(info.shape), groups, n));
  if (!reads_floats(info.type)) return wrong_type(name, info.type);
  return {};
}

MadeKernel make_weight_quant_matmul(const KernelRequest& request) {
  using enum DataType;
  const WholeCall call(request);
  WeightQuantMatmul op{{},
                       call.even_empty("x"),
                       call.even_empty("weight"),
                       call.input("antiquantScale"),
                       call.input("antiquantOffset"),
                       call.input("quantScale"),
                       call.input("quantOffset"),
                       call.input("bias"),
                       call.integer("group")};
  const auto &x = call.info(op.x), &weight = call.info(op.weight);
  if (!is_one_of(x.type, {Float16, BFloat16})) return wrong_type("x", x.type);
  if (weight.type != Int8 && !holds_int4(weight.type)) return wrong_type("weight", weight.type);
  const auto& y = call.result(0);
  const DataType wanted = op.quant_scale >= 0 ? Int8 : x.type;
  if (y.type != wanted)
    return refuse(formatted("y is {}; it must be {}", graph::name_of(y.type), graph::name_of(wanted)));
  if (x.shape.size() != 2 || weight.shape.size() != 2) return refuse("x and weight must have 2 dimensions");
  op.matrices = TRY(matrices_of(x.shape, shape_in_int4(weight, true), false, false, y.shape));
  const int64_t k = op.matrices.k, n = op.matrices.n;
  if (op.group < 0 || op.group % 32 != 0)
    return refuse(formatted("antiquantGroupSize is {}; it must be 0 or a multiple of 32", op.group));
  const int64_t groups = op.group > 0 ? (k + op.group - 1) / op.group : 1;
  TRY(check_groups(call, "antiquantScale", groups, n));
  TRY(check_groups(call, "antiquantOffset", groups, n));
  for (const char* name : {"quantScale", "quantOffset"}) TRY(one_or(call, name, n));
  TRY(call.all_real({"bias"}));
  if (op.bias >= 0 && graph::element_count(call.info(op.bias).shape) != n)
    return refuse(formatted("bias must have {} elements", n));
  if (op.quant_offset >= 0 && op.quant_scale < 0) return refuse("quantOffset goes with quantScale");
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

constexpr KernelRow rows[] = {
    {"AclnnQuantMatmul", "reference", make_quant_matmul},
    {"AclnnWeightQuantMatmul", "reference", make_weight_quant_matmul},
};

}  // namespace

std::span<const KernelRow> aclnn_product_rows() { return rows; }

}  // namespace belay::backend::cpu
