// SPDX-License-Identifier: Apache-2.0
#include "blame/ranks/share.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "exact/yardstick.h"
#include "graph/infer/arguments.h"
#include "graph/tensor/element.h"

namespace belay::blame {
namespace {

using exact::Value;
using graph::DataType;
using Numbers = std::vector<int64_t>;
using Ranks = std::span<const Contribution>;

Status differs(const graph::Node& node, const std::string& why) {
  return {ACL_ERROR_INVALID_PARAM, formatted("{} {}: {}", node.type, node.name, why)};
}

Numbers integers(const Contribution& rank, size_t input) {
  Numbers numbers;
  if (input >= rank.inputs.size() || !rank.inputs[input].present) return numbers;
  for (int64_t at = 0; at < rank.inputs[input].count(); ++at)
    numbers.push_back(static_cast<int64_t>(exact::element_of(rank.inputs[input], at)));
  return numbers;
}

Numbers begins_of(const Numbers& counts) {
  Numbers begins;
  int64_t at = 0;
  for (const int64_t count : counts) {
    begins.push_back(at);
    at += count;
  }
  return begins;
}

// Counts and displacements that a rank was given, one for each rank of the group.
struct Parts {
  Numbers counts, begins;
};
Result<Parts> parts_of(Ranks ranks, const Contribution& rank, size_t counts, size_t begins) {
  Parts parts{integers(rank, counts), integers(rank, begins)};
  if (parts.begins.empty()) parts.begins = begins_of(parts.counts);
  if (parts.counts.size() == ranks.size() && parts.begins.size() == ranks.size()) return parts;
  return differs(*rank.node, formatted("it has {} counts and {} displacements, for {} ranks", parts.counts.size(),
                                       parts.begins.size(), ranks.size()));
}

// The square matrix of counts as parts of rows or columns, one after the other.
Result<Parts> row_of(Ranks ranks, const Contribution& rank, size_t first, size_t step) {
  const Numbers matrix = integers(rank, 1);
  Parts parts;
  if (matrix.size() != ranks.size() * ranks.size())
    return differs(*rank.node,
                   formatted("its matrix of counts has {} elements, for {} ranks", matrix.size(), ranks.size()));
  for (size_t i = 0; i < ranks.size(); ++i) parts.counts.push_back(matrix[first + i * step]);
  parts.begins = begins_of(parts.counts);
  return parts;
}

int64_t data_count(const Contribution& rank, size_t input = 0) {
  return input < rank.inputs.size() ? rank.inputs[input].count() : 0;
}

std::vector<Share> gathered(const Parts& parts) {
  std::vector<Share> shares;
  for (size_t i = 0; i < parts.counts.size(); ++i)
    shares.push_back({parts.begins[i], parts.counts[i], static_cast<int>(i), 0});
  return shares;
}

// Each rank's part for `own`, laid where `own` wants it.
template <class Give>
Result<std::vector<Share>> exchanged(Ranks ranks, const Parts& take, Give give) {
  std::vector<Share> shares;
  for (size_t i = 0; i < ranks.size(); ++i) {
    const auto [count, begin] = TRY(give(i));
    if (count != take.counts[i])
      return differs(*ranks[i].node,
                     formatted("rank {} sends {} elements, and {} are received", i, count, take.counts[i]));
    shares.push_back({take.begins[i], count, static_cast<int>(i), begin});
  }
  return shares;
}

using Block = Result<std::pair<int64_t, int64_t>>;

Result<std::vector<Share>> shares_by_type(Ranks ranks, size_t own, size_t input) {
  const graph::Node& node = *ranks[own].node;
  const std::string& type = node.type;
  const auto size = static_cast<int64_t>(ranks.size()), mine = static_cast<int64_t>(own);
  const int64_t count = data_count(ranks[own], input);
  if (type == "HcomAllReduce") return std::vector<Share>{{0, count, Share::kAll, 0}};
  if (type == "HcomReduce") {
    if (graph::int_of(node, "root_rank", 0) != mine) return std::vector<Share>{};
    return std::vector<Share>{{0, count, Share::kAll, 0}};
  }
  if (type == "HcomBroadcast")
    return std::vector<Share>{{0, count, static_cast<int>(graph::int_of(node, "root_rank", 0)), 0}};
  if (type == "HcomReceive") return std::vector<Share>{{0, data_count(ranks[0]), 0, 0}};
  if (type == "HcomReduceScatter") return std::vector<Share>{{0, count / size, Share::kAll, mine * (count / size)}};
  if (type == "HcomAllGather") {
    Parts even{Numbers(ranks.size(), count), {}};
    even.begins = begins_of(even.counts);
    return gathered(even);
  }
  if (type == "HcomAllGatherV") return gathered(TRY(parts_of(ranks, ranks[own], 2, 3)));
  if (type == "HcomReduceScatterV") {
    const Parts parts = TRY(parts_of(ranks, ranks[own], 2, 3));
    return std::vector<Share>{{0, parts.counts[own], Share::kAll, parts.begins[own]}};
  }
  if (type == "HcomAllToAll") {
    Parts even{Numbers(ranks.size(), count / size), {}};
    even.begins = begins_of(even.counts);
    return exchanged(ranks, even, [&](size_t) -> Block { return std::pair(count / size, mine * (count / size)); });
  }
  if (type == "HcomAllToAllV")
    return exchanged(ranks, TRY(parts_of(ranks, ranks[own], 3, 4)), [&](size_t i) -> Block {
      const Parts give = TRY(parts_of(ranks, ranks[i], 1, 2));
      return std::pair(give.counts[own], give.begins[own]);
    });
  if (type == "HcomAllToAllVC")
    return exchanged(ranks, TRY(row_of(ranks, ranks[own], own, ranks.size())), [&](size_t i) -> Block {
      const Parts give = TRY(row_of(ranks, ranks[i], i * ranks.size(), 1));
      return std::pair(give.counts[own], give.begins[own]);
    });
  return differs(node, "what it does over ranks is not known");
}

Status check(Ranks ranks, size_t own, size_t input, const std::vector<Share>& shares) {
  const graph::Node& node = *ranks[own].node;
  for (const Share& share : shares) {
    if (share.from >= static_cast<int>(ranks.size()))
      return differs(node, formatted("rank {} is none of its group, which has {}", share.from, ranks.size()));
    if (share.count == 0) continue;
    for (size_t i = 0; i < ranks.size(); ++i) {
      if (share.from != Share::kAll && share.from != static_cast<int>(i)) continue;
      if (share.at >= 0 && share.count >= 0 && share.offset >= 0 &&
          share.offset + share.count <= data_count(ranks[i], input))
        continue;
      return differs(node, formatted("of rank {} it wants elements {} to {}, and that gave {}", i, share.offset,
                                     share.offset + share.count - 1, data_count(ranks[i], input)));
    }
  }
  return {};
}

graph::Shape shape_of(Ranks ranks, size_t own, size_t input, const std::vector<Share>& shares) {
  const graph::Node& node = *ranks[own].node;
  if (node.type == "HcomReceive") return graph::ints_of(node, "shape");
  graph::Shape shape = ranks[own].inputs[input].shape;
  const auto size = static_cast<int64_t>(ranks.size());
  if (node.type == "HcomAllGather" && !shape.empty()) shape[0] *= size;
  if (node.type == "HcomReduceScatter" && !shape.empty()) shape[0] /= size;
  if (!node.type.ends_with("V") && !node.type.ends_with("VC")) return shape;
  int64_t end = 0;
  for (const Share& share : shares)
    if (share.count > 0) end = std::max(end, share.at + share.count);
  return {end};
}

// Half of the distance between two numbers near 1.
double unit_of(DataType type) {
  switch (type) {
    case DataType::Float16:
      return 0x1p-11;
    case DataType::BFloat16:
      return 0x1p-8;
    case DataType::Double:
      return 0x1p-53;
    default:
      return 0x1p-24;
  }
}

double combined(double a, double b, const std::string& reduction) {
  if (reduction == "sum") return a + b;
  if (reduction == "prod") return a * b;
  if (std::isnan(a) || std::isnan(b)) return std::nan("");
  return reduction == "max" ? std::max(a, b) : std::min(a, b);
}

// An element reduced over the ranks, and how far a sum or product in the stored type, in whatever order, may be off.
struct Reduced {
  double value = 0, allowed = 0;
};
Reduced reduce(Ranks ranks, size_t input, int64_t at, int skipped, const std::string& reduction, DataType stored) {
  Reduced made;
  double magnitude = 0;
  int terms = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (skipped == static_cast<int>(i)) continue;
    const double given = exact::element_of(ranks[i].inputs[input], at);
    made.value = terms++ ? combined(made.value, given, reduction) : given;
    magnitude += std::abs(given);
  }
  const double steps = (terms - 1) * unit_of(stored) * 1.0625;
  if (reduction == "sum") made.allowed = steps * magnitude;
  if (reduction == "prod") made.allowed = steps * std::abs(made.value) + (stored == DataType::Float16 ? 0x1p-24 : 0);
  return made;
}

// The same for integers, which wrap.
template <class T>
T reduce_wrapping(Ranks ranks, size_t input, int64_t at, int skipped, const std::string& reduction) {
  T made = 0;
  bool first = true;
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (skipped == static_cast<int>(i)) continue;
    T given;
    std::memcpy(&given, ranks[i].inputs[input].bytes->data() + static_cast<size_t>(at) * sizeof(T), sizeof(T));
    const auto a = static_cast<uint64_t>(made), b = static_cast<uint64_t>(given);
    if (std::exchange(first, false))
      made = given;
    else if (reduction == "sum")
      made = static_cast<T>(a + b);
    else if (reduction == "prod")
      made = static_cast<T>(a * b);
    else
      made = reduction == "max" ? std::max(made, given) : std::min(made, given);
  }
  return made;
}

exact::Output floats(Ranks ranks, size_t input, graph::Shape shape, const std::vector<Share>& shares,
                     std::vector<double> elements, int skipped, const Contribution& own) {
  const std::string reduction = graph::text_of(*own.node, "reduction", "sum");
  std::vector<double> allowed(elements.size());
  for (const Share& share : shares)
    for (int64_t i = 0; i < share.count; ++i) {
      const auto to = static_cast<size_t>(share.at + i);
      if (share.from == Share::kAll) {
        const Reduced made = reduce(ranks, input, share.offset + i, skipped, reduction, own.stored);
        elements[to] = made.value, allowed[to] = made.allowed;
      } else {
        elements[to] = share.from == skipped
                           ? 0
                           : exact::element_of(ranks[static_cast<size_t>(share.from)].inputs[input], share.offset + i);
      }
    }
  return {exact::make_value(std::move(shape), elements), std::move(allowed)};
}

template <class T>
void fill_integers(Ranks ranks, size_t input, const std::vector<Share>& shares, std::span<T> elements, int skipped,
                   const std::string& reduction) {
  for (const Share& share : shares)
    for (int64_t i = 0; i < share.count; ++i) {
      T& to = elements[static_cast<size_t>(share.at + i)];
      if (share.from == Share::kAll)
        to = reduce_wrapping<T>(ranks, input, share.offset + i, skipped, reduction);
      else if (share.from == skipped)
        to = 0;
      else
        std::memcpy(&to,
                    ranks[static_cast<size_t>(share.from)].inputs[input].bytes->data() +
                        static_cast<size_t>(share.offset + i) * sizeof(T),
                    sizeof(T));
    }
}

}  // namespace

size_t source_of_output(const graph::Node& node, size_t output) {
  const bool many = node.type == "HcomAllReduce" || node.type == "HcomReduce" || node.type == "HcomBroadcast";
  return many ? output : 0;
}

Result<std::vector<Share>> shares_of(Ranks ranks, size_t own, size_t output) {
  const size_t input = source_of_output(*ranks[own].node, output);
  auto shares = TRY(shares_by_type(ranks, own, input));
  TRY(check(ranks, own, input, shares));
  return shares;
}

Result<exact::Output> put_together(Ranks ranks, size_t own, size_t output, const Value* left, int skipped) {
  const size_t input = source_of_output(*ranks[own].node, output);
  const auto shares = TRY(shares_of(ranks, own, output));
  graph::Shape shape = shape_of(ranks, own, input, shares);
  const auto count = static_cast<size_t>(std::max<int64_t>(graph::element_count(shape), 0));
  const bool leaves = left && left->count() == static_cast<int64_t>(count);
  const Contribution& giver = ranks[own].inputs.empty() ? ranks[0] : ranks[own];
  if (giver.inputs[input].real()) {
    std::vector<double> elements(count);
    for (size_t i = 0; leaves && i < count; ++i) elements[i] = exact::element_of(*left, static_cast<int64_t>(i));
    Contribution mine = ranks[own];
    mine.stored = giver.stored;
    return floats(ranks, input, std::move(shape), shares, std::move(elements), skipped, mine);
  }
  const DataType type = giver.inputs[input].type;
  const std::string reduction = graph::text_of(*ranks[own].node, "reduction", "sum");
  return graph::with_type(graph::IntegerTypes{}, type, [&]<class T>() -> Result<exact::Output> {
    auto bytes = std::make_shared<std::vector<std::byte>>(count * sizeof(T));
    if (leaves && left->bytes->size() == bytes->size()) *bytes = *left->bytes;
    fill_integers<T>(ranks, input, shares, {reinterpret_cast<T*>(bytes->data()), count}, skipped, reduction);
    return exact::Output{Value{type, std::move(shape), std::move(bytes)}, {}};
  });
}

}  // namespace belay::blame
