// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::graph {

enum class PortKind { Required, Optional, Dynamic };

struct Port {
  std::string name;
  PortKind kind = PortKind::Required;
};

struct AttributeSchema {
  std::string name;
  std::string type;  // as in ge-ops.tsv: "Int", "ListInt", "Float", "Bool", "String", "Type", "Tensor"...
  bool required = false;
  AttributeValue fallback;  // monostate: no default
};

// The declaration of a GE operator: its ports and attributes. From ge_ops.tsv and more_ops.tsv beside this file.
struct Schema {
  std::string op;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<AttributeSchema> attributes;
  std::vector<std::string> graphs;  // of control operators: "then_branch", "else_branch"

  // Index of an input by name; a dynamic port's members are "x0", "x1"... -1 when there is none. `total` is the node's
  // number of inputs: needed for a port that stands after a dynamic one.
  int input(std::string_view name, size_t total = 0) const;
  const AttributeSchema* attribute(std::string_view name) const;
};

// The names of a node's ports when it has `total` of them: a dynamic port "x" becomes "x0", "x1"... Several dynamic
// ports share evenly.
std::vector<std::string> port_names(std::span<const Port> ports, size_t total);

// Null for a type nobody declared.
const Schema* find_schema(std::string_view op);
// All types, sorted: for messages that name the closest ones.
std::span<const std::string_view> schema_names();
// Fills in the defaults that a node does not give; 100013 naming node and attribute when a required one is missing. A
// type nobody declared has none.
Status apply_defaults(Node& node);

}  // namespace belay::graph
