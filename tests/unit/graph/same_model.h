// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "graph/model/graph.h"

namespace belay::graph {

// The first difference between two models, by its path; empty when they say the same. What an .om file does not keep
// (descriptions of open ports) does not count.
class SameModel {
 public:
  static std::string difference(const Model& a, const Model& b) {
    SameModel check;
    check.same("name", a.name == b.name);
    check.same("graph count", a.graphs.size() == b.graphs.size());
    for (size_t i = 0; i < std::min(a.graphs.size(), b.graphs.size()); ++i) check.graphs(a.graphs[i], b.graphs[i]);
    check.attributes("model", a.attributes, b.attributes);
    return check.found_;
  }
  static std::string difference(const Graph& a, const Graph& b) {
    SameModel check;
    check.graphs(a, b);
    return check.found_;
  }

 private:
  void same(const std::string& what, bool equal) {
    if (!equal && found_.empty()) found_ = path_ + what;
  }

  void constants(const std::string& what, const Constant& a, const Constant& b) {
    same(what + " type", a.type == b.type);
    same(what + " shape", a.shape == b.shape);
    same(what + " format", a.format == b.format);
    same(what + " bytes", std::ranges::equal(a.bytes, b.bytes));
  }

  void values(const std::string& what, const AttributeValue& a, const AttributeValue& b) {
    same(what + " kind " + std::to_string(a.index()) + " became " + std::to_string(b.index()), a.index() == b.index());
    if (a.index() != b.index()) return;
    std::visit(
        [&](const auto& left) {
          using Held = std::decay_t<decltype(left)>;
          const auto& right = std::get<Held>(b);
          if constexpr (std::is_same_v<Held, Constant>) {
            constants(what, left, right);
          } else if constexpr (std::is_same_v<Held, std::vector<Constant>>) {
            same(what + " size", left.size() == right.size());
            for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) constants(what, left[i], right[i]);
          } else if constexpr (std::is_same_v<Held, std::shared_ptr<Graph>>) {
            graphs(*left, *right);
          } else {
            same(what, left == right);
          }
        },
        a);
  }

  void attributes(const std::string& what, const Attributes& a, const Attributes& b) {
    for (const auto& [name, value] : a) {
      const auto other = b.find(name);
      same(what + " lost " + name, other != b.end());
      if (other != b.end()) values(what + "." + name, value.value, other->second.value);
    }
    for (const auto& [name, value] : b) same(what + " gained " + name, a.contains(name));
  }

  void descs(const std::string& what, const TensorDesc& a, const TensorDesc& b) {
    same(what + " name", a.name == b.name);
    same(what + " type", a.type == b.type);
    same(what + " shape", a.shape == b.shape);
    same(what + " format", a.format == b.format);
    same(what + " origin shape", a.origin_shape == b.origin_shape);
    same(what + " origin format", a.origin_format == b.origin_format);
    same(what + " range", a.range == b.range);
    attributes(what, a.attributes, b.attributes);
  }

  void nodes(const Node& a, const Node& b) {
    same("name", a.name == b.name);
    same("type", a.type == b.type);
    same("inputs", a.inputs == b.inputs);
    same("control", a.control_inputs == b.control_inputs);
    same("subgraphs", a.subgraphs == b.subgraphs);
    same("input descs", a.input_descs.size() == b.input_descs.size());
    for (size_t i = 0; i < std::min(a.input_descs.size(), b.input_descs.size()); ++i)
      if (a.inputs[i].connected() || is_graph_input(a))
        descs("input " + std::to_string(i), a.input_descs[i], b.input_descs[i]);
    same("outputs", a.outputs.size() == b.outputs.size());
    for (size_t i = 0; i < std::min(a.outputs.size(), b.outputs.size()); ++i)
      descs("output " + std::to_string(i), a.outputs[i], b.outputs[i]);
    attributes("attributes", a.attributes, b.attributes);
  }

  void graphs(const Graph& a, const Graph& b) {
    const std::string outer = path_;
    path_ += a.name + "/";
    same("graph name", a.name == b.name);
    same("node count", a.nodes.size() == b.nodes.size());
    for (size_t i = 0; i < std::min(a.nodes.size(), b.nodes.size()); ++i) {
      path_ = outer + a.name + "/" + a.nodes[i].name + " ";
      nodes(a.nodes[i], b.nodes[i]);
    }
    path_ = outer + a.name + "/";
    attributes("graph", a.attributes, b.attributes);
    path_ = outer;
  }

  std::string path_, found_;
};

}  // namespace belay::graph
