// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "graph/ge_ir/emitter.h"
#include "graph/model/schema.h"

namespace belay::graph {
namespace {

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

// The names of a node's ports; those beyond its declaration are numbered.
Texts names_of(const std::vector<Port>* ports, size_t count, const char* prefix) {
  Texts names = ports ? port_names(*ports, count) : Texts{};
  while (names.size() < count) names.push_back(prefix + std::to_string(names.size()));
  return names;
}

void add_ports(Attributes& attributes, const std::string& key, const Texts& names) {
  std::map<std::string, int64_t> sorted;
  for (const std::string& name : names) sorted.emplace(name, static_cast<int64_t>(sorted.size()));
  Texts keys;
  Numbers values;
  for (const auto& [name, index] : sorted) {
    keys.push_back(name);
    values.push_back(index);
  }
  attributes[key + "_key"] = std::move(keys);
  attributes[key + "_value"] = std::move(values);
}

void add_declared(Attributes& attributes, const std::string& key, const std::vector<Port>& ports) {
  Texts keys;
  Numbers kinds;
  for (const Port& port : ports) {
    keys.push_back(port.name);
    kinds.push_back(static_cast<int64_t>(port.kind));
  }
  attributes[key + "_key"] = std::move(keys);
  attributes[key + "_value"] = std::move(kinds);
}

}  // namespace

Attributes bookkeeping_of(const Node& node, bool with_attribute_names) {
  const bool declared = node.type != "NetOutput";
  const Schema* schema = declared ? find_schema(node.type) : nullptr;
  Attributes attributes;
  add_ports(attributes, "_input_name",
            names_of(schema ? &schema->inputs : nullptr, node.input_descs.size(), "__input"));
  add_ports(attributes, "_output_name", names_of(schema ? &schema->outputs : nullptr, node.outputs.size(), "__output"));
  if (!schema) return attributes;
  Texts optional, names;
  for (const Port& port : schema->inputs)
    if (port.kind == PortKind::Optional) optional.push_back(port.name);
  for (const AttributeSchema& attribute : schema->attributes) names.push_back(attribute.name);
  attributes["_opt_input"] = std::move(optional);
  if (with_attribute_names) attributes["_ir_attr_names"] = std::move(names);
  add_declared(attributes, "_ir_inputs", schema->inputs);
  add_declared(attributes, "_ir_outputs", schema->outputs);
  return attributes;
}

}  // namespace belay::graph
