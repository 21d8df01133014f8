// SPDX-License-Identifier: Apache-2.0
// Random numbers: a standard distribution, scaled and shifted.
#include <bit>
#include <cmath>

#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"
#include "convert/onnx/types.h"

namespace belay::convert {
namespace {

// ONNX keeps the seed as a float. One that is no whole number of 64 bits is a seed by its bits.
int64_t seed(const NodeContext& c) {
  const float given = c.real("seed", 0);
  return std::abs(given) < 0x1p62f ? static_cast<int64_t>(given) : std::bit_cast<int32_t>(given);
}

bool like(const NodeContext& c) { return c.node.type.ends_with("Like"); }

Edge wanted_shape(NodeContext& c) {
  if (!like(c)) return c.int_constant("Const", c.integers("shape"));
  return c.add("Shape", {c.in(0)}, {{"dtype", static_cast<int64_t>(DataType::Int64)}});
}

DataType wanted_type(const NodeContext& c) {
  if (c.given("dtype")) return onnx::data_type(c.integer("dtype", 1));
  return like(c) ? c.type(0) : DataType::Float;
}

Edge standard(NodeContext& c, const char* type, Edge shape, DataType element) {
  return c.add(type, {shape}, {{"dtype", element}, {"seed", seed(c)}});
}

Status random(NodeContext& c, const char* type, float factor, float shift) {
  const Edge plain = standard(c, type, wanted_shape(c), wanted_type(c));
  const Edge scaled = c.add({"Muls", "mul"}, {plain}, {{"value", factor}});
  c.give(0, c.add({"Adds", "add"}, {scaled}, {{"value", shift}}));
  return {};
}

Status random_normal(NodeContext& c) {
  return random(c, "RandomStandardNormal", c.real("scale", 1), c.real("mean", 0));
}

Status random_uniform(NodeContext& c) {
  const float low = c.real("low", 0);
  return random(c, "RandomUniform", c.real("high", 1) - low, low);
}

// One where a uniform number is below the probability.
Status bernoulli(NodeContext& c) {
  const DataType element = c.given("dtype") ? onnx::data_type(c.integer("dtype", 1)) : c.type(0);
  const Edge shape = c.add("Shape", {c.in(0)}, {{"dtype", static_cast<int64_t>(DataType::Int64)}});
  const Edge uniform = standard(c, "RandomUniform", shape, c.type(0));
  c.give(0, c.cast("Cast", c.add("Less", {uniform, c.in(0)}), element));
  return {};
}

Status multinomial(NodeContext& c) {
  const Edge count = c.int_scalar("Const", c.integer("sample_size", 1), DataType::Int32);
  const DataType element = onnx::data_type(c.integer("dtype", 6));
  c.give(0, c.add("Multinomial", {c.in(0), count}, {{"dtype", element}, {"seed", seed(c)}}));
  return {};
}

constexpr MapRow rows[] = {
    {"Bernoulli", 15, latest, "RandomUniform", bernoulli},
    {"Multinomial", 7, latest, "Multinomial", multinomial},
    {"RandomNormal", 1, latest, "RandomStandardNormal", random_normal},
    {"RandomNormalLike", 1, latest, "RandomStandardNormal", random_normal},
    {"RandomUniform", 1, latest, "RandomUniform", random_uniform},
    {"RandomUniformLike", 1, latest, "RandomUniform", random_uniform},
};

}  // namespace

std::span<const MapRow> map_rows_random() { return rows; }

}  // namespace belay::convert
