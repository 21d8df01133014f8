// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/recurrent/layer.h"

#include "backend/cpu/arguments.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

using Kind = GateFunction::Kind;

Status check_shapes(const KernelRequest& request, const Recurrent& op) {
  const auto& in = request.inputs;
  if (in[0].shape.size() != 3 || in[1].shape.size() != 3 || in[2].shape.size() != 3)
    return refuse("x, w and r must have 3 dimensions");
  const auto directions = int64_t(op.directions);
  const int64_t batch = in[0].shape[1], input = in[0].shape[2], hidden = in[2].shape[2], rows = op.gates * hidden;
  const Shape wanted[] = {{directions, rows, input}, {directions, rows, hidden}, {directions, 2 * rows}};
  for (size_t i = 1; i < 4 && i < in.size(); ++i)
    if (in[i].present && in[i].shape != wanted[i - 1])
      return refuse(formatted("input {} is {}, not {}", i, graph::to_text(in[i].shape), graph::to_text(wanted[i - 1])));
  for (size_t i = 5; i < 7 && i < in.size(); ++i)
    if (in[i].present && in[i].shape != Shape{directions, batch, hidden})
      return refuse("an initial state has another shape than [directions, batch, hidden]");
  if (in.size() > 7 && in[7].present && in[7].shape != Shape{directions, 3 * hidden})
    return refuse("p must be [directions, 3 * hidden]");
  for (const size_t i : {1, 2, 3, 5, 6, 7})
    if (i < in.size() && in[i].present && in[i].type != in[0].type) return refuse("the inputs differ in type");
  return {};
}

}  // namespace

Result<std::vector<int64_t>> lengths_of(const Recurrent& op, Inputs in, const RecurrentSizes& sizes) {
  if (in.size() <= 4 || !in[4].present) return std::vector<int64_t>(size_t(sizes.batch), sizes.steps);
  auto lengths = TRY(integers(in[4]));
  if (int64_t(lengths.size()) != sizes.batch) return failed(op.label, "sequence_lens needs a length for each batch");
  for (size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] < 0 || lengths[b] > sizes.steps)
      return bad_index(op.label, lengths[b], int64_t(b), sizes.steps + 1, false);
  return lengths;
}

Result<Recurrent> read_recurrent(const KernelRequest& request) {
  const auto& node = request.node;
  const std::string direction = graph::text_of(node, "direction", "forward");
  Recurrent op{.label = label_of(node), .functions = {}};
  op.directions = direction == "bidirectional" ? 2 : 1;
  op.reverse = direction == "reverse";
  op.lstm = node.type == "CommonLSTM";
  op.gru = node.type == "CommonGRU";
  op.gates = op.lstm ? 4 : op.gru ? 3 : 1;
  op.clip = graph::get_or<float>(node.attributes, "clip", -1.0f);
  op.couple = graph::flag_of(node, "input_forget", false);
  op.linear_before_reset = graph::flag_of(node, "linear_before_reset", false);
  constexpr Kind defaults[] = {Kind::Sigmoid, Kind::Tanh, Kind::Tanh}, plain[] = {Kind::Tanh};
  const std::span<const Kind> kinds =
      op.lstm || op.gru ? std::span(defaults, op.lstm ? 3 : 2) : std::span<const Kind>(plain);
  op.per_direction = kinds.size();
  op.functions = TRY(gate_functions(node, kinds, op.directions));
  TRY(check_shapes(request, op));
  return op;
}

}  // namespace belay::backend::cpu
