// SPDX-License-Identifier: Apache-2.0
// Losses, and what training leaves behind in models for inference.
#include "base/text.h"
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"
#include "convert/map/numbers.h"

namespace belay::convert {
namespace {

// Labels are never negative: this ignores nothing.
constexpr int64_t ignore_nothing = -100;

Attributes loss_attributes(const NodeContext& c) {
  return {{"reduction", c.text("reduction", "mean")}, {"ignore_index", c.integer("ignore_index", ignore_nothing)}};
}

Status negative_log_likelihood(NodeContext& c) {
  c.give(0, c.add("NLLLoss", c.inputs(), loss_attributes(c)));
  return {};
}

Status softmax_cross_entropy(NodeContext& c) {
  c.give_all(c.add("SoftmaxCrossEntropyLoss", c.inputs(), loss_attributes(c)));
  return {};
}

bool trains(const NodeContext& c) {
  if (c.opset < 7) return c.integer("is_test", 0) == 0;
  if (c.opset < 12 || !c.has(2)) return false;
  const auto mode = c.ints(2);
  return !mode || mode->empty() || mode->front() != 0;
}

// In inference a copy; the mask keeps everything.
Status dropout(NodeContext& c) {
  if (trains(c)) return c.fail("it is in training mode, or its training_mode is not constant");
  c.give(0, c.add("Dropout", {c.in(0)}));
  if (!c.wanted(1)) return {};
  const auto int64_number = static_cast<int64_t>(DataType::Int64);
  const Edge shape = c.add("Shape", {c.in(0)}, {{"dtype", int64_number}});
  const DataType type = c.opset < 10 ? c.type(0) : DataType::Bool;
  c.give(1, c.add({"Fill", "Mask"}, {shape, c.scalar("Const", 1, type)}));
  return {};
}

constexpr MapRow rows[] = {
    {"Dropout", 1, latest, "Dropout", dropout},
    {"NegativeLogLikelihoodLoss", 12, latest, "NLLLoss", negative_log_likelihood},
    {"SoftmaxCrossEntropyLoss", 12, latest, "SoftmaxCrossEntropyLoss", softmax_cross_entropy},
};

}  // namespace

std::span<const MapRow> map_rows_loss() { return rows; }

}  // namespace belay::convert
