// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

#include "graph/model/graph.h"

namespace belay::graph {

// Makes models that no converter would make: every kind of attribute, open ports, control edges, nested graphs.
class RandomModel {
 public:
  explicit RandomModel(unsigned seed) : random_(seed) {}

  Model make() {
    Model model{.name = "model_" + text(6)};
    model.attributes = attributes(2);
    const int graphs = number(1, 3);
    for (int i = 0; i < graphs; ++i) model.graphs.push_back(graph("graph_" + std::to_string(i), number(1, 12), 2));
    if (graphs > 1) {  // the first graph refers to the others
      Node& last = model.graphs[0].nodes.back();
      for (int i = 1; i < graphs; ++i) last.subgraphs.push_back(model.graphs[i].name);
    }
    return model;
  }

 private:
  int number(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool coin() { return number(0, 1) == 1; }
  int64_t big() { return static_cast<int64_t>(random_()) * (coin() ? 1 : -1); }
  float real() { return std::uniform_real_distribution<float>(-1e6f, 1e6f)(random_); }

  std::string text(int length) {
    static const std::string letters = "abcXYZ019_:/é. ";
    std::string made;
    while (static_cast<int>(made.size()) < length) made += letters[number(0, static_cast<int>(letters.size()) - 1)];
    return made;
  }
  DataType type() {
    static const DataType types[] = {DataType::Float, DataType::Float16, DataType::Int8,     DataType::Int64,
                                     DataType::Bool,  DataType::Int4,    DataType::BFloat16, DataType::Double};
    return types[number(0, 7)];
  }
  Shape shape() {
    Shape made;
    for (int rank = number(0, 4); rank > 0; --rank) made.push_back(number(0, 5));
    return made;
  }
  Format format() { return coin() ? Format::NCHW : coin() ? Format::ND : Format::NHWC; }

  template <class Make>
  auto list(Make make) {
    std::vector<decltype(make())> made;
    for (int count = number(0, 4); count > 0; --count) made.push_back(make());
    return made;
  }

  Constant constant() {
    const DataType of = type();
    Shape dims = shape();
    std::vector<uint8_t> bytes(bytes_of(of, element_count(dims)));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(number(0, 3));  // few values: some constants are equal
    Constant made = make_constant(of, std::move(dims), bytes);
    made.format = format();
    return made;
  }

  AttributeValue value(int depth) {
    switch (number(0, depth > 0 ? 15 : 13)) {
      case 0:
        return coin();
      case 1:
        return big();
      case 2:
        return real();
      case 3:
        return text(number(0, 200));
      case 4:
        return type();
      case 5:
        return list([&] { return coin(); });
      case 6:
        return list([&] { return big(); });
      case 7:
        return list([&] { return real(); });
      case 8:
        return list([&] { return text(number(0, 9)); });
      case 9:
        return list([&] { return type(); });
      case 10:
        return list([&] { return list([&] { return big(); }); });
      case 11:
        return list([&] { return list([&] { return real(); }); });
      case 12:
        return EncodedAttribute{
            std::string("\x3a\x03"
                        "abc",
                        5)};  // field 7, bytes: AttrDef.bt
      case 13:
        return constant();
      case 14:
        return list([&] { return constant(); });
      default:
        return std::make_shared<Graph>(graph("nested", number(1, 4), depth - 1));
    }
  }
  Attributes attributes(int depth) {
    Attributes made;
    for (int count = number(0, 6); count > 0; --count)
      made["attr_" + std::to_string(number(0, 300))].value = value(depth);
    return made;
  }

  TensorDesc desc() {
    TensorDesc made{.name = coin() ? text(4) : "", .type = type(), .shape = shape(), .format = format()};
    made.origin_shape = coin() ? made.shape : shape();
    made.origin_format = format();
    if (coin()) made.range = {{1, number(1, 9)}, {0, -1}};
    made.attributes = attributes(0);
    return made;
  }

  Node node(const Graph& graph, int index, int depth) {
    static const char* const types[] = {"Conv2D", "Add", "ConcatV2", "MadeUp+Fused", "FusedInferAttentionScore"};
    Node made{.name = text(3) + std::to_string(index), .type = types[number(0, 4)]};
    for (int count = number(0, 4); count > 0; --count) {
      const int producer = index > 0 && coin() ? number(0, index - 1) : -1;
      const int outputs = producer < 0 ? 0 : static_cast<int>(graph.nodes[producer].outputs.size());
      made.inputs.push_back(outputs > 0 ? Edge{producer, number(0, outputs - 1)} : Edge{});
      made.input_descs.push_back(desc());
    }
    if (index > 0 && coin()) made.control_inputs.push_back(number(0, index - 1));
    for (int count = number(0, 3); count > 0; --count) made.outputs.push_back(desc());
    made.attributes = attributes(depth);
    return made;
  }

  Graph graph(std::string name, int nodes, int depth) {
    Graph made{.name = std::move(name)};
    for (int i = 0; i < nodes; ++i) {
      Node next = node(made, i, depth);
      const int kind = number(0, 5);
      if (kind == 0) {
        next = {.name = next.name, .type = "Data", .inputs = {Edge{}}, .input_descs = {desc()}, .outputs = {desc()}};
        next.attributes["index"] = number(0, 3);
      } else if (kind == 1) {
        next = {.name = next.name, .type = "Const", .outputs = {desc()}};
        next.attributes["value"] = constant();
      }
      made.nodes.push_back(std::move(next));
    }
    made.attributes = attributes(depth);
    return made;
  }

  std::mt19937 random_;
};

}  // namespace belay::graph
