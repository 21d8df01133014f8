// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls of attention over few keys: LightningIndexer names the best keys of each query,
// SparseFlashAttention looks at those that were named.
#include "backend/cpu/attention/sparse.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// Where the tokens of each sequence lie: one after another, at a step, or in blocks.
struct Sequences {
  enum class Kind { Batches, Flat, Blocks } kind = Kind::Batches;
  int64_t batches = 0, size = 0, blocks = 0, columns = 0;  // tokens of a batch or a block; blocks; width of the table
  int lengths = -1, table = -1;

  // As a layout says it: BSND [B,S,..], TND [T,..], PA_BSND [blocks,size,..].
  static Result<Sequences> of(const WholeCall& call, const Shape& shape, const std::string& layout, const char* lengths,
                              size_t rank) {
    Sequences made;
    made.lengths = call.input(lengths);
    const bool flat = layout == "TND";
    if (shape.size() != rank - (flat ? 1 : 0))
      return refuse(
          formatted("a tensor of shape {} does not have the dimensions of {}", graph::to_text(shape), layout));
    if (layout == "BSND") {
      made.batches = shape[0], made.size = shape[1];
    } else if (flat) {
      made.kind = Kind::Flat, made.size = shape[0];
      if (made.lengths < 0) return refuse("layout TND needs actual lengths");
      made.batches = graph::element_count(call.info(made.lengths).shape);
    } else if (layout == "PA_BSND") {
      made.kind = Kind::Blocks, made.blocks = shape[0], made.size = shape[1], made.table = call.input("table");
      if (made.table < 0 || made.lengths < 0 || call.info(made.table).shape.size() != 2)
        return refuse("layout PA_BSND needs a block table of two dimensions and the lengths of the keys");
      made.batches = call.info(made.table).shape[0], made.columns = call.info(made.table).shape[1];
    } else {
      return refuse(formatted("layout \"{}\" is not supported", layout));
    }
    if (made.lengths >= 0 && graph::element_count(call.info(made.lengths).shape) != made.batches)
      return refuse(formatted("{} must have {} elements", lengths, made.batches));
    return made;
  }

  // The lengths and, of flat ones, where each begins.
  struct Read {
    std::vector<int64_t> first, count, table;
  };
  Result<Read> read(Inputs in) const {
    Read made;
    const auto given = lengths < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(lengths)]));
    if (table >= 0) made.table = TRY(integers(in[static_cast<size_t>(table)]));
    int64_t before = 0;
    for (int64_t b = 0; b < batches; ++b) {
      const int64_t told = given.empty() ? size : given[static_cast<size_t>(b)];
      const int64_t count = kind == Kind::Flat ? told - before : told;
      const int64_t room = kind == Kind::Flat ? size - before : kind == Kind::Blocks ? columns * size : size;
      if (count < 0 || count > room)
        return failed("attention", formatted("length {} of sequence {} does not fit {}", told, b, room));
      made.first.push_back(kind == Kind::Flat ? before : b * size);
      made.count.push_back(count);
      if (kind == Kind::Flat) before = told;
    }
    return made;
  }
  // The row of a token in memory; -1: its block is none.
  int64_t row(const Read& read, int64_t b, int64_t j) const {
    if (kind != Kind::Blocks) return read.first[static_cast<size_t>(b)] + j;
    const int64_t block = read.table[static_cast<size_t>(b * columns + j / size)];
    return block < 0 || block >= blocks ? -1 : block * size + j % size;
  }
};

// The keys that a query may look at: those before its own place, counted from the end, with sparseMode 3.
int64_t keys_seen(bool causal, int64_t i, int64_t queries, int64_t keys) {
  return causal ? std::clamp<int64_t>(i + keys - queries + 1, 0, keys) : keys;
}

Result<bool> causal_of(const WholeCall& call) {
  const int64_t mode = call.integer("mode");
  if (mode != 0 && mode != 3) return refuse(formatted("sparseMode is {}; it must be 0 or 3", mode));
  return mode == 3;
}

struct Indexer {
  Sequences queries, keys;
  int query, key, weights, query_scale, key_scale, indices, values;
  int64_t heads, size, count;
  bool causal;

  Status run(Inputs in, Outputs out) const {
    const auto q = TRY(queries.read(in)), k = TRY(keys.read(in));
    auto* to = out[static_cast<size_t>(indices)].as<int32_t>();
    std::fill_n(to, out[static_cast<size_t>(indices)].count(), -1);
    const auto key_scales = all_floats(tensor_at(in, key_scale)), query_scales = all_floats(tensor_at(in, query_scale));
    std::vector<float> given(static_cast<size_t>(heads * size)), one(static_cast<size_t>(size)),
        factors(static_cast<size_t>(heads));
    for (int64_t b = 0; b < queries.batches; ++b)
      for (int64_t i = 0; i < q.count[static_cast<size_t>(b)]; ++i) {
        const int64_t row = queries.row(q, b, i);
        read_floats(in[static_cast<size_t>(query)], row * heads * size, heads * size, given.data());
        read_floats(in[static_cast<size_t>(weights)], row * heads, heads, factors.data());
        const int64_t all = keys_seen(causal, i, q.count[static_cast<size_t>(b)], k.count[static_cast<size_t>(b)]);
        std::vector<float> scores(static_cast<size_t>(all));
        for (int64_t j = 0; j < all; ++j) {
          const int64_t at = keys.row(k, b, j);
          if (at < 0) return failed("LightningIndexer", formatted("key {} of sequence {} is in no block", j, b));
          read_floats(in[static_cast<size_t>(key)], at * size, size, one.data());
          float sum = 0;
          for (int64_t n = 0; n < heads; ++n) {
            float dot = 0;
            for (int64_t c = 0; c < size; ++c)
              dot += given[static_cast<size_t>(n * size + c)] * one[static_cast<size_t>(c)];
            if (!query_scales.empty()) dot *= query_scales[static_cast<size_t>(row * heads + n)];
            if (!key_scales.empty()) dot *= key_scales[static_cast<size_t>(at)];
            sum += factors[static_cast<size_t>(n)] * std::max(dot, 0.0f);
          }
          scores[static_cast<size_t>(j)] = sum;
        }
        std::vector<int64_t> order(scores.size());
        std::iota(order.begin(), order.end(), int64_t{0});
        std::ranges::stable_sort(order, std::greater{}, [&](int64_t j) { return scores[static_cast<size_t>(j)]; });
        for (int64_t j = 0; j < std::min(count, all); ++j) {
          to[row * count + j] = static_cast<int32_t>(order[static_cast<size_t>(j)]);
          if (values >= 0)
            write_floats(&scores[static_cast<size_t>(order[static_cast<size_t>(j)])], 1,
                         out[static_cast<size_t>(values)], row * count + j);
        }
      }
    return {};
  }
};

}  // namespace

MadeKernel make_indexer(const KernelRequest& request) {
  const WholeCall call(request);
  Indexer op{};
  op.query = call.even_empty("query"), op.key = call.even_empty("key"), op.weights = call.even_empty("weights");
  op.query_scale = call.input("query_scale"), op.key_scale = call.input("key_scale");
  op.indices = call.output(0), op.values = call.flag("tells_values") ? call.output(1) : -1;
  TRY(call.filled({"query", "key"}));
  TRY(call.all_real({"query_scale", "key_scale"}));
  op.count = call.integer("count"), op.causal = TRY(causal_of(call));
  const auto &query = call.info(op.query), &key = call.info(op.key);
  const auto layout = [&](const char* name) {
    const std::string given = call.text(name);
    return given.empty() ? std::string("BSND") : given;
  };
  op.queries = TRY(Sequences::of(call, query.shape, layout("layout"), "query_lengths", 4));
  op.keys = TRY(Sequences::of(call, key.shape, layout("key_layout"), "key_lengths", 4));
  op.heads = query.shape.end()[-2], op.size = query.shape.back();
  if (op.queries.kind == Sequences::Kind::Blocks || op.queries.batches != op.keys.batches)
    return refuse("query and key must have as many sequences");
  const bool whole =
      query.type == DataType::Int8 && key.type == DataType::Int8 && op.query_scale >= 0 && op.key_scale >= 0;
  if (key.shape.end()[-2] != 1 || key.shape.back() != op.size ||
      (!whole && (!is_real(query.type) || key.type != query.type)))
    return refuse(formatted("query {} {} and key {} {} do not fit; key has one head", graph::name_of(query.type),
                            graph::to_text(query.shape), graph::name_of(key.type), graph::to_text(key.shape)));
  const int64_t rows = graph::element_count(query.shape) / (op.heads * op.size);
  const auto& weights = call.info(op.weights);
  if (!is_real(weights.type) || graph::element_count(weights.shape) != rows * op.heads)
    return refuse(
        formatted("weights have shape {}; there is one for each query and head", graph::to_text(weights.shape)));
  if (whole && (graph::element_count(call.info(op.query_scale).shape) != rows * op.heads ||
                graph::element_count(call.info(op.key_scale).shape) != graph::element_count(key.shape) / op.size))
    return refuse("the scales must have an element for each query and head, and for each key");
  const auto& indices = call.result(op.indices);
  if (op.count < 1 || indices.type != DataType::Int32 || graph::element_count(indices.shape) != rows * op.count)
    return refuse(formatted("the indices have shape {}; they must be INT32 with {} for each of {} queries",
                            graph::to_text(indices.shape), op.count, rows));
  if (call.flag("tells_values") && (op.values < 0 || !is_real(call.result(op.values).type) ||
                                    graph::element_count(call.result(op.values).shape) != rows * op.count))
    return refuse("returnValues true needs sparseValuesOut with the shape of the indices");
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

namespace {

struct SparseAttention {
  Sequences queries, keys;
  int query, key, query_rope, key_rope, indices, sink;
  int out_place, maximum, sum;
  int64_t heads, size, rope, chosen, block;
  float scale;
  bool causal;

  // The keys that a query's indices name, each once in their order.
  std::vector<int64_t> named(const std::vector<int64_t>& list, int64_t row, int64_t seen) const {
    std::vector<int64_t> made;
    for (int64_t c = 0; c < chosen; ++c) {
      const int64_t index = list[static_cast<size_t>(row * chosen + c)];
      if (index < 0) break;
      if (index > seen / block) continue;
      const int64_t first = index * block;
      for (int64_t j = first; j < std::min(seen, first + std::min(block, seen)); ++j) made.push_back(j);
    }
    return made;
  }

  Status run(Inputs in, Outputs results) const {
    const auto q = TRY(queries.read(in)), k = TRY(keys.read(in));
    const auto list = TRY(integers(in[static_cast<size_t>(indices)]));
    const auto sinks = all_floats(tensor_at(in, sink));
    Tensor& y = results[static_cast<size_t>(out_place)];
    std::vector<float> mine(static_cast<size_t>(size + rope)), other(static_cast<size_t>(size + rope)),
        total(static_cast<size_t>(size));
    for (int64_t b = 0; b < queries.batches; ++b)
      for (int64_t i = 0; i < q.count[static_cast<size_t>(b)]; ++i) {
        const int64_t row = queries.row(q, b, i);
        const auto keys_named =
            named(list, row, keys_seen(causal, i, q.count[static_cast<size_t>(b)], k.count[static_cast<size_t>(b)]));
        std::vector<float> values(keys_named.size() * static_cast<size_t>(size + rope));
        for (size_t j = 0; j < keys_named.size(); ++j) {
          const int64_t at = keys.row(k, b, keys_named[j]);
          if (at < 0)
            return failed("SparseFlashAttention", formatted("key {} of sequence {} is in no block", keys_named[j], b));
          float* to = values.data() + j * static_cast<size_t>(size + rope);
          read_floats(in[static_cast<size_t>(key)], at * size, size, to);
          if (rope > 0) read_floats(in[static_cast<size_t>(key_rope)], at * rope, rope, to + size);
        }
        for (int64_t n = 0; n < heads; ++n) {
          read_floats(in[static_cast<size_t>(query)], (row * heads + n) * size, size, mine.data());
          if (rope > 0)
            read_floats(in[static_cast<size_t>(query_rope)], (row * heads + n) * rope, rope, mine.data() + size);
          std::vector<float> scores(keys_named.size());
          float most = sinks.empty() ? -INFINITY : sinks[static_cast<size_t>(n)];
          for (size_t j = 0; j < scores.size(); ++j) {
            const float* one = values.data() + j * mine.size();
            for (size_t c = 0; c < mine.size(); ++c) scores[j] += mine[c] * one[c];
            most = std::max(most, scores[j] *= scale);
          }
          float all = sinks.empty() ? 0 : std::exp(sinks[static_cast<size_t>(n)] - most);
          std::ranges::fill(total, 0.0f);
          for (size_t j = 0; j < scores.size(); ++j) {
            const float weight = std::exp(scores[j] - most);
            all += weight;
            const float* one = values.data() + j * mine.size();
            for (size_t c = 0; c < total.size(); ++c) total[c] += weight * one[c];
          }
          for (float& each : total) each = all > 0 ? each / all : 0;
          write_floats(total.data(), size, y, (row * heads + n) * size);
          if (maximum >= 0) results[static_cast<size_t>(maximum)].as<float>()[row * heads + n] = most;
          if (sum >= 0) results[static_cast<size_t>(sum)].as<float>()[row * heads + n] = all;
        }
      }
    return {};
  }
};

}  // namespace

MadeKernel make_sparse_attention(const KernelRequest& request) {
  const WholeCall call(request);
  SparseAttention op{};
  op.query = call.even_empty("query"), op.key = call.even_empty("key"), op.query_rope = call.input("query_rope");
  op.key_rope = call.input("key_rope"), op.indices = call.even_empty("indices"), op.sink = call.input("sink");
  op.out_place = call.output(0), op.scale = static_cast<float>(call.real("scale", 1));
  op.block = std::max<int64_t>(1, call.integer("block", 1)), op.causal = TRY(causal_of(call));
  TRY(call.filled({"query", "key"}));
  TRY(call.all_real({"query_rope", "key_rope", "sink"}));
  const auto &query = call.info(op.query), &key = call.info(op.key), &y = call.result(op.out_place);
  if (const auto& value = call.info(call.even_empty("value")); value.shape != key.shape || value.type != key.type)
    return refuse("value must be the same as key");
  const std::string layout = call.text("layout").empty() ? "BSND" : call.text("layout");
  const std::string key_layout = call.text("key_layout").empty() ? "BSND" : call.text("key_layout");
  op.queries = TRY(Sequences::of(call, query.shape, layout, "query_lengths", 4));
  op.keys = TRY(Sequences::of(call, key.shape, key_layout, "key_lengths", 4));
  op.heads = query.shape.end()[-2], op.size = query.shape.back();
  if (op.queries.kind == Sequences::Kind::Blocks || op.queries.batches != op.keys.batches)
    return refuse("query and key must have as many sequences");
  if (!is_real(query.type) || key.type != query.type || key.shape.end()[-2] != 1 || key.shape.back() != op.size)
    return refuse(formatted("query {} and key {} do not fit; key has one head", graph::to_text(query.shape),
                            graph::to_text(key.shape)));
  if ((op.query_rope < 0) != (op.key_rope < 0)) return refuse("queryRope and keyRope go together");
  op.rope = op.query_rope < 0 ? 0 : call.info(op.query_rope).shape.back();
  const int64_t rows = graph::element_count(query.shape) / (op.heads * op.size),
                tokens = graph::element_count(key.shape) / op.size;
  if (op.rope > 0 && (graph::element_count(call.info(op.query_rope).shape) != rows * op.heads * op.rope ||
                      graph::element_count(call.info(op.key_rope).shape) != tokens * op.rope))
    return refuse("queryRope and keyRope must have a part for each query, head and key");
  const auto& indices = call.info(op.indices);
  if (rows == 0 || graph::element_count(indices.shape) % rows != 0)
    return refuse(formatted("sparseIndices have shape {}; there are {} queries", graph::to_text(indices.shape), rows));
  op.chosen = graph::element_count(indices.shape) / rows;
  if (op.sink >= 0 && graph::element_count(call.info(op.sink).shape) != op.heads)
    return refuse("sinks must have one for each head");
  if (y.shape != query.shape || y.type != query.type) return refuse("attentionOut must be like query");
  const bool tells = call.flag("tells");
  op.maximum = tells ? call.output(1) : -1, op.sum = tells ? call.output(2) : -1;
  for (const int each : {op.maximum, op.sum})
    if (tells && (each < 0 || call.result(each).type != DataType::Float ||
                  graph::element_count(call.result(each).shape) != rows * op.heads))
      return refuse("softmaxMax and softmaxSum must be FLOAT with an element for each query and head");
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

}  // namespace belay::backend::cpu
