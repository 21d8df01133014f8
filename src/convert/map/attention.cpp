// SPDX-License-Identifier: Apache-2.0
// Attention in its expanded form, and rotary embedding.
#include <cmath>
#include <limits>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"

namespace belay::convert {
namespace {

using Numbers = std::vector<int64_t>;

Edge transposed(NodeContext& c, const std::string& suffix, Edge x, const Numbers& perm) {
  return c.add({"Transpose", suffix}, {x, c.int_constant(suffix + "Perm", perm, DataType::Int32)});
}

Edge reshaped(NodeContext& c, const std::string& suffix, Edge x, const Numbers& shape) {
  return c.add({"Reshape", suffix}, {x, c.int_constant(suffix + "Shape", shape)});
}

// [batch, length, heads * width] as [batch, heads, length, width]; a tensor of 4 dimensions is so already.
Result<Edge> by_heads(NodeContext& c, const std::string& suffix, size_t input, int64_t heads) {
  const Shape shape = c.shape(input);
  if (shape.size() == 4) return c.in(input);
  if (shape.size() != 3 || heads < 1 || shape[2] < 1 || shape[2] % heads)
    return c.fail(formatted("input {} must have 4 known dimensions, or 3 and a number of heads", input));
  return transposed(c, suffix, reshaped(c, suffix + "Heads", c.in(input), {0, 0, heads, shape[2] / heads}),
                    {0, 2, 1, 3});
}

// 0 where a query may look, minus infinity where it may not: at what comes after it.
Edge causal_mask(NodeContext& c, int64_t queries, int64_t keys, DataType type) {
  std::vector<double> mask;
  for (int64_t q = 0; q < queries; ++q)
    for (int64_t k = 0; k < keys; ++k) mask.push_back(k <= q ? 0 : -std::numeric_limits<double>::infinity());
  return c.constant("Causal", make_numbers(mask, {queries, keys}, type));
}

Result<Edge> masked(NodeContext& c, Edge scores, size_t input) {
  const DataType type = c.type(0);
  if (c.type(input) != DataType::Bool) return c.add({"Add", "Mask"}, {scores, c.in(input)});
  const Edge never = c.scalar("Never", -std::numeric_limits<double>::infinity(), type);
  return c.add({"SelectV2", "Mask"}, {c.in(input), scores, never});
}

// softmax(q * k^T * scale + mask) * v
Status attention(NodeContext& c) {
  for (const size_t output : {1, 2, 3})
    if (c.wanted(output)) return c.fail("only its first output is supported");
  if (c.has(4) || c.has(5) || c.has(6)) return c.fail("past keys and values are not supported");
  if (c.real("softcap", 0) != 0) return c.fail("softcap is not supported");
  const int64_t heads = c.integer("q_num_heads", 0), kv_heads = c.integer("kv_num_heads", heads);
  const Edge q = TRY(by_heads(c, "Query", 0, heads)), k = TRY(by_heads(c, "Key", 1, kv_heads));
  const Edge v = TRY(by_heads(c, "Value", 2, kv_heads));
  const Shape query = c.info(q).shape, key = c.info(k).shape;
  if (query.size() != 4 || key.size() != 4 || query[3] < 1 || query[1] != key[1])
    return c.fail("queries, keys and values must have the same, known number of heads");
  const float scale = c.real("scale", 0) != 0 ? c.real("scale", 0) : 1 / std::sqrt(static_cast<float>(query[3]));
  Edge scores = c.add({"BatchMatMulV2", "Scores"}, {q, k}, {{"adj_x1", false}, {"adj_x2", true}});
  scores = c.add("Muls", {scores}, {{"value", scale}});
  if (c.has(3)) scores = TRY(masked(c, scores, 3));
  if (c.integer("is_causal", 0) != 0) {
    if (query[2] < 0 || key[2] < 0) return c.fail("is_causal needs known lengths");
    TRY(c.require_few(graph::element_count({query[2], key[2]})));
    scores = c.add({"Add", "AddCausal"}, {scores, causal_mask(c, query[2], key[2], c.type(0))});
  }
  const Edge weights = c.add("SoftmaxV2", {scores}, {{"axes", Numbers{-1}}});
  const Edge mixed = c.add("BatchMatMulV2", {weights, v}, {{"adj_x1", false}, {"adj_x2", false}});
  if (c.shape(0).size() == 4) return c.give(0, mixed), Status{};
  const int64_t width = c.info(v).shape[3];
  c.give(0, reshaped(c, "Joined", transposed(c, "Back", mixed, {0, 2, 1, 3}), {0, 0, heads * width}));
  return {};
}

// cos or sin of every position, once for both elements that turn together: [batch, 1, length, width].
Edge angles(NodeContext& c, const std::string& suffix, size_t input, bool interleaved) {
  Edge part = c.in(input);
  if (c.has(3)) {
    const Edge axis = c.int_scalar(suffix + "Axis", 0, DataType::Int32);
    part = c.add({"GatherV2", suffix}, {part, c.in(3), axis});
  }
  const int64_t half = c.info(part).shape.back();
  if (!interleaved) {
    part = c.add({"ConcatD", suffix + "Twice"}, {part, part}, {{"concat_dim", -1}, {"N", 2}});
  } else {
    part = c.add({"Unsqueeze", suffix + "Pairs"}, {part}, {{"axes", Numbers{-1}}});
    part = c.add({"ConcatD", suffix + "Twice"}, {part, part}, {{"concat_dim", -1}, {"N", 2}});
    part = reshaped(c, suffix + "Flat", part, {0, 0, 2 * half});
  }
  return c.add({"Unsqueeze", suffix + "Heads"}, {part}, {{"axes", Numbers{1}}});
}

Status rotary_embedding(NodeContext& c) {
  if (c.integer("rotary_embedding_dim", 0) != 0) return c.fail("rotary_embedding_dim is not supported");
  const bool interleaved = c.integer("interleaved", 0) != 0;
  const int cache_rank = c.has(3) ? 2 : 3;
  if (c.rank(size_t{1}) != cache_rank || c.rank(size_t{2}) != cache_rank || c.shape(1).back() < 1)
    return c.fail("the caches must be [positions, width / 2] with position_ids, else [batch, length, width / 2]");
  const int64_t heads = c.integer("num_heads", 0);
  const Edge x = TRY(by_heads(c, "X", 0, heads));
  const Edge turned =
      c.add("RotaryPositionEmbedding", {x, angles(c, "Cos", 1, interleaved), angles(c, "Sin", 2, interleaved)},
            {{"mode", int64_t{interleaved ? 1 : 0}}});
  if (c.shape(0).size() == 4) return c.give(0, turned), Status{};
  c.give(0, reshaped(c, "Joined", transposed(c, "Back", turned, {0, 2, 1, 3}), {0, 0, c.shape(0)[2]}));
  return {};
}

constexpr MapRow rows[] = {
    {"Attention", 23, latest, "SoftmaxV2", attention},
    {"NPURotaryMul", 1, latest, "RotaryMul", nullptr, "npu"},
    {"RotaryEmbedding", 23, latest, "RotaryPositionEmbedding", rotary_embedding},
};

}  // namespace

std::span<const MapRow> map_rows_attention() { return rows; }

}  // namespace belay::convert
