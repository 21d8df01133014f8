// SPDX-License-Identifier: Apache-2.0
// The rows of the tokens in the order of their experts: MoeInitRouting and its versions.
#include <algorithm>
#include <cstring>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/quant/row_quant.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// Pairs of a token and one of its experts, those of [begin, end) by expert, and in order among equal ones.
std::vector<int64_t> sorted_pairs(const std::vector<int64_t>& experts, int64_t begin, int64_t end) {
  std::vector<int64_t> order;
  for (size_t p = 0; p < experts.size(); ++p)
    if (experts[p] >= begin && experts[p] < end) order.push_back(static_cast<int64_t>(p));
  std::ranges::stable_sort(order, {}, [&](int64_t p) { return experts[static_cast<size_t>(p)]; });
  return order;
}

struct Routing {
  int x, experts, row_index, scale, offset;
  int expanded, places, counts, before, scales;
  int64_t version, tokens, width, k, active, capacity, expert_count, mode, count_type, quant, first, last, place_type;
  bool tells_before;
  float fixed_scale, fixed_offset;

  Status run(Inputs in, Outputs out) const {
    const auto expert_of = TRY(integers(in[static_cast<size_t>(experts)]));
    if (version == 1) return run_first(in, out, expert_of);
    const auto order = sorted_pairs(expert_of, first, last);
    const bool counted = counts >= 0 || before >= 0;
    std::vector<int64_t> of_expert(counted ? static_cast<size_t>(last - first) : 0);
    for (const int64_t pair : counted ? order : std::vector<int64_t>{})
      ++of_expert[static_cast<size_t>(expert_of[static_cast<size_t>(pair)] - first)];
    std::vector<int64_t> place(expert_of.size(), -1), source;  // source: the pair of each row of expandedX, -1: none
    if (mode == 1) {
      source.assign(static_cast<size_t>(expert_count * capacity), -1);
      std::vector<int64_t> rank(static_cast<size_t>(expert_count));
      for (const int64_t pair : order) {
        const int64_t expert = expert_of[static_cast<size_t>(pair)], at = rank[static_cast<size_t>(expert)]++;
        if (at >= capacity) continue;
        place[static_cast<size_t>(pair)] = expert * capacity + at;
        source[static_cast<size_t>(expert * capacity + at)] = pair;
      }
    } else {
      for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
      const int64_t rows = std::min<int64_t>(active > 0 ? active : tokens * k, static_cast<int64_t>(order.size()));
      source.assign(order.begin(), order.begin() + rows);
    }
    auto* to = out[static_cast<size_t>(places)].as<int32_t>();
    if (place_type == 0) std::copy(place.begin(), place.end(), to);
    if (place_type == 1) std::copy(order.begin(), order.end(), to);
    tell_counts(out, of_expert);
    const int64_t room = out[static_cast<size_t>(expanded)].count() / width;
    if (static_cast<int64_t>(source.size()) > room) source.resize(static_cast<size_t>(room));
    expand(in, out, source, expert_of);
    return {};
  }

  // expandedRowIdx is the inverse of the sorted rowIdx, which counts down the columns.
  Status run_first(Inputs in, Outputs out, const std::vector<int64_t>& expert_of) const {
    const auto rows = TRY(indices_within("MoeInitRouting", in[static_cast<size_t>(row_index)], tokens * k, false));
    const auto order =
        sorted_pairs(expert_of, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
    const int64_t most = std::min(std::min(tokens, active) * k, out[static_cast<size_t>(expanded)].count() / width);
    std::vector<int64_t> source;
    for (size_t i = 0; i < order.size(); ++i) {
      const int64_t row = rows[static_cast<size_t>(order[i])];
      out[static_cast<size_t>(places)].as<int32_t>()[row] = static_cast<int32_t>(i);
      out[static_cast<size_t>(counts)].as<int32_t>()[i] =
          static_cast<int32_t>(expert_of[static_cast<size_t>(order[i])]);
      if (static_cast<int64_t>(i) < most) source.push_back(row % tokens * k);
    }
    expand(in, out, source, {});
    return {};
  }

  template <class T>
  void tell(Tensor& to, const std::vector<int64_t>& of_expert, int64_t type) const {
    T* at = to.as<T>();
    if (type == 2) std::fill(at, at + to.count(), T{0});
    int64_t sum = 0, pairs = 0;
    for (size_t e = 0; e < of_expert.size(); ++e) {
      sum += of_expert[e];
      if (type == 0) at[e] = static_cast<T>(sum);
      if (type == 1) at[e] = static_cast<T>(of_expert[e]);
      if (type != 2 || of_expert[e] == 0) continue;
      at[2 * pairs] = static_cast<T>(first + static_cast<int64_t>(e));
      at[2 * pairs++ + 1] = static_cast<T>(of_expert[e]);
    }
  }

  void tell_counts(Outputs out, const std::vector<int64_t>& of_expert) const {
    if (counts >= 0 && count_type >= 0) {
      Tensor& to = out[static_cast<size_t>(counts)];
      to.type == DataType::Int64 ? tell<int64_t>(to, of_expert, count_type) : tell<int32_t>(to, of_expert, count_type);
    }
    if (before >= 0 && tells_before) tell<int32_t>(out[static_cast<size_t>(before)], of_expert, 1);
  }

  void expand(Inputs in, Outputs out, const std::vector<int64_t>& source, const std::vector<int64_t>& expert_of) const {
    const Tensor& from = in[static_cast<size_t>(x)];
    Tensor& to = out[static_cast<size_t>(expanded)];
    const size_t row_bytes = graph::bytes_of(to.type, width);
    const auto factors = all_floats(tensor_at(in, scale)), shifts = all_floats(tensor_at(in, offset));
    parallel_for(static_cast<int64_t>(source.size()), std::max<int64_t>(1, 16384 / width),
                 [&](int64_t begin, int64_t end) {
                   std::vector<float> row(static_cast<size_t>(width));
                   for (int64_t i = begin; i < end; ++i) {
                     const int64_t pair = source[static_cast<size_t>(i)], token = pair / k;
                     std::byte* at = to.as<std::byte>() + static_cast<size_t>(i) * row_bytes;
                     float* told = scales >= 0 ? out[static_cast<size_t>(scales)].as<float>() + i : nullptr;
                     if (pair < 0) {
                       std::memset(at, 0, row_bytes);
                       if (told) *told = 0;
                     } else if (quant < 0) {
                       std::memcpy(at, from.as<std::byte>() + static_cast<size_t>(token) * row_bytes, row_bytes);
                       if (told && !factors.empty()) *told = factors[static_cast<size_t>(token)];
                     } else {
                       read_floats(from, token * width, width, row.data());
                       auto* bytes = reinterpret_cast<int8_t*>(at);
                       if (quant == 0) {
                         const float factor = factors.empty() ? fixed_scale : factors[0],
                                     shift = shifts.empty() ? fixed_offset : shifts[0];
                         for (int64_t c = 0; c < width; ++c)
                           bytes[c] = saturated<int8_t>(nearest_whole(row[static_cast<size_t>(c)] * factor + shift));
                       } else {
                         const int64_t expert = expert_of[static_cast<size_t>(pair)] - first;
                         const int64_t smooth = static_cast<int64_t>(factors.size()) == width ? 0 : expert * width;
                         for (int64_t c = 0; c < width && !factors.empty(); ++c)
                           row[static_cast<size_t>(c)] *= factors[static_cast<size_t>(smooth + c)];
                         const float made = quantise_row(row.data(), width, bytes);
                         if (told) *told = made;
                       }
                     }
                   }
                 });
  }
};

Status check_numbers(const WholeCall& call, const Routing& op) {
  if (op.quant < -1 || op.quant > 1) return refuse(formatted("quantMode is {}; -1, 0 and 1 are supported", op.quant));
  TRY(call.all_real({"scale", "offset"}));
  if (op.quant >= 0) TRY(call.all_real({"x"}));
  const int64_t given = op.scale < 0 ? 0 : graph::element_count(call.info(op.scale).shape);
  if (op.quant == -1 && given != 0 && given != op.tokens)
    return refuse(formatted("scale has {} elements; one for each of {} tokens is carried along", given, op.tokens));
  if (op.quant == 0 && op.version != 1 && (given < 1 || op.offset < 0))
    return refuse("quantMode 0 needs scale and offset");
  if (op.quant == 1 && given != 0 && given != op.width && given != (op.last - op.first) * op.width)
    return refuse(formatted("scale has {} elements; it must be [{},{}] or [1,{}]", given, op.last - op.first, op.width,
                            op.width));
  return {};
}

Status check_outputs(const WholeCall& call, const Routing& op) {
  const auto &x = call.info(op.x), &expanded = call.result(op.expanded), &places = call.result(op.places);
  const DataType type = op.quant < 0 ? x.type : DataType::Int8;
  if (expanded.type != type || expanded.shape.empty() || expanded.shape.back() != op.width)
    return refuse(formatted("expandedX must be {} with {} columns", graph::name_of(type), op.width));
  const int64_t rows = graph::element_count(expanded.shape) / std::max<int64_t>(op.width, 1);
  if (op.mode == 1 && rows != op.expert_count * op.capacity)
    return refuse(formatted("expandedX must be [{},{},{}]", op.expert_count, op.capacity, op.width));
  if (places.type != DataType::Int32 || graph::element_count(places.shape) != op.tokens * op.k)
    return refuse(formatted("expandedRowIdx must be INT32 with {} elements", op.tokens * op.k));
  if (op.counts >= 0 && op.count_type >= 0) {
    const auto& counts = call.result(op.counts);
    const int64_t wanted = op.version == 1      ? op.tokens * op.k
                           : op.count_type == 2 ? op.expert_count * 2
                                                : op.last - op.first;
    if ((counts.type != DataType::Int64 && counts.type != DataType::Int32) ||
        graph::element_count(counts.shape) < wanted)
      return refuse(formatted("the output of counts or experts must be INT32 or INT64 with {} elements", wanted));
  }
  if (op.before >= 0 && op.tells_before &&
      (call.result(op.before).type != DataType::Int32 ||
       graph::element_count(call.result(op.before).shape) != op.expert_count))
    return refuse(formatted("expertTokensBeforeCapacity must be INT32 [{}]", op.expert_count));
  if (op.scales >= 0 &&
      (call.result(op.scales).type != DataType::Float || graph::element_count(call.result(op.scales).shape) < rows))
    return refuse(formatted("expandedScale must be FLOAT with {} elements", rows));
  return {};
}

MadeKernel make_routing(const KernelRequest& request) {
  const WholeCall call(request);
  Routing op{};
  op.version = call.integer("version");
  op.x = call.even_empty("x"), op.experts = call.even_empty("expertIdx"), op.row_index = call.even_empty("rowIdx");
  op.scale = call.input("scale"), op.offset = call.input("offset");
  op.expanded = call.output(0), op.places = call.output(1), op.counts = call.output(2);
  op.before = op.version == 2 ? call.output(3) : -1;
  op.scales = call.output(op.version == 2 ? 4 : 3);
  TRY(call.filled({"x", "expertIdx"}));
  const auto &x = call.info(op.x), &experts = call.info(op.experts);
  if (x.shape.size() != 2 || experts.shape.size() != 2 || x.shape[0] != experts.shape[0])
    return refuse(formatted("x {} and expertIdx {} must have 2 dimensions and as many rows", graph::to_text(x.shape),
                            graph::to_text(experts.shape)));
  if (experts.type != DataType::Int32) return refuse("expertIdx must be INT32");
  op.tokens = x.shape[0], op.width = x.shape[1], op.k = experts.shape[1];
  op.active = call.integer("active"), op.capacity = call.integer("capacity"), op.expert_count = call.integer("experts");
  op.mode = call.integer("mode"), op.quant = call.integer("quant", -1), op.place_type = call.integer("place_type");
  op.fixed_scale = static_cast<float>(call.real("fixed_scale", 1)),
  op.fixed_offset = static_cast<float>(call.real("fixed_offset", 0));
  op.tells_before = call.flag("tells_before") && op.mode == 1;
  op.first = 0, op.last = op.expert_count;
  const auto range = call.ints("range");
  if (range.size() == 2) op.first = range[0], op.last = range[1];
  if (op.version != 1 && op.expert_count <= 0) {
    if (op.mode == 1 || call.integer("count_flag") != 0 || op.version == 3)
      return refuse(formatted("expertNum is {}; it must be above 0", op.expert_count));
    op.last = std::numeric_limits<int32_t>::max(), op.expert_count = 0;
  }
  if (op.mode != 0 && op.mode != 1) return refuse("dropPadMode must be 0 or 1");
  if (op.version != 1 && (op.first < 0 || op.last < op.first || (op.expert_count > 0 && op.last > op.expert_count)))
    return refuse(formatted("activeExpertRange is [{},{}); there are {} experts", op.first, op.last, op.expert_count));
  if (op.mode == 1 && (op.capacity <= 0 || op.first != 0 || op.last != op.expert_count))
    return refuse("dropPadMode 1 needs expertCapacity above 0 and all experts");
  if (op.place_type != 0 && op.place_type != 1) return refuse("rowIdxType must be 0 or 1");
  const int64_t flag = call.integer("count_flag");
  // V2: 1 cumulative, 2 counts, without the drop only; V3: 0 cumulative, 1 counts, 2 pairs.
  op.count_type = op.version == 1   ? 0
                  : op.version == 2 ? (op.mode == 0 ? flag - 1 : -1)
                  : flag != 0       ? call.integer("count_type")
                                    : -1;
  if (op.count_type < -1 || op.count_type > (op.version == 2 ? 1 : 2))
    return refuse("the kind of the experts' counts is not known");
  if (op.version != 1 && op.count_type < 0) op.counts = -1;
  if (op.expert_count == 0 && op.version == 2) op.last = std::numeric_limits<int32_t>::max();
  if (op.last == std::numeric_limits<int32_t>::max()) op.counts = op.before = -1;
  TRY(check_numbers(call, op));
  if (op.quant < 0 && op.scale < 0) op.scales = -1;
  if (op.quant == 0) op.scales = -1;
  if (op.row_index >= 0 && graph::element_count(call.info(op.row_index).shape) != op.tokens * op.k)
    return refuse("rowIdx must have expertIdx's shape");
  TRY(check_outputs(call, op));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// Entries up to each expert.
MadeKernel make_expert_tokens(const KernelRequest& request) {
  const WholeCall call(request);
  const int64_t count = call.integer("experts");
  const auto& y = call.result(0);
  if (count <= 0 || y.shape != Shape{count} || y.type != DataType::Int32)
    return refuse(formatted("out must be INT32 [{}]", count));
  return function_kernel([count](Inputs in, Outputs out) -> Status {
    std::vector<int64_t> of_expert(static_cast<size_t>(count));
    int64_t sum = 0;
    for (const int64_t expert : TRY(integers(in[0]))) {
      if (expert < 0) ++sum;
      if (expert >= 0 && expert < count) ++of_expert[static_cast<size_t>(expert)];
    }
    for (int64_t e = 0; e < count; ++e)
      out[0].as<int32_t>()[e] = static_cast<int32_t>(sum += of_expert[static_cast<size_t>(e)]);
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnMoeExpertTokens", "reference", make_expert_tokens},
    {"AclnnMoeInitRouting", "reference", make_routing},
};

}  // namespace

std::span<const KernelRow> moe_routing_rows() { return rows; }

}  // namespace belay::backend::cpu
