// SPDX-License-Identifier: Apache-2.0
// Which experts a token goes to: MoeGatingTopK and MoeGatingTopKSoftmax.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

constexpr float kLeast = -std::numeric_limits<float>::infinity();

// The places of the `k` largest, the largest first; of equal ones the first.
std::vector<int64_t> largest(const std::vector<float>& of, int64_t k) {
  std::vector<int64_t> order(of.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto before = [&](int64_t a, int64_t b) {
    const float x = of[static_cast<size_t>(a)], y = of[static_cast<size_t>(b)];
    return x != y && !(std::isnan(x) && std::isnan(y)) ? x > y || std::isnan(x) : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
  order.resize(static_cast<size_t>(k));
  return order;
}

void soften(std::vector<float>& row) {
  const float most = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (float& x : row) sum += x = std::exp(x - most);
  for (float& x : row) x = static_cast<float>(x / sum);
}

struct Gating {
  int x, bias, finished, ids, table;
  int y, index, rows, all;
  int64_t experts, k, kept_groups, group_count, select_mode, renorm, norm;
  bool tells_all, softmax;
  float factor, eps;

  void normalise(std::vector<float>& row) const {
    if (norm == 0) return soften(row);
    for (float& each : row)
      each = norm == 1 ? 1 / (1 + std::exp(-each))
                       : std::sqrt(std::max(each, 0.0f) + std::log1p(std::exp(-std::abs(each))));
  }

  // What the choice goes by: groups that are not kept cannot be chosen.
  void drop_groups(std::vector<float>& row) const {
    if (group_count <= 1) return;
    const int64_t size = experts / group_count;
    std::vector<float> scores;
    for (int64_t g = 0; g < group_count; ++g) {
      const std::vector<float> members(row.begin() + g * size, row.begin() + (g + 1) * size);
      const auto best = largest(members, std::min<int64_t>(select_mode == 1 ? 2 : 1, size));
      float score = 0;
      for (const int64_t each : best) score += members[static_cast<size_t>(each)];
      scores.push_back(score);
    }
    std::vector<bool> kept(static_cast<size_t>(group_count));
    for (const int64_t g : largest(scores, kept_groups)) kept[static_cast<size_t>(g)] = true;
    for (int64_t e = 0; e < experts; ++e)
      if (!kept[static_cast<size_t>(e / size)]) row[static_cast<size_t>(e)] = kLeast;
  }

  Status run(Inputs in, Outputs out) const {
    const Tensor& from = in[static_cast<size_t>(x)];
    const int64_t tokens = from.count() / experts;
    const auto added = all_floats(tensor_at(in, bias));
    std::vector<int64_t> named;
    if (ids >= 0) {
      named = TRY(indices_within("MoeGatingTopKV2", in[static_cast<size_t>(ids)],
                                 in[static_cast<size_t>(table)].shape[0], false));
      for (const int64_t expert : TRY(integers(in[static_cast<size_t>(table)])))
        if (expert < 0 || expert >= experts)
          return failed("MoeGatingTopKV2", formatted("tid2eid names expert {}", expert));
    }
    const auto experts_of = ids >= 0 ? TRY(integers(in[static_cast<size_t>(table)])) : std::vector<int64_t>{};
    parallel_for(tokens, std::max<int64_t>(1, 8192 / experts), [&](int64_t begin, int64_t end) {
      std::vector<float> row(static_cast<size_t>(experts)), values(static_cast<size_t>(k));
      for (int64_t t = begin; t < end; ++t) {
        read_floats(from, t * experts, experts, row.data());
        const bool later = softmax && renorm == 1;  // of the chosen ones alone
        if (!later) normalise(row);
        if (all >= 0 && tells_all && !later)
          std::copy(row.begin(), row.end(), out[static_cast<size_t>(all)].as<float>() + t * experts);
        std::vector<int64_t> chosen;
        if (ids >= 0) {
          const auto first = experts_of.begin() + named[static_cast<size_t>(t)] * k;
          chosen.assign(first, first + k);
        } else {
          std::vector<float> by = row;
          for (size_t e = 0; e < added.size(); ++e) by[e] += added[e];
          drop_groups(by);
          chosen = largest(by, k);
        }
        for (int64_t j = 0; j < k; ++j)
          values[static_cast<size_t>(j)] = row[static_cast<size_t>(chosen[static_cast<size_t>(j)])];
        if (later) soften(values);
        if (!softmax) weigh(values);
        write_floats(values.data(), k, out[static_cast<size_t>(y)], t * k);
        const bool over = finished >= 0 && in[static_cast<size_t>(finished)].as<uint8_t>()[t] != 0;
        for (int64_t j = 0; j < k; ++j) {
          out[static_cast<size_t>(index)].as<int32_t>()[t * k + j] =
              static_cast<int32_t>(over ? experts : chosen[static_cast<size_t>(j)]);
          if (rows >= 0) out[static_cast<size_t>(rows)].as<int32_t>()[t * k + j] = static_cast<int32_t>(j * tokens + t);
        }
      }
    });
    return {};
  }

  void weigh(std::vector<float>& values) const {
    float sum = 0;
    for (const float value : values) sum += value;
    const bool divides = norm != 0 || renorm == 1;
    for (float& value : values) value = (divides ? value / (sum + eps) : value) * factor;
  }
};

MadeKernel make_gating(const KernelRequest& request) {
  const WholeCall call(request);
  Gating op{};
  op.x = call.even_empty("x"), op.bias = call.input("bias"), op.finished = call.input("finished");
  op.ids = call.input("ids"), op.table = call.input("table");
  op.softmax = call.flag("softmax");
  op.y = call.output(0), op.index = call.output(1);
  op.rows = call.flag("tells_rows") ? call.output(2) : -1;
  op.all = call.flag("tells_rows") ? -1 : call.output(2);
  const auto& x = call.info(op.x);
  if (x.shape.empty() || x.shape.back() == 0) return refuse("x must have experts in its last dimension");
  TRY(call.all_real({"x", "bias"}));
  op.experts = x.shape.back();
  op.k = call.integer("k");
  op.group_count = call.integer("group_count", 1), op.kept_groups = call.integer("kept_groups", 1);
  op.select_mode = call.integer("select_mode"), op.renorm = call.integer("renorm"), op.norm = call.integer("norm");
  op.tells_all = call.flag("tells_all") && !(op.softmax && op.renorm == 1);
  op.factor = static_cast<float>(call.real("factor", 1)), op.eps = static_cast<float>(call.real("eps", 0));
  if (op.norm < 0 || op.norm > 2) return refuse(formatted("normType is {}; it must be 0, 1 or 2", op.norm));
  if (op.group_count < 1 || op.experts % op.group_count != 0 || op.kept_groups < 1 || op.kept_groups > op.group_count)
    return refuse(formatted("{} experts in {} groups, {} of which are kept, is not possible", op.experts,
                            op.group_count, op.kept_groups));
  const int64_t most = op.experts / op.group_count * op.kept_groups;
  if (op.k < 1 || op.k > most) return refuse(formatted("k is {}; it must be from 1 to {}", op.k, most));
  if (op.bias >= 0 && graph::element_count(call.info(op.bias).shape) != op.experts)
    return refuse("bias needs a number for each expert");
  Shape wanted = x.shape;
  wanted.back() = op.k;
  const int64_t count = graph::element_count(wanted);
  const auto fits = [&](int output, DataType type, int64_t elements) {
    return output < 0 ||
           (call.result(output).type == type && graph::element_count(call.result(output).shape) == elements);
  };
  if (!fits(op.y, x.type, count) || !fits(op.index, DataType::Int32, count) || !fits(op.rows, DataType::Int32, count))
    return refuse(formatted("y must have x's type and expertIdx be INT32, both of shape {}", graph::to_text(wanted)));
  if (op.tells_all && (op.all < 0 || !fits(op.all, DataType::Float, graph::element_count(x.shape))))
    return refuse("out must be FLOAT and have x's shape");
  if ((op.ids < 0) != (op.table < 0)) return refuse("inputIds and tid2eid go together");
  if (op.ids >= 0 && (call.info(op.table).shape.size() != 2 || call.info(op.table).shape[1] != op.k ||
                      graph::element_count(call.info(op.ids).shape) != count / op.k))
    return refuse("inputIds has one number for each token, tid2eid k of them in each row");
  if (op.finished >= 0 && (call.info(op.finished).type != DataType::Bool ||
                           graph::element_count(call.info(op.finished).shape) != count / op.k))
    return refuse("finished must be BOOL with an element for each token");
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

constexpr KernelRow rows[] = {{"AclnnMoeGating", "reference", make_gating}};

}  // namespace

std::span<const KernelRow> moe_gating_rows() { return rows; }

}  // namespace belay::backend::cpu
