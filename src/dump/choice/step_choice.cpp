// SPDX-License-Identifier: Apache-2.0
#include "dump/choice/step_choice.h"

#include "dump/format/names.h"

namespace belay::dump {
namespace {

using backend::Layout;
using backend::Tensor;
using executor::NodeStep;

// The shape of the tensor's memory, and the format that says it; unchanged when there is none.
void show_as_stored(Tensor& tensor, ChosenTensor& chosen) {
  const graph::Shape& shape = tensor.shape;
  if (tensor.layout == Layout::Plain || shape.size() < 4 || shape.size() > 5) return;
  graph::Shape stored{shape[0]};
  stored.insert(stored.end(), shape.begin() + 2, shape.end());
  stored.push_back(shape[1]);
  chosen.format = static_cast<int32_t>(shape.size() == 4 ? graph::Format::NHWC : graph::Format::NDHWC);
  chosen.sub_format = 0;
  chosen.original_shape = shape;
  chosen.stored = true;
  chosen.constant = nullptr;  // whose bytes are in the other order
  chosen.measured = nullptr;
  tensor.shape = stored;
  tensor.layout = Layout::Plain;
}

void add(std::vector<Tensor>& tensors, std::vector<ChosenTensor>& chosen, const Tensor& tensor, ChosenTensor choice) {
  choice.port = tensors.size();
  tensors.push_back(tensor);
  show_as_stored(tensors.back(), choice);
  chosen.push_back(std::move(choice));
}

// A tensor of the node or of a member, of which only the descriptions are known.
ChosenTensor describe(const NodeStep& step, const ChosenNode& whole, bool input, size_t port) {
  const auto& known = input ? whole.inputs : whole.outputs;
  if (step.part == step.node) return port < known.size() ? known[port] : ChosenTensor{};
  if (input) return choose_input(*step.part, port);
  return port < step.part->outputs.size() ? choose_output(*step.part, port) : ChosenTensor{};
}

}  // namespace

ChosenStep choose_step(Mode mode, const NodeStep& step, const ChosenNode& whole, std::span<const Tensor> inputs,
                       std::span<const Tensor> outputs) {
  const std::string name = step.node->name + "_" + step.name();
  ChosenStep chosen{.node = {.stem = mangled(step.type()) + "." + mangled(name), .name = name}};
  const bool computes = step.kind == NodeStep::Kind::Computes;
  const bool before = step.kind == NodeStep::Kind::ChangesInput;  // both sides of a change are the same tensor
  if (mode != Mode::Output)
    for (size_t i = 0; i < inputs.size(); ++i)
      add(chosen.inputs, chosen.node.inputs, inputs[i],
          describe(step, whole, computes || before, computes ? i : step.port));
  if (mode != Mode::Input)
    for (size_t o = 0; o < outputs.size(); ++o)
      add(chosen.outputs, chosen.node.outputs, outputs[o], describe(step, whole, before, computes ? o : step.port));
  return chosen;
}

}  // namespace belay::dump
