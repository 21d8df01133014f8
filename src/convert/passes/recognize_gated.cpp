// SPDX-License-Identifier: Apache-2.0
// x * f(x): Swish, HardSwish and Mish as exporters write them.
#include "convert/passes/matching.h"
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

using graph::Edge;

struct Gate {
  std::vector<int> members;
  const char* type = nullptr;  // null: no gate that we know
};

bool alone(const GraphEditor& editor, int index) { return editor.user_count(index) == 1; }

// min(max(x + 3, 0), 6).
bool is_shifted_relu6(const GraphEditor& editor, Edge edge, Edge x, std::vector<int>& members) {
  const int clip = editor.producer(edge, "ClipByValue");
  if (clip < 0 || !alone(editor, clip)) return false;
  const auto& inputs = editor.node(clip).inputs;
  const auto low = editor.scalar(inputs[1]), high = editor.scalar(inputs[2]);
  if (!low || !high || *low != 0 || *high != 6 || !alone(editor, inputs[0].node)) return false;
  if (beside_scalar(editor, inputs[0].node, "Add", 3) != x) return false;
  members.insert(members.end(), {inputs[0].node, clip});
  return true;
}

// What multiplies x.
Gate gate_of(const GraphEditor& editor, Edge factor, Edge x) {
  const auto& node = editor.node(factor.node);
  if (node.inputs.empty() || !alone(editor, factor.node)) return {};
  const bool of_x = node.inputs[0] == x;
  if (node.type == "Sigmoid" && of_x) return {{factor.node}, "Swish"};
  if (node.type == "HardSigmoid" && of_x && about(graph::get_or<float>(node.attributes, "alpha", 0), 1.0 / 6) &&
      about(graph::get_or<float>(node.attributes, "beta", 0), 0.5))
    return {{factor.node}, "HardSwish"};
  if (node.type == "Tanh") {
    const int soft = editor.producer(node.inputs[0], "Softplus");
    if (soft >= 0 && editor.node(soft).inputs[0] == x && alone(editor, soft)) return {{soft, factor.node}, "Mish"};
  }
  for (const auto& [type, six] : {std::pair{"RealDiv", 6.0}, {"Mul", 1.0 / 6}}) {
    const Edge clipped = beside_scalar(editor, factor.node, type, six);
    Gate gate{{factor.node}, "HardSwish"};
    if (clipped.connected() && is_shifted_relu6(editor, clipped, x, gate.members)) return gate;
  }
  return {};
}

// (x * relu6(x + 3)) / 6: the division comes last.
bool try_late_division(GraphEditor& editor, int product, Edge factor, Edge x) {
  Gate gate{{product}, "HardSwish"};
  if (!is_shifted_relu6(editor, factor, x, gate.members)) return false;
  int last = reader_with_scalar(editor, product, "RealDiv", 6);
  if (last < 0) last = reader_with_scalar(editor, product, "Mul", 1.0 / 6);
  if (last < 0) return false;
  gate.members.push_back(last);
  replace(editor, gate.members, last, "HardSwish", {x}, {});
  return true;
}

bool try_gate(GraphEditor& editor, int product) {
  for (const size_t port : {0, 1}) {
    const Edge x = editor.node(product).inputs[port], factor = editor.node(product).inputs[1 - port];
    if (!x.connected() || !factor.connected() || x == factor) continue;
    Gate gate = gate_of(editor, factor, x);
    if (gate.type) {
      gate.members.push_back(product);
      replace(editor, gate.members, product, gate.type, {x}, {});
      return true;
    }
    if (try_late_division(editor, product, factor, x)) return true;
  }
  return false;
}

}  // namespace

PassEffect recognize_gated(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    if (editor.removed(i) || editor.node(i).type != "Mul" || editor.node(i).inputs.size() != 2) continue;
    const bool done = try_gate(editor, i);
    effect.matched += done;
    effect.effective += done;
  }
  return effect;
}

}  // namespace belay::convert
