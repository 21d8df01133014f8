// SPDX-License-Identifier: Apache-2.0
// softmax(scale * query * key + shift) * value for every attention function of aclnn.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "backend/cpu/attention/call.h"
#include "backend/cpu/gemm.h"
#include "backend/cpu/quant/parameter.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using namespace attention;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kMostRows = 64;  // of the query that are computed together
constexpr int64_t kTile = 256;     // keys that are read together

std::unique_ptr<float[]> room(int64_t count) {
  return std::make_unique_for_overwrite<float[]>(static_cast<size_t>(std::max<int64_t>(count, 1)));
}

// Rows of the query that look at the same keys: row r is row r % rows of head r / rows of the group.
struct Piece {
  size_t batch;
  int64_t head, first, count;
};

struct Forward {
  Call call;
  Heads out;
  int result = -1, most = -1, sum = -1, lse = -1, quant_scale = -1, quant_offset = -1;
  bool like_input = false;  // most and sum of joined sequences lie as the query does

  std::vector<Piece> pieces() const {
    std::vector<Piece> made;
    for (size_t b = 0; b < call.queries.size(); ++b)
      for (int64_t head = 0; head < call.keys->heads(); ++head)
        for (int64_t rows = call.group * call.queries[b].count, r = 0; r < rows; r += kMostRows)
          made.push_back({b, head, r, std::min(kMostRows, rows - r)});
    return made;
  }

  double operations() const {
    double all = 0;
    for (size_t b = 0; b < call.queries.size(); ++b)
      all += static_cast<double>(call.queries[b].count) * static_cast<double>(call.key_rows[b].count);
    return all * static_cast<double>(call.q.heads) * 2.0 * static_cast<double>(call.width() + call.values->size());
  }

  void clear(Outputs outputs) const {
    for (const int each : {result, most, sum})
      if (each >= 0)
        std::memset(outputs[static_cast<size_t>(each)].data, 0, outputs[static_cast<size_t>(each)].bytes());
    if (lse >= 0)
      std::fill_n(outputs[static_cast<size_t>(lse)].as<float>(), outputs[static_cast<size_t>(lse)].count(), kInfinity);
  }

  Status run(Inputs in, Outputs outputs) const {
    const Sources sources(call, in);
    TRY(sources.check(call));
    clear(outputs);
    const auto scales = all_floats(tensor_at(in, quant_scale)), offsets = all_floats(tensor_at(in, quant_offset));
    const auto all = pieces();
    const int64_t threads = threads_for(operations(), 0);
    parallel_pieces(static_cast<int64_t>(all.size()), threads, [&](int64_t piece, int64_t) {
      compute(in, outputs, sources, all[static_cast<size_t>(piece)], scales, offsets);
    });
    return {};
  }

  void compute(Inputs in, Outputs outputs, const Sources& from, const Piece& piece, const std::vector<float>& scales,
               const std::vector<float>& offsets) const {
    const size_t b = piece.batch;
    const Rows &queries = from.queries[b], &keys = from.key_rows[b];
    const auto row_of = [&](int64_t r) -> std::pair<int64_t, int64_t> {
      const int64_t at = piece.first + r;
      return {piece.head * call.group + at / queries.count, at % queries.count};
    };
    const auto [low, high] = reach(piece, queries.count, keys.count, row_of);
    const int64_t span = high - low;
    const auto scores = room(piece.count * span);
    products(in, from, piece, row_of, low, high, scores.get());
    std::vector<float> shares(static_cast<size_t>(piece.count));
    const auto shifts = room(span), raw = room(call.training ? span : 0);
    for (int64_t r = 0; r < piece.count; ++r) {
      const auto [head, i] = row_of(r);
      const ScoreRow row{b, head, i, queries.count, keys.count, low, span};
      float* mine = scores.get() + r * span;
      scale_scores(call, in, row, mine, shifts.get());
      const bool any = mask_scores(call, in, row, mine, call.training ? raw.get() : nullptr);
      shares[static_cast<size_t>(r)] = soften(in, outputs, from, row, any, mine, raw.get());
    }
    const int64_t size = call.values->size();
    const auto sums = room(piece.count * size);
    weigh(from, piece, low, high, scores.get(), sums.get());
    for (int64_t r = 0; r < piece.count; ++r) {
      const auto [head, i] = row_of(r);
      float* mine = sums.get() + r * size;
      for (int64_t d = 0; d < size; ++d) mine[d] *= shares[static_cast<size_t>(r)];
      store(outputs[static_cast<size_t>(result)], b, head, queries.first + i, mine, scales, offsets);
    }
  }

  // The keys that some of the rows look at; all of them in training, whose sums are told.
  template <class RowOf>
  std::pair<int64_t, int64_t> reach(const Piece& piece, int64_t queries, int64_t keys, const RowOf& row_of) const {
    if (call.training) return {0, keys};
    int64_t low = keys, high = 0;
    for (int64_t r = 0; r < piece.count; ++r) {
      const auto window = call.mask->window(piece.batch, row_of(r).second, queries, keys);
      if (window.first >= window.last) continue;
      low = std::min(low, window.first);
      high = std::max(high, window.last);
    }
    return low < high ? std::pair{low, high} : std::pair{int64_t{0}, int64_t{0}};
  }

  template <class RowOf>
  void products(Inputs in, const Sources& from, const Piece& piece, const RowOf& row_of, int64_t low, int64_t high,
                float* scores) const {
    const auto b = static_cast<int64_t>(piece.batch);
    const Rows& rows = from.key_rows[piece.batch];
    const int64_t width = call.width(), size = call.q.size, span = high - low;
    const auto query = room(piece.count * width), tile = room(kTile * width);
    for (int64_t r = 0; r < piece.count; ++r) {
      const auto [head, i] = row_of(r);
      const int64_t row = from.queries[piece.batch].first + i;
      read_floats(in[static_cast<size_t>(call.query)], call.q.at(b, head, row), size, query.get() + r * width);
      if (call.query_rope >= 0)
        read_floats(in[static_cast<size_t>(call.query_rope)], call.q_rope.at(b, head, row), call.q_rope.size,
                    query.get() + r * width + size);
    }
    for (int64_t first = low; first < high; first += kTile) {
      const int64_t count = std::min(kTile, high - first);
      from.keys->read(b, piece.head, rows, first, count, tile.get(), width);
      if (from.key_rope) from.key_rope->read(b, piece.head, rows, first, count, tile.get() + size, width);
      gemm(piece.count, count, width, Matrix<float>{query.get(), width}, Matrix<float>{tile.get(), width, true}, 0.0f,
           scores + first - low, span);
    }
  }

  // Scores become exponents; what is told of the row goes out. The factor that makes them weights.
  float soften(Inputs in, Outputs outputs, const Sources& from, const ScoreRow& row, bool any, float* scores,
               const float* raw) const {
    if (!any) {
      std::fill(scores, scores + row.count, 0.0f);
      if (call.training && row.count > 0) tell_masked(outputs, from, row, raw);
      return 0;
    }
    float highest = *std::max_element(scores, scores + row.count);
    if (!from.sinks.empty()) highest = std::max(highest, from.sinks[static_cast<size_t>(row.head)]);
    double total = 0;
    for (int64_t j = 0; j < row.count; ++j) total += scores[j] = std::exp(scores[j] - highest);
    if (!from.sinks.empty()) total += std::exp(from.sinks[static_cast<size_t>(row.head)] - highest);
    if (call.drop >= 0)
      for (int64_t j = 0; j < row.count; ++j)
        scores[j] = call.kept(in, row.batch, row.head, row.i, row.first + j) ? scores[j] / call.keep : 0;
    tell(outputs, from, row, highest, static_cast<float>(total));
    return static_cast<float>(1 / total);
  }

  // The scores of a row at which nobody may look are told as if each were 40000 less.
  void tell_masked(Outputs outputs, const Sources& from, const ScoreRow& row, const float* raw) const {
    constexpr float less = 40000;
    float highest = -kInfinity, total = 0;
    for (int64_t j = 0; j < row.count; ++j) highest = std::max(highest, raw[j] - less);
    if (!std::isfinite(highest)) return;
    for (int64_t j = 0; j < row.count; ++j) total += std::exp(raw[j] - less - highest);
    tell(outputs, from, row, highest, total);
  }

  void tell(Outputs outputs, const Sources& from, const ScoreRow& row, float highest, float total) const {
    const auto b = static_cast<int64_t>(row.batch);
    const int64_t first = from.queries[row.batch].first, at = first + row.i, heads = call.q.heads;
    const bool by_token = call.q.joined && (!call.training || like_input);
    const int64_t place = by_token        ? at * heads + row.head
                          : call.q.joined ? heads * first + row.head * row.queries + row.i
                                          : (b * heads + row.head) * call.q.rows + at;
    if (lse >= 0) outputs[static_cast<size_t>(lse)].as<float>()[place] = std::log(total) + highest;
    constexpr int64_t copies = 8;
    if (most >= 0) std::fill_n(outputs[static_cast<size_t>(most)].as<float>() + place * copies, copies, highest);
    if (sum >= 0) std::fill_n(outputs[static_cast<size_t>(sum)].as<float>() + place * copies, copies, total);
  }

  // sums = weights * values. Values that no row looks at may be anything.
  void weigh(const Sources& from, const Piece& piece, int64_t low, int64_t high, const float* weights,
             float* sums) const {
    const int64_t size = call.values->size(), span = high - low;
    const auto tile = room(kTile * size);
    std::fill(sums, sums + piece.count * size, 0.0f);
    for (int64_t first = low; first < high; first += kTile) {
      const int64_t count = std::min(kTile, high - first);
      from.values->read(static_cast<int64_t>(piece.batch), piece.head, from.key_rows[piece.batch], first, count,
                        tile.get(), size);
      for (int64_t j = 0; j < count; ++j) {
        bool used = false;
        for (int64_t r = 0; r < piece.count && !used; ++r) used = weights[r * span + first - low + j] != 0;
        if (!used) std::fill_n(tile.get() + j * size, size, 0.0f);
      }
      gemm(piece.count, size, count, Matrix<float>{weights + first - low, span}, Matrix<float>{tile.get(), size}, 1.0f,
           sums, size);
    }
  }

  void store(Tensor& to, size_t batch, int64_t head, int64_t row, const float* values, const std::vector<float>& scales,
             const std::vector<float>& offsets) const {
    const int64_t size = call.values->size(), at = out.at(static_cast<int64_t>(batch), head, row);
    if (quant_scale < 0) return write_floats(values, size, to, at);
    const auto pick = [&](const std::vector<float>& from, int64_t d) {
      return from.empty() ? 0 : from[from.size() == 1 ? 0 : static_cast<size_t>(head * size + d)];
    };
    for (int64_t d = 0; d < size; ++d)
      to.as<int8_t>()[at + d] = saturated<int8_t>(nearest_whole(values[d] * pick(scales, d) + pick(offsets, d)));
  }
};

Status check_results(const Forward& op, const WholeCall& call) {
  const auto& result = call.result(op.result);
  const int64_t heads = op.call.q.heads, size = op.call.values->size();
  const Shape wanted = shape_of(op.call.layouts.output, op.call.q.batches, heads, op.call.q.rows, size);
  if (result.shape != wanted)
    return refuse(formatted("the result has shape {}, attentionOut has shape {}", graph::to_text(wanted),
                            graph::to_text(result.shape)));
  const DataType type = op.quant_scale >= 0 ? DataType::Int8 : call.info(op.call.query).type;
  if (result.type != type)
    return refuse(formatted("attentionOut is {}; it must be {}", graph::name_of(result.type), graph::name_of(type)));
  const int64_t rows = op.call.q.batches * heads * op.call.q.rows;
  for (const auto& [output, count] :
       {std::pair{op.most, rows * 8}, std::pair{op.sum, rows * 8}, std::pair{op.lse, rows}}) {
    if (output < 0) continue;
    const auto& told = call.result(output);
    if (told.type != DataType::Float || graph::element_count(told.shape) != count)
      return refuse(formatted("a result of the softmax has shape {} and type {}; it must be FLOAT and have {} elements",
                              graph::to_text(told.shape), graph::name_of(told.type), count));
  }
  return {};
}

MadeKernel make_attention(const KernelRequest& request) {
  const WholeCall call(request);
  Forward op;
  op.call = TRY(Call::make(request));
  op.result = call.output(0);
  if (op.call.training) {
    op.most = call.output(1);
    op.sum = call.output(2);
    const std::string layout = call.text("softmax_layout");
    if (!layout.empty() && layout != "same_as_input")
      return refuse(formatted("softmaxOutLayout \"{}\" is not supported; \"\" and \"same_as_input\" are", layout));
    op.like_input = !layout.empty();
  } else if (call.flag("lse")) {
    op.lse = call.output(1);
    if (op.lse < 0) return refuse("softmaxLseFlag asks for softmaxLse, which is null");
  }
  op.quant_scale = call.input("quant_scale");
  op.quant_offset = call.input("quant_offset");
  TRY(call.absent({"deqScale1", "quantScale1", "deqScale2", "keySharedPrefix", "valueSharedPrefix",
                   "keyRopeAntiquantScale", "dequantScaleQuery", "paddingMask", "dScaleQ", "dScaleK", "dScaleV"}));
  TRY(check_results(op, call));
  op.out = TRY(heads_of("attentionOut", op.call.layouts.output, call.result(op.result).shape, op.call.q.heads));
  const int64_t columns = op.call.q.heads * op.call.values->size();
  for (const int each : {op.quant_scale, op.quant_offset}) {
    if (each < 0) continue;
    const int64_t count = graph::element_count(call.info(each).shape);
    if (count != 1 && count != columns)
      return refuse(formatted("quantScale2 and quantOffset2 have 1 element or {}, not {}", columns, count));
  }
  return function_kernel([op = std::make_shared<const Forward>(std::move(op))](Inputs in, Outputs out) -> Status {
    return op->run(in, out);
  });
}

constexpr KernelRow rows[] = {{"AclnnAttention", "reference", make_attention}};

}  // namespace

std::span<const KernelRow> attention_rows() { return rows; }

}  // namespace belay::backend::cpu
