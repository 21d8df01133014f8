// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls that choose the next token: ApplyTopKTopP, TopKTopPSample.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

Status check_logits(const graph::TensorInfo& logits) {
  if (is_real(logits.type) && logits.shape.size() == 2 && logits.shape[1] > 0) return {};
  return refuse(formatted("logits are {} {}; FLOAT, FLOAT16 and BF16 of [batch, vocabulary] are supported",
                          graph::name_of(logits.type), graph::to_text(logits.shape)));
}

Status check_rows(const WholeCall& call, const std::string& name, int64_t count) {
  const int place = call.input(name);
  if (place < 0 || graph::element_count(call.info(place).shape) == count) return {};
  return refuse(
      formatted("{} has shape {}; it must have {} elements", name, graph::to_text(call.info(place).shape), count));
}

std::vector<double> softmax(const std::vector<float>& row) {
  double highest = -INFINITY, sum = 0;
  for (const float value : row) highest = std::max(highest, static_cast<double>(value));
  std::vector<double> made;
  for (const float value : row) {
    made.push_back(value == -INFINITY ? 0 : std::exp(value - highest));
    sum += made.back();
  }
  for (double& value : made) value /= sum;
  return made;
}

// What lies below the k-th largest becomes -inf; then what the smallest add up to, up to 1 - p.
void filter_row(std::vector<float>& row, int64_t k, double p) {
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, {}, [&](int64_t i) { return row[static_cast<size_t>(i)]; });
  const auto count = static_cast<int64_t>(row.size());
  if (k > 0 && k < count) {
    const float least = row[static_cast<size_t>(order[static_cast<size_t>(count - k)])];
    for (float& value : row)
      if (value < least) value = -INFINITY;
  }
  if (!(p < 1)) return;
  const auto weights = softmax(row);
  double sum = 0;
  for (int64_t i = 0; i + 1 < count; ++i) {
    const auto at = static_cast<size_t>(order[static_cast<size_t>(i)]);
    sum += weights[at];
    if (sum <= 1 - p) row[at] = -INFINITY;
  }
}

MadeKernel make_filter(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("logits"), p = call.input("p"), k = call.input("k");
  const auto &logits = call.info(x), &y = call.result(0);
  TRY(check_logits(logits));
  const int64_t rows = logits.shape[0], width = logits.shape[1];
  if (y.type != logits.type || y.shape != logits.shape) return refuse("out must have logits' type and shape");
  for (const char* name : {"p", "k"}) TRY(check_rows(call, name, rows));
  if (k >= 0 && call.info(k).type != DataType::Int32) return refuse("k must be INT32");
  if (p >= 0 && call.info(p).type != logits.type) return refuse("p must have logits' type");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto most = k < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(k)]));
    const auto shares = all_floats(tensor_at(in, p));
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      std::vector<float> row(static_cast<size_t>(width));
      for (int64_t r = begin; r < end; ++r) {
        read_floats(in[static_cast<size_t>(x)], r * width, width, row.data());
        filter_row(row, most.empty() ? 0 : most[static_cast<size_t>(r)],
                   shares.empty() ? 1 : shares[static_cast<size_t>(r)]);
        write_floats(row.data(), width, out[0], r * width);
      }
    });
    return {};
  });
}

// The k largest, of those the ones before which less than p lies, and of those the one that the noise chooses.
struct Sample {
  int logits, k, p, noise, index, select;
  int64_t rows, width, most;
  double eps;
  bool tells;

  void run(Inputs in, Outputs out, int64_t r, int64_t top, double share) const {
    std::vector<float> row(static_cast<size_t>(width)), chance(row), kept(row.size(), -INFINITY);
    read_floats(in[static_cast<size_t>(logits)], r * width, width, row.data());
    if (noise >= 0) read_floats(in[static_cast<size_t>(noise)], r * width, width, chance.data());
    std::vector<int64_t> order(row.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](int64_t i) { return row[static_cast<size_t>(i)]; });
    if (top >= 1 && top <= std::min(width, most)) order.resize(static_cast<size_t>(top));
    std::vector<float> left;
    for (const int64_t i : order) left.push_back(row[static_cast<size_t>(i)]);
    const auto weights = softmax(left);
    double before = 0, best = -1;
    int64_t chosen = order[0];
    for (size_t i = 0; i < order.size(); ++i) {
      if (share < 1 && i > 0 && before > share) break;
      before += weights[i];
      const auto at = static_cast<size_t>(order[i]);
      kept[at] = row[at];
      const double score = noise < 0 ? weights[i] : weights[i] / (chance[at] + eps);
      if (score > best) best = score, chosen = order[i];
    }
    out[static_cast<size_t>(index)].as<int64_t>()[r] = chosen;
    if (tells && select >= 0) write_floats(kept.data(), width, out[static_cast<size_t>(select)], r * width);
  }
};

MadeKernel make_sample(const KernelRequest& request) {
  const WholeCall call(request);
  Sample op{};
  op.logits = call.even_empty("logits"), op.k = call.even_empty("k"), op.p = call.even_empty("p");
  op.noise = call.input("noise"), op.index = call.output(0), op.select = call.output(1);
  op.eps = call.real("eps"), op.tells = call.flag("tells");
  op.most = call.integer("most", 1024);
  const auto& logits = call.info(op.logits);
  TRY(check_logits(logits));
  if (logits.shape[0] > 0) TRY(call.filled({"k", "p"}));
  op.rows = logits.shape[0], op.width = logits.shape[1];
  for (const char* name : {"k", "p"}) TRY(check_rows(call, name, op.rows));
  TRY(check_rows(call, "noise", op.rows * op.width));
  TRY(call.all_real({"noise"}));
  if (call.info(op.k).type != DataType::Int32 || !is_real(call.info(op.p).type))
    return refuse("topK must be INT32 and topP have logits' type");
  const auto& index = call.result(op.index);
  if (index.type != DataType::Int64 || graph::element_count(index.shape) != op.rows)
    return refuse(formatted("logitsSelectIdx must be INT64 with {} elements", op.rows));
  if (op.tells && op.select < 0) return refuse("isNeedLogits true needs logitsTopKpSelect");
  if (op.tells && (call.result(op.select).type != DataType::Float || call.result(op.select).shape != logits.shape))
    return refuse("logitsTopKpSelect must be FLOAT with logits' shape");
  return function_kernel([op](Inputs in, Outputs out) -> Status {
    const auto tops = TRY(integers(in[static_cast<size_t>(op.k)]));
    const auto shares = all_floats(in[static_cast<size_t>(op.p)]);
    parallel_for(op.rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        op.run(in, out, r, tops[static_cast<size_t>(r)], shares[static_cast<size_t>(r)]);
    });
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnTokenFilter", "reference", make_filter},
    {"AclnnTokenSample", "reference", make_sample},
};

}  // namespace

std::span<const KernelRow> token_rows() { return rows; }

}  // namespace belay::backend::cpu
