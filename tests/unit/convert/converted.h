// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "convert/convert.h"
#include "support/onnx_writer.h"

namespace belay::convert {

inline Result<Converted> convert_text(const std::string& model, ConvertOptions options = {}) {
  if (options.name.empty()) options.name = "net";
  const test::OnnxImage image(model);
  return convert_onnx(image.bytes(), image.owner, ".", options);
}

// The main graph of the converted model; an empty one, and a failure, when it cannot be converted.
inline graph::Graph converted_graph(const test::OnnxWriter& writer, const ConvertOptions& options = {}) {
  const auto converted = convert_text(writer.model(), options);
  EXPECT_TRUE(converted.ok()) << (converted.ok() ? "" : converted.status().message);
  return converted.ok() ? (*converted).model->main() : graph::Graph{};
}

// "name:Type" of every node that computes: no inputs, constants, outputs.
inline std::vector<std::string> computing(const graph::Graph& graph) {
  std::vector<std::string> names;
  for (const auto& node : graph.nodes)
    if (!graph::is_graph_input(node) && !graph::is_constant(node) && node.type != "NetOutput")
      names.push_back(node.name + ":" + node.type);
  return names;
}

inline const graph::Node& node_named(const graph::Graph& graph, const std::string& name) {
  static const graph::Node none;
  const int index = graph.find(name);
  EXPECT_GE(index, 0) << "no node " << name;
  return index < 0 ? none : graph.nodes[static_cast<size_t>(index)];
}

template <class T>
T attribute(const graph::Attributes& attributes, const std::string& name) {
  const T* found = graph::get_if<T>(attributes, name);
  EXPECT_TRUE(found) << "no attribute " << name;
  return found ? *found : T{};
}

using Names = std::vector<std::string>;

// The value of the constant that feeds an input of a node.
template <class T>
std::vector<T> constant_input(const graph::Graph& graph, const graph::Node& node, size_t port) {
  const auto& producer = graph.nodes[static_cast<size_t>(node.inputs.at(port).node)];
  const auto value = attribute<graph::Constant>(producer.attributes, "value");
  std::vector<T> elements(value.bytes.size() / sizeof(T));
  std::memcpy(elements.data(), value.bytes.data(), value.bytes.size());
  return elements;
}

}  // namespace belay::convert
