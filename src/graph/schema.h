// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/graph.h"

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

// The declaration of a GE operator: its ports and attributes. Made from ge-ops.tsv at build time, plus ours.
struct Schema {
  std::string op;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<AttributeSchema> attributes;

  // Index of a port by name; a dynamic port's members are "x0", "x1"... -1 when there is none.
  int input(std::string_view name) const;
};

// Null for a type nobody declared.
const Schema* find_schema(std::string_view op);
// All types, sorted: for messages that name the closest ones.
std::span<const std::string_view> schema_names();
// Fills in the defaults that a node does not give; 100013-class error naming node and attribute when a required one is
// missing.
Status apply_defaults(Node& node);

}  // namespace belay::graph
