// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/recurrent_layer.h"

#include "backend/cpu/recurrent/gate_function.h"
#include "graph/infer_arguments.h"

namespace belay::backend::cpu::onednn {
namespace {

using Kind = GateFunction::Kind;

Status check_options(const KernelRequest& request, const RecurrentLayer& s) {
  const auto present = [&](size_t i) { return i < request.inputs.size() && request.inputs[i].present; };
  const graph::Attributes& a = request.node.attributes;
  for (size_t i = 0; i < request.inputs.size(); ++i)
    if (i != 4 && present(i) && request.inputs[i].type != DataType::Float) return refuse("only float");
  if (!constant_floats(request, 1) || !constant_floats(request, 2) || (present(3) && !constant_floats(request, 3)))
    return refuse("weights that are not constants");
  if (present(4) || present(7)) return refuse("lengths or peepholes");
  if (get_or<float>(a, "clip", -1.0f) > 0 || graph::flag_of(request.node, "input_forget", false))
    return refuse("clipping or coupled gates");
  if (s.steps == 0 || s.batch == 0 || s.input == 0 || s.hidden == 0) return refuse("an empty tensor");
  constexpr Kind usual[] = {Kind::Sigmoid, Kind::Tanh, Kind::Tanh};
  const auto functions = TRY(gate_functions(request.node, std::span(usual, s.lstm ? 3 : 2), size_t(s.directions)));
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i].kind != usual[i % (s.lstm ? 3 : 2)]) return refuse("other activations than sigmoid and tanh");
  return {};
}

}  // namespace

const float* constant_floats(const KernelRequest& request, size_t input) {
  const bool known = input < request.inputs.size() && request.inputs[input].present && request.inputs[input].value;
  return known ? reinterpret_cast<const float*>(request.inputs[input].value->bytes.data()) : nullptr;
}

Result<RecurrentLayer> read_recurrent(const KernelRequest& request) {
  for (size_t i = 0; i < 3; ++i)
    if (request.inputs[i].shape.size() != 3) return refuse("x, w and r must have 3 dimensions");
  const std::string way = graph::text_of(request.node, "direction", "forward");
  const Shape &x = request.inputs[0].shape, &r = request.inputs[2].shape;
  RecurrentLayer s{x[0], x[1], x[2], r[2], 3, way == "bidirectional" ? 2 : 1, request.node.type == "CommonLSTM"};
  if (s.lstm) s.gates = 4;
  s.linear_before_reset = graph::flag_of(request.node, "linear_before_reset", false);
  s.reverse = way == "reverse";
  if (request.inputs[1].shape != Shape{s.directions, s.gates * s.hidden, s.input} ||
      r != Shape{s.directions, s.gates * s.hidden, s.hidden})
    return refuse("weights of another shape");
  TRY(check_options(request, s));
  return s;
}

}  // namespace belay::backend::cpu::onednn
