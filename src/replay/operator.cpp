// SPDX-License-Identifier: Apache-2.0
#include "replay/operator.h"

#include "base/text.h"
#include "graph/infer/infer.h"

namespace belay::replay {
namespace {

using graph::Edge;
using graph::Node;
using graph::TensorDesc;

TensorDesc described(TensorDesc desc, const graph::Constant& value) {
  desc.type = value.type;
  desc.shape = desc.origin_shape = value.shape;
  desc.origin_format = desc.format;
  desc.range.clear();
  return desc;
}

Node source_of(const Input& input, const TensorDesc& desc, const std::string& name, int64_t& data) {
  Node source{.name = name, .type = input.constant ? "Const" : "Data"};
  source.outputs = {desc};
  if (input.constant) {
    source.attributes["value"] = input.value;
  } else {
    source.attributes["index"] = data++;
    source.inputs = {Edge{}};
    source.input_descs = {desc};
  }
  return source;
}

}  // namespace

Result<graph::Model> as_model(const Operator& op) {
  graph::Model made{.name = "single"};
  graph::Graph main{.name = "single"};
  Node node = op.node;
  node.control_inputs.clear();
  int64_t data = 0;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    node.inputs[i] = {};
    if (!op.inputs[i].present) continue;
    node.input_descs[i] = described(node.input_descs[i], op.inputs[i].value);
    node.inputs[i] = {static_cast<int>(main.nodes.size()), 0};
    main.nodes.push_back(source_of(op.inputs[i], node.input_descs[i], formatted("input_{}", i), data));
  }
  Node results{.name = "Node_Output", .type = "NetOutput"};
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    results.inputs.push_back({static_cast<int>(main.nodes.size()), static_cast<int>(i)});
    results.input_descs.push_back(node.outputs[i]);
  }
  main.nodes.push_back(std::move(node));
  main.nodes.push_back(std::move(results));
  made.graphs.push_back(std::move(main));
  made.graphs.insert(made.graphs.end(), op.graphs.begin(), op.graphs.end());
  TRY(graph::infer_shapes(made));
  TRY(made.check());
  return made;
}

std::vector<graph::Constant> given_inputs(const Operator& op) {
  std::vector<graph::Constant> given;
  for (const Input& input : op.inputs)
    if (input.present && !input.constant) given.push_back(input.value);
  return given;
}

}  // namespace belay::replay
