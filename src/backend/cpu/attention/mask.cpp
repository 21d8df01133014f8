// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/mask.h"

#include <algorithm>

#include "base/text.h"

namespace belay::backend::cpu::attention {
namespace {

int64_t longest(const std::vector<Rows>& rows) {
  int64_t most = 0;
  for (const Rows& each : rows) most = std::max(most, each.count);
  return most;
}

bool is_compressed(const Shape& shape) {
  constexpr int64_t side = 2048;
  return shape.size() >= 2 && shape.size() <= 4 && shape.end()[-1] == side && shape.end()[-2] == side &&
         std::all_of(shape.begin(), shape.end() - 2, [](int64_t dim) { return dim == 1; });
}

// A mask of fewer dimensions as [batch, head, query, key]; `queries` are the rows that the query's tensor has.
Shape with_all_dimensions(const Shape& shape, int64_t batches, int64_t queries) {
  if (shape.size() == 2 && queries == 1 && (shape[0] == batches || shape[0] == 1)) return {shape[0], 1, 1, shape[1]};
  if (shape.size() == 2) return {1, 1, shape[0], shape[1]};
  if (shape.size() == 3) return {shape[0], 1, shape[1], shape[2]};
  return shape;
}

}  // namespace

Result<Steps> score_steps(const std::string& what, const Shape& shape, int64_t batches, int64_t heads, int64_t queries,
                          int64_t keys) {
  const auto wrong = [&] {
    return refuse(formatted("{} of shape {} does not fit {} batches, {} heads, {} queries and {} keys", what,
                            graph::to_text(shape), batches, heads, queries, keys));
  };
  if (shape.size() != 4) return wrong();
  const int64_t needed[] = {batches, heads, queries, keys};
  Steps made;
  int64_t* const steps[] = {&made.batch, &made.head, &made.query, &made.key};
  int64_t step = 1;
  for (size_t d = 4; d-- > 0; step *= shape[d]) {
    const bool exact = d < 2 ? shape[d] == needed[d] : shape[d] >= needed[d];
    if (!exact && shape[d] != 1) return wrong();
    if (shape[d] != 1) *steps[d] = step;
  }
  return made;
}

Result<Mask> Mask::make(const WholeCall& call, const Request& request, int64_t heads, const std::vector<Rows>& queries,
                        const std::vector<Rows>& keys) {
  Mask made;
  made.request_ = request;
  const int64_t mode = request.mode;
  const int mask = call.input("mask");
  if (mode < 0 || mode > 9) return refuse(formatted("sparseMode is {}; it must be from 0 to 9", mode));
  if (mask >= 0) {
    const DataType type = call.info(mask).type;
    if (type != DataType::Bool && type != DataType::Int8 && type != DataType::UInt8)
      return refuse(formatted("attenMask is {}; it must be BOOL, INT8 or UINT8", graph::name_of(type)));
  }
  const bool allowed = request.training ? (mode <= 6 && (!request.joined || mode != 5)) || (request.joined && mode <= 8)
                                        : mode <= 4 || (mode == 9 && call.flag("tree"));
  if (!allowed) return refuse(formatted("sparseMode {} is not one of this function", mode));
  if (mask < 0) {
    if (!request.training && mode != 0) return refuse(formatted("sparseMode {} needs attenMask", mode));
    made.request_.mode = 0;
    made.request_.single_row = true;  // no tokens either
    return made;
  }
  if (mode == 5 || mode == 6) {
    if (request.prefix.size() < queries.size()) return refuse("sparseMode 5 and 6 need prefix, one for each batch");
    made.request_.mode = 6;  // the mask of 5 says the same once more
    return made;
  }
  if (mode == 9) {
    TRY(made.set_tree(call, queries));
    return made;
  }
  const bool full = request.single_row && !is_compressed(call.info(mask).shape);
  if (full) made.request_.mode = 0;
  if (!full && (mode == 2 || mode == 3 || mode == 4 || mode == 7 || mode == 8)) {
    if (!is_compressed(call.info(mask).shape))
      return refuse(formatted("attenMask has shape {}; sparseMode {} takes the compressed one of 2048 by 2048",
                              graph::to_text(call.info(mask).shape), mode));
    if (mode == 4 && request.before + request.after < 0)
      return refuse(formatted("preTokens {} and nextTokens {} leave nothing", request.before, request.after));
    for (size_t b = 0; b < queries.size(); ++b) {
      if (queries[b].count == 0) continue;
      if (mode == 7 || (mode == 8 && made.special_ == SIZE_MAX)) made.special_ = b;
    }
    return made;
  }
  made.input_ = mask;
  TRY(made.set_tensor(call, heads, queries, keys));
  return made;
}

Status Mask::set_tensor(const WholeCall& call, int64_t heads, const std::vector<Rows>& queries,
                        const std::vector<Rows>& keys) {
  if (request_.mode == 0 && request_.before + request_.after < 0 && !request_.single_row)
    return refuse(formatted("preTokens {} and nextTokens {} leave nothing", request_.before, request_.after));
  const int64_t rows = longest(queries), columns = longest(keys);
  const auto batches = static_cast<int64_t>(queries.size());
  const Shape& given = call.info(input_).shape;
  const Shape shape = with_all_dimensions(given, batches, request_.joined ? 0 : request_.rows);
  if (given.size() < 2 || given.size() > 4) return refuse("attenMask must have 2 to 4 dimensions");
  steps_ = TRY(score_steps("attenMask", shape, batches, heads, rows, columns));
  if (shape[3] < columns) return refuse(formatted("attenMask has {} columns; there are {} keys", shape[3], columns));
  return {};
}

Status Mask::set_tree(const WholeCall& call, const std::vector<Rows>& queries) {
  input_ = call.input("mask");
  const Shape& shape = call.info(input_).shape;
  const int64_t count = graph::element_count(shape);
  int64_t at = 0;
  for (const Rows& rows : queries) {
    const int64_t columns = shape.size() == 3 ? shape[2] : rows.count;
    if (columns < rows.count || (shape.size() == 3 && shape[1] < rows.count))
      return refuse("attenMask of sparseMode 9 has too few rows or columns");
    tree_starts_.push_back(at);
    tree_rows_.push_back(columns);
    at += shape.size() == 3 ? (shape[0] == 1 ? 0 : shape[1] * shape[2]) : rows.count * rows.count;
  }
  if (shape.size() == 3 && shape[0] == 1) at = shape[1] * shape[2];
  if (at > count)
    return refuse(formatted("attenMask of shape {} is too small for sparseMode 9", graph::to_text(shape)));
  return {};
}

int64_t Mask::mode_of(size_t batch) const {
  if (request_.mode == 7 || request_.mode == 8) return batch == special_ ? 4 : request_.mode == 7 ? 3 : 2;
  return request_.mode;
}

Mask::Window Mask::window(size_t batch, int64_t i, int64_t queries, int64_t keys) const {
  const Window all{0, keys, 0};
  if (request_.single_row) return all;
  const auto from_to = [&](int64_t first, int64_t last) -> Window {
    return {std::clamp<int64_t>(first, 0, keys), std::clamp<int64_t>(last, 0, keys), 0};
  };
  const int64_t shifted = i + keys - queries;
  // Callers pass the largest numbers for "all".
  const int64_t most = queries + keys + 1;
  const int64_t before = std::clamp(request_.before, -most, most), after = std::clamp(request_.after, -most, most);
  switch (mode_of(batch)) {
    case 0:
      return from_to(i - before, i + after + 1);
    case 2:
      return from_to(0, i + 1);
    case 3:
      return from_to(0, shifted + 1);
    case 4:
      return from_to(shifted - before, shifted + after + 1);
    case 6: {
      Window made = from_to(0, shifted + 1);
      made.prefix = std::clamp<int64_t>(request_.prefix[batch], 0, keys);
      return made;
    }
    default:
      return all;
  }
}

const uint8_t* Mask::row(Inputs in, size_t batch, int64_t head, int64_t i, int64_t queries, int64_t keys,
                         int64_t& from) const {
  from = 0;
  if (input_ < 0) return nullptr;
  const auto* bytes = in[static_cast<size_t>(input_)].as<uint8_t>();
  if (request_.mode == 9) {
    from = std::max<int64_t>(0, keys - queries);
    return bytes + tree_starts_[batch] + i * tree_rows_[batch];
  }
  return bytes + static_cast<int64_t>(batch) * steps_.batch + head * steps_.head + i * steps_.query;
}

}  // namespace belay::backend::cpu::attention
