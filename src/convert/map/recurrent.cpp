// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: GE's Common* operators have ONNX's ports and time first.
#include "convert/map/mapping.h"
#include "convert/map/node_context.h"

namespace belay::convert {
namespace {

Attributes recurrent_attributes(const NodeContext& c) {
  Attributes attributes = {
      {"activation_alpha", c.reals("activation_alpha")}, {"activation_beta", c.reals("activation_beta")},
      {"activations", c.texts("activations")},           {"clip", c.real("clip", -1)},
      {"direction", c.text("direction", "forward")},     {"hidden_size", c.integer("hidden_size", 0)}};
  if (c.node.type == "LSTM") attributes["input_forget"] = c.integer("input_forget", 0);
  if (c.node.type == "GRU") attributes["linear_before_reset"] = c.integer("linear_before_reset", 0);
  return attributes;
}

Edge transposed(NodeContext& c, const std::string& what, Edge x, const std::vector<int64_t>& perm) {
  return c.add({"Transpose", "Transpose" + what}, {x, c.int_constant("Perm" + what, perm, DataType::Int32)});
}

// With layout 1 the batch comes first: inputs and outputs are turned.
Status batch_first(NodeContext& c) {
  std::vector<Edge> inputs = c.inputs();
  const std::vector<int64_t> swap = {1, 0, 2};
  inputs[0] = transposed(c, "X", inputs[0], swap);
  constexpr size_t first_state = 5, last_state = 6;
  for (size_t i = first_state; i <= last_state && i < inputs.size(); ++i)
    if (inputs[i].connected()) inputs[i] = transposed(c, "Initial" + std::to_string(i), inputs[i], swap);
  const Edge y = c.add(c.ge, inputs, recurrent_attributes(c));
  if (c.wanted(0)) c.give(0, transposed(c, "Y", y, {2, 0, 1, 3}));
  for (const int i : {1, 2})
    if (c.wanted(static_cast<size_t>(i)))
      c.give(static_cast<size_t>(i), transposed(c, "State" + std::to_string(i), {y.node, i}, swap));
  return {};
}

Status recurrent(NodeContext& c) {
  if (!c.has(0)) return c.fail("it has no input");
  if (!c.given("hidden_size") && c.rank(size_t{2}) != 3) return c.fail("hidden_size is missing");
  if (c.integer("layout", 0) != 0) return batch_first(c);
  Attributes attributes = recurrent_attributes(c);
  if (!c.given("hidden_size")) attributes["hidden_size"] = c.shape(2).back();
  c.give_all(c.add(c.ge, c.inputs(), std::move(attributes)));
  return {};
}

constexpr MapRow rows[] = {
    {"GRU", 7, latest, "CommonGRU", recurrent},
    {"LSTM", 7, latest, "CommonLSTM", recurrent},
    {"RNN", 7, latest, "CommonRNN", recurrent},
};

}  // namespace

std::span<const MapRow> map_rows_recurrent() { return rows; }

}  // namespace belay::convert
