// SPDX-License-Identifier: Apache-2.0
#include "operators/roundings.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "operators/promotion.h"

namespace belay::operators {
namespace {

// Operators whose result is the same whether their inputs are rounded before or their output after: they move elements,
// choose among them or change the sign.
constexpr std::string_view kKeepers[] = {
    "Abs",
    "BroadcastTo",
    "ConcatD",
    "Const",
    "Data",
    "GatherElements",
    "GatherNd",
    "GatherV2",
    "Maximum",
    "Minimum",
    "Neg",
    "NetOutput",
    "Pack",
    "PadV3",
    "ReduceMax",
    "ReduceMin",
    "Relu",
    "Reshape",
    "ReverseV2",
    "Roll",
    "SelectV2",
    "SplitV",
    "StridedSlice",
    "StridedSliceV2",
    "TensorScatterUpdate",
    "Tile",
    "Transpose",
};

bool keeps(const graph::Node& node) { return std::ranges::find(kKeepers, node.type) != std::end(kKeepers); }

// Of the outputs of a node: as exact as the inputs; a constant that was rounded; a result that was.
enum class State : uint8_t { Exact, Constant, Rounded };

}  // namespace

bool rounds_on_the_way(const graph::Graph& graph, std::span<const int> inexact) {
  std::vector<State> states(graph.nodes.size(), State::Exact);
  for (const int node : inexact) states[static_cast<size_t>(node)] = State::Constant;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    State worst = states[i];
    for (const graph::Edge& edge : node.inputs)
      if (edge.connected()) worst = std::max(worst, states[static_cast<size_t>(edge.node)]);
    const bool narrow =
        std::ranges::any_of(node.outputs, [](const graph::TensorDesc& desc) { return is_narrow(desc.type); });
    if (keeps(node)) {
      states[i] = worst;
      continue;
    }
    // What is compared with a number is compared with the number as the tensor's type has it.
    if (worst == State::Rounded || (worst == State::Constant && narrow)) return true;
    if (narrow) states[i] = State::Rounded;
  }
  return false;
}

}  // namespace belay::operators
