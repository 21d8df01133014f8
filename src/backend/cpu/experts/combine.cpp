// SPDX-License-Identifier: Apache-2.0
// Rows of experts summed for each token, and tokens spread over rows: MoeFinalizeRouting, MoeTokenPermute,
// MoeTokenUnpermute and their gradients.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

int64_t width_of(const Shape& shape) { return shape.empty() ? 1 : shape.back(); }

// y[i] = x1[i] + x2[i] + the sum over k of scales[i, k] * (rows[index] + bias[expert]).
struct Combine {
  int rows, index, x1, x2, bias, scales, experts;
  int64_t tokens, k, width;
  bool by_columns, skips_zero;

  Status run(Inputs in, Outputs out) const {
    const Tensor& from = in[static_cast<size_t>(rows)];
    const auto places = TRY(integers(in[static_cast<size_t>(index)]));
    const auto expert_of = experts < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(experts)]));
    const auto factors = all_floats(tensor_at(in, scales)), added = all_floats(tensor_at(in, bias));
    const int64_t count = from.count() / width, biases = static_cast<int64_t>(added.size()) / width;
    for (const int64_t expert : expert_of)
      if (bias >= 0 && (expert < 0 || expert >= biases))
        return failed("MoeFinalizeRouting", formatted("expert {} has no bias; there are {}", expert, biases));
    parallel_for(tokens, std::max<int64_t>(1, 16384 / (width * (k + 1))), [&](int64_t begin, int64_t end) {
      std::vector<float> sum(static_cast<size_t>(width)), row(static_cast<size_t>(width));
      for (int64_t i = begin; i < end; ++i) {
        std::fill(sum.begin(), sum.end(), 0.0f);
        for (const int each : {x1, x2}) {
          if (each < 0) continue;
          read_floats(in[static_cast<size_t>(each)], i * width, width, row.data());
          for (int64_t c = 0; c < width; ++c) sum[static_cast<size_t>(c)] += row[static_cast<size_t>(c)];
        }
        for (int64_t j = 0; j < k; ++j) {
          const int64_t place = places[static_cast<size_t>(by_columns ? j * tokens + i : i * k + j)];
          const float factor = factors.empty() ? 1 : factors[static_cast<size_t>(i * k + j)];
          if (place < 0 || place >= count || (skips_zero && factor == 0)) continue;
          read_floats(from, place * width, width, row.data());
          const float* extra = bias < 0 ? nullptr : added.data() + expert_of[static_cast<size_t>(i * k + j)] * width;
          for (int64_t c = 0; c < width; ++c)
            sum[static_cast<size_t>(c)] += factor * (row[static_cast<size_t>(c)] + (extra ? extra[c] : 0));
        }
        write_floats(sum.data(), width, out[0], i * width);
      }
    });
    return {};
  }
};

MadeKernel make_combine(const KernelRequest& request) {
  const WholeCall call(request);
  Combine op{};
  op.rows = call.even_empty("rows"), op.index = call.even_empty("index");
  op.x1 = call.input("x1"), op.x2 = call.input("x2"), op.bias = call.input("bias");
  op.scales = call.input("scales"), op.experts = call.input("experts");
  const int64_t mode = call.integer("mode", 2);
  if (mode < 0 || mode > 3) return refuse(formatted("dropPadMode is {}; it must be from 0 to 3", mode));
  op.by_columns = mode < 2, op.skips_zero = call.flag("skips_zero");
  if (call.flag("padded")) return refuse("paddedMode true is not supported");
  if (call.input("x2") >= 0 && op.x1 < 0) return refuse("x2 goes with x1");
  if (op.bias >= 0 && op.experts < 0) return refuse("bias needs expertIdx");
  const auto &rows = call.info(op.rows), &y = call.result(0);
  const int64_t pairs = graph::element_count(call.info(op.index).shape);
  op.width = width_of(rows.shape);
  op.k = op.scales >= 0 ? width_of(call.info(op.scales).shape) : std::max<int64_t>(1, call.integer("k", 1));
  if (op.k == 0 || pairs % op.k != 0)
    return refuse(formatted("{} places do not divide into {} for each token", pairs, op.k));
  op.tokens = pairs / op.k;
  if (!is_real(rows.type) || y.type != rows.type)
    return refuse("the rows and the result must have one type of FLOAT, FLOAT16 or BF16");
  if (width_of(y.shape) != op.width || graph::element_count(y.shape) != op.tokens * op.width)
    return refuse(
        formatted("the result has shape {}; it must be [{},{}]", graph::to_text(y.shape), op.tokens, op.width));
  TRY(call.all_real({"x1", "x2", "bias", "scales"}));
  for (const int each : {op.x1, op.x2})
    if (each >= 0 && graph::element_count(call.info(each).shape) != op.tokens * op.width)
      return refuse("x1 and x2 must have the result's shape");
  for (const int each : {op.scales, op.experts})
    if (each >= 0 && graph::element_count(call.info(each).shape) != pairs)
      return refuse(formatted("scales, probs and expertIdx must have {} elements", pairs));
  if (op.bias >= 0 && width_of(call.info(op.bias).shape) != op.width) return refuse("bias must have the rows' columns");
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// Tokens in the order of their experts; sortedIndices[p] is the place of pair p.
MadeKernel make_permute(const KernelRequest& request) {
  const WholeCall call(request);
  if (call.flag("padded")) return refuse("paddedMode true is not supported");
  const auto &tokens = call.info(call.even_empty("tokens")), &indices = call.info(call.even_empty("indices"));
  const auto &y = call.result(0), &sorted = call.result(1);
  if (tokens.shape.empty() || indices.shape.empty() || indices.shape.size() > 2 || tokens.shape[0] != indices.shape[0])
    return refuse(formatted("tokens {} and indices {} must have as many rows", graph::to_text(tokens.shape),
                            graph::to_text(indices.shape)));
  const int64_t pairs = graph::element_count(indices.shape), k = indices.shape.size() == 2 ? indices.shape[1] : 1;
  const int64_t asked = call.integer("count");
  const int64_t kept = asked > 0 ? std::min(asked, pairs) : std::max<int64_t>(0, pairs + asked);
  const int64_t width = graph::element_count(tokens.shape) / std::max<int64_t>(tokens.shape[0], 1);
  if (y.type != tokens.type || graph::element_count(y.shape) != kept * width)
    return refuse(
        formatted("permuteTokens has shape {}; {} rows of {} come out", graph::to_text(y.shape), kept, width));
  if (sorted.type != DataType::Int32 || graph::element_count(sorted.shape) != pairs)
    return refuse(formatted("sortedIndices must be INT32 with {} elements", pairs));
  const size_t bytes = graph::bytes_of(tokens.type, width);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto experts = TRY(integers(in[1]));
    std::vector<int64_t> order(experts.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::ranges::stable_sort(order, {}, [&](int64_t p) { return experts[static_cast<size_t>(p)]; });
    for (int64_t i = 0; i < pairs; ++i) {
      const int64_t pair = order[static_cast<size_t>(i)];
      out[1].as<int32_t>()[pair] = static_cast<int32_t>(i);
      if (i < kept)
        std::memcpy(out[0].as<std::byte>() + static_cast<size_t>(i) * bytes,
                    in[0].as<std::byte>() + static_cast<size_t>(pair / k) * bytes, bytes);
    }
    return {};
  });
}

// The gradient of a sum of rows: each row gets its token's, times its factor; each factor the product of both rows.
struct Spread {
  int grad, index, rows, scales, experts, bias;
  int rows_grad, scales_grad;
  int64_t tokens, k, width;
  bool by_columns;

  Status run(Inputs in, Outputs out) const {
    const auto places = TRY(integers(in[static_cast<size_t>(index)]));
    const auto expert_of = experts < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(experts)]));
    const auto factors = all_floats(tensor_at(in, scales)), added = all_floats(tensor_at(in, bias));
    Tensor& to = out[static_cast<size_t>(rows_grad)];
    std::memset(to.data, 0, to.bytes());
    const int64_t count = to.count() / width, biases = static_cast<int64_t>(added.size()) / width;
    std::vector<float> token(static_cast<size_t>(width)), row(static_cast<size_t>(width));
    for (int64_t i = 0; i < tokens; ++i) {
      read_floats(in[static_cast<size_t>(grad)], i * width, width, token.data());
      for (int64_t j = 0; j < k; ++j) {
        const int64_t place = places[static_cast<size_t>(by_columns ? j * tokens + i : i * k + j)];
        const bool there = place >= 0 && place < count;
        if (scales_grad >= 0) {
          double sum = 0;
          if (there && rows >= 0) {
            read_floats(in[static_cast<size_t>(rows)], place * width, width, row.data());
            const int64_t expert = bias < 0 ? 0 : expert_of[static_cast<size_t>(i * k + j)];
            if (bias >= 0 && (expert < 0 || expert >= biases))
              return failed("MoeFinalizeRoutingV2Grad", formatted("expert {} has no bias", expert));
            for (int64_t c = 0; c < width; ++c)
              sum += token[static_cast<size_t>(c)] *
                     (row[static_cast<size_t>(c)] + (bias < 0 ? 0 : added[static_cast<size_t>(expert * width + c)]));
          }
          const auto value = static_cast<float>(sum);
          write_floats(&value, 1, out[static_cast<size_t>(scales_grad)], i * k + j);
        }
        if (!there) continue;
        const float factor = factors.empty() ? 1 : factors[static_cast<size_t>(i * k + j)];
        for (int64_t c = 0; c < width; ++c) row[static_cast<size_t>(c)] = token[static_cast<size_t>(c)] * factor;
        write_floats(row.data(), width, to, place * width);
      }
    }
    return {};
  }
};

MadeKernel make_spread(const KernelRequest& request) {
  const WholeCall call(request);
  Spread op{};
  op.grad = call.even_empty("grad"), op.index = call.even_empty("index"), op.rows = call.input("rows");
  op.scales = call.input("scales"), op.experts = call.input("experts"), op.bias = call.input("bias");
  op.rows_grad = call.output(0), op.scales_grad = op.scales >= 0 ? call.output(1) : -1;
  const int64_t mode = call.integer("mode", 2);
  if (mode < 0 || mode > 3 || call.flag("padded"))
    return refuse("dropPadMode must be from 0 to 3 and paddedMode false");
  op.by_columns = mode < 2;
  const auto &grad = call.info(op.grad), &rows = call.result(op.rows_grad);
  const int64_t pairs = graph::element_count(call.info(op.index).shape);
  op.width = width_of(grad.shape);
  op.tokens = graph::element_count(grad.shape) / std::max<int64_t>(op.width, 1);
  if (op.tokens == 0 || pairs % op.tokens != 0) return refuse("the gradient and the places do not fit");
  op.k = pairs / op.tokens;
  if (!is_real(grad.type) || rows.type != grad.type || width_of(rows.shape) != op.width)
    return refuse("the gradients must have one type and as many columns");
  TRY(call.all_real({"rows", "scales", "bias"}));
  for (const int each : {op.scales, op.experts})
    if (each >= 0 && graph::element_count(call.info(each).shape) != pairs)
      return refuse(formatted("scales, probs and expertIdx must have {} elements", pairs));
  if (op.scales_grad >= 0 &&
      (!is_real(call.result(op.scales_grad).type) || graph::element_count(call.result(op.scales_grad).shape) != pairs))
    return refuse(formatted("the gradient of scales or probs must have {} elements", pairs));
  if (op.scales_grad >= 0 && op.rows < 0) return refuse("the gradient of scales or probs needs the rows");
  if (op.rows >= 0 && graph::element_count(call.info(op.rows).shape) < graph::element_count(rows.shape))
    return refuse("the rows and their gradient must have one shape");
  if (op.bias >= 0 && op.experts < 0) return refuse("bias needs expertIdx");
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

constexpr KernelRow rows[] = {
    {"AclnnMoeCombine", "reference", make_combine},
    {"AclnnMoePermute", "reference", make_permute},
    {"AclnnMoeSpread", "reference", make_spread},
};

}  // namespace

std::span<const KernelRow> moe_combine_rows() { return rows; }

}  // namespace belay::backend::cpu
