// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/call.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "backend/cpu/arguments.h"
#include "backend/cpu/attention/fit.h"
#include "base/text.h"

namespace belay::backend::cpu::attention {
namespace {

constexpr float kNobody = -std::numeric_limits<float>::infinity();

// The rows of the keys of a batch, from the first of its tensor on, that a run may read.
int64_t rows_read(const Call& call) {
  int64_t most = 0;
  for (size_t b = 0; b < call.key_rows.size(); ++b) {
    const Rows& rows = call.key_rows[b];
    most = std::max(most,
                    call.key_padding >= 0 ? call.keys->shape(static_cast<int64_t>(b)).rows : rows.first + rows.count);
  }
  return most;
}

// The separate form counts where both are given.
AntiQuant quant_of(const WholeCall& call, const std::string& side, int part) {
  if (const int scale = call.input(side + "_scale"); scale >= 0)
    return {scale, call.input(side + "_offset"), call.integer(side + "_mode"), -1};
  return {call.input("antiquant_scale"), call.input("antiquant_offset"), call.integer("antiquant_mode"), part};
}

Status set_tensors(Call& made, const WholeCall& call) {
  const int64_t heads = call.integer("heads"), given = call.integer("key_heads");
  if (heads <= 0) return refuse("the number of heads must be above 0");
  made.q = TRY(heads_of("query", made.layouts.input, call.info(made.query).shape, heads));
  if (made.q.heads != heads) return refuse(formatted("query has {} heads, but there shall be {}", made.q.heads, heads));
  const bool paged = made.table >= 0;
  const int64_t key_heads = made.training ? 0 : given > 0 ? given : heads;
  const int64_t block = call.integer("block_size");
  made.keys = TRY(Keys::make(call, {"key", "key", made.layouts.input, key_heads, made.q.size, block, paged}));
  made.values = TRY(Keys::make(call, {"value", "value", made.layouts.input, made.keys->heads(), 0, block, paged}));
  if (!made.training && made.keys->heads() != key_heads)
    return refuse(formatted("key has {} heads, but there shall be {}", made.keys->heads(), key_heads));
  if ((made.query_rope < 0) != (call.input("key_rope") < 0)) return refuse("queryRope and keyRope go together");
  if (made.query_rope >= 0) {
    made.q_rope = TRY(heads_of("queryRope", made.layouts.input, call.info(made.query_rope).shape, heads));
    made.key_rope = TRY(Keys::make(
        call, {"keyRope", "key_rope", made.layouts.input, made.keys->heads(), made.q_rope.size, block, paged}));
  }
  TRY(check_shapes(made));
  TRY(check_types(made, call));
  made.group = heads / made.keys->heads();
  return {};
}

Status set_rows(Call& made, const WholeCall& call) {
  const bool joined = made.q.joined, paged = made.table >= 0;
  const auto lengths = call.ints("query_lengths"), key_lengths = call.ints("key_lengths");
  // One row of a query is always there.
  const bool ignored = !made.training && !joined && made.q.rows == 1;
  made.queries =
      TRY(rows_of("actualSeqLengths", call.has("query_lengths") && !ignored, lengths, made.q, made.q.batches));
  const int64_t batches = made.batches();
  if (paged) {
    if (made.keys->block_size() == 0) return refuse("key has blocks without rows");
    if (key_lengths.empty()) return refuse("with a block table actualSeqLengthsKv is needed");
    const Shape& table = call.info(made.table).shape;
    if (table.size() != 2 || table[0] < batches)
      return refuse(formatted("blockTable has shape {}; it must have a row for each of {} batches",
                              graph::to_text(table), batches));
    made.key_rows = TRY(rows_up_to("actualSeqLengthsKv", key_lengths, batches, table[1] * made.keys->block_size()));
    return {};
  }
  made.key_rows.clear();
  if (made.keys->tensors() == 1) {
    made.key_rows =
        TRY(rows_of("actualSeqLengthsKv", call.has("key_lengths"), key_lengths, made.keys->shape(0), batches));
    if (static_cast<int64_t>(made.key_rows.size()) != batches)
      return refuse(formatted("there are {} sequences of queries and {} of keys", batches, made.key_rows.size()));
  } else {
    for (int64_t b = 0; b < batches; ++b) made.key_rows.push_back({0, made.keys->shape(b).rows});
    if (!key_lengths.empty()) {
      const auto given =
          TRY(rows_up_to("actualSeqLengthsKv", key_lengths, batches, std::numeric_limits<int64_t>::max()));
      for (size_t b = 0; b < given.size(); ++b) {
        if (given[b].count > made.key_rows[b].count) return refuse("actualSeqLengthsKv exceeds the keys of a batch");
        made.key_rows[b] = given[b];
      }
    }
  }
  return {};
}

Status set_dropout(Call& made, const WholeCall& call) {
  made.keep = static_cast<float>(call.real("keep", 1));
  made.drop = call.input("drop");
  if (made.keep <= 0 || made.keep > 1)
    return refuse(formatted("keepProb is {}; it must be above 0 and at the most 1", made.keep));
  if (made.drop < 0 && made.keep != 1) return refuse("keepProb below 1 needs dropMask: numbers are not drawn here");
  if (made.drop < 0 || made.keep == 1) return made.drop = -1, Status{};
  int64_t bits = 0;
  for (size_t b = 0; b < made.queries.size(); ++b) {
    made.drop_starts.push_back(bits);
    bits += made.q.heads * made.queries[b].count * made.key_rows[b].count;
  }
  const auto& info = call.info(made.drop);
  if (info.type != DataType::UInt8 || graph::element_count(info.shape) * 8 < bits)
    return refuse(formatted("dropMask must be UINT8 with a bit for each of {} scores", bits));
  return {};
}

}  // namespace

Result<Call> Call::make(const KernelRequest& request) {
  const WholeCall call(request);
  Call made;
  made.label = label_of(request.node);
  made.training = call.flag("training");
  made.layouts = TRY(layouts_named(call.text("layout", "BSH"), made.training));
  made.query = call.even_empty("query");
  made.query_rope = call.input("query_rope");
  made.sink = call.input("sink");
  made.table = call.input("table");
  made.query_padding = call.input("query_padding");
  made.key_padding = call.input("key_padding");
  made.scale = static_cast<float>(call.real("scale", 1));
  TRY(set_tensors(made, call));
  TRY(set_rows(made, call));
  TRY(set_dropout(made, call));
  if (!made.training) {
    const int64_t batches = made.batches(), rows = rows_read(made);
    TRY(made.keys->set_quant(call, quant_of(call, "key", 0), batches, rows));
    TRY(made.values->set_quant(call, quant_of(call, "value", 1), batches, rows));
  }
  const bool single = !made.training && !made.q.joined && made.q.rows == 1 && made.query_rope < 0;
  made.mask = TRY(Mask::make(call,
                             {call.integer("mode"), call.integer("before", std::numeric_limits<int32_t>::max()),
                              call.integer("after", std::numeric_limits<int32_t>::max()), made.training, single,
                              made.q.joined, made.q.rows, call.ints("prefix")},
                             made.q.heads, made.queries, made.key_rows));
  const auto starts = call.ints("query_start"), key_starts = call.ints("key_start");
  made.shift = TRY(Shift::make(
      call,
      {call.integer("pse_type"), made.q.joined, starts.empty() ? 0 : starts[0], key_starts.empty() ? 0 : key_starts[0]},
      made.q.heads, made.queries, made.key_rows));
  if ((made.query_padding >= 0 || made.key_padding >= 0) && (made.table >= 0 || made.q.joined))
    return refuse("padding on the left goes neither with a block table nor with TND");
  return made;
}

bool Call::kept(Inputs in, size_t batch, int64_t head, int64_t i, int64_t j) const {
  const int64_t bit = drop_starts[batch] + (head * queries[batch].count + i) * key_rows[batch].count + j;
  return in[static_cast<size_t>(drop)].as<uint8_t>()[bit / 8] >> (bit % 8) & 1;
}

Sources::Sources(const Call& call, Inputs in) : queries(call.queries), key_rows(call.key_rows) {
  int64_t width = 0;
  if (call.table >= 0) {
    const Tensor& blocks = in[static_cast<size_t>(call.table)];
    auto read = integers(blocks);
    if (read.ok()) table = std::move(read).value();
    width = blocks.shape[1];
  }
  const auto pad = [&](int input, const Heads& heads, std::vector<Rows>& rows) {
    if (input < 0) return;
    const auto read = integer(in[static_cast<size_t>(input)]);
    const int64_t padding = read.ok() ? std::max<int64_t>(0, *read) : 0;
    for (Rows& each : rows) each.first = heads.rows - padding - each.count;
  };
  pad(call.query_padding, call.q, queries);
  for (size_t b = 0; b < key_rows.size() && call.key_padding >= 0; ++b) {
    std::vector<Rows> one{key_rows[b]};
    pad(call.key_padding, call.keys->shape(static_cast<int64_t>(b)), one);
    key_rows[b] = one[0];
  }
  keys.emplace(call.keys->source(in, table, width));
  values.emplace(call.values->source(in, table, width));
  if (call.key_rope) key_rope.emplace(call.key_rope->source(in, table, width));
  sinks = all_floats(tensor_at(in, call.sink));
}

Status Sources::check(const Call& call) const {
  for (const auto* rows : {&queries, &key_rows})
    for (const Rows& each : *rows)
      if (each.first < 0) return failed(call.label, "the padding leaves fewer rows than the actual length");
  if (call.table < 0) return {};
  const int64_t size = call.keys->block_size(), width = keys->table_width;
  int64_t blocks = std::min(call.keys->blocks(), call.values->blocks());
  if (call.key_rope) blocks = std::min(blocks, call.key_rope->blocks());
  for (size_t b = 0; b < key_rows.size(); ++b)
    for (int64_t part = 0; part * size < key_rows[b].count; ++part)
      if (const int64_t block = table[b * static_cast<size_t>(width) + static_cast<size_t>(part)];
          block < 0 || block >= blocks)
        return failed(call.label, formatted("blockTable names block {} for batch {}; there are {}", block, b, blocks));
  return {};
}

void scale_scores(const Call& call, Inputs in, const ScoreRow& row, float* scores, float* shifts) {
  if (!call.shift->given()) {
    for (int64_t j = 0; j < row.count; ++j) scores[j] *= call.scale;
    return;
  }
  call.shift->read(in, row.batch, row.head, row.i, row.queries, row.keys, row.first, row.count, shifts);
  if (call.shift->before_scaling())
    for (int64_t j = 0; j < row.count; ++j) scores[j] = call.scale * (scores[j] + shifts[j]);
  else
    for (int64_t j = 0; j < row.count; ++j) scores[j] = call.scale * scores[j] + shifts[j];
}

bool mask_scores(const Call& call, Inputs in, const ScoreRow& row, float* scores, float* raw) {
  if (raw) std::copy(scores, scores + row.count, raw);
  const auto window = call.mask->window(row.batch, row.i, row.queries, row.keys);
  for (int64_t j = 0; j < row.count; ++j) {
    const int64_t key = row.first + j;
    if ((key < window.first || key >= window.last) && key >= window.prefix) scores[j] = kNobody;
  }
  int64_t from = 0;
  if (const uint8_t* mask = call.mask->row(in, row.batch, row.head, row.i, row.queries, row.keys, from))
    for (int64_t j = std::max<int64_t>(0, from - row.first); j < row.count; ++j)
      if (mask[row.first + j - from]) scores[j] = kNobody;
  return std::any_of(scores, scores + row.count, [](float score) { return score != kNobody; });
}

}  // namespace belay::backend::cpu::attention
