// SPDX-License-Identifier: Apache-2.0
#include "graph/model/schema.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "base/text.h"
#include "graph/model/schema_text.h"

namespace belay::graph {

extern const std::string_view ge_ops, more_ops;

namespace {

// The lines of both tables by operator. A line is parsed when first asked for: few of them ever are.
class Table {
 public:
  Table() {
    add_lines(ge_ops);
    add_lines(more_ops);
    std::ranges::sort(lines_);
    names_.reserve(lines_.size());
    for (const std::string_view line : lines_) names_.push_back(line.substr(0, line.find('\t')));
  }

  const Schema* find(std::string_view op) {
    const auto name = std::ranges::lower_bound(names_, op);
    if (name == names_.end() || *name != op) return nullptr;
    std::lock_guard lock(mutex_);
    auto& schema = parsed_[*name];
    if (!schema) schema = std::make_unique<Schema>(parse_schema(lines_[name - names_.begin()]));
    return schema.get();
  }

  std::span<const std::string_view> names() const { return names_; }

 private:
  void add_lines(std::string_view text) {
    text.remove_prefix(text.find('\n') + 1);  // the heading
    while (!text.empty()) {
      const size_t end = text.find('\n');
      lines_.push_back(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }

  std::vector<std::string_view> lines_, names_;  // constant after construction, in one order

  std::mutex mutex_;
  std::map<std::string_view, std::unique_ptr<Schema>> parsed_;
};

Table& table() {
  static Table& only = *new Table;  // left to the system at exit
  return only;
}

}  // namespace

int Schema::input(std::string_view name, size_t total) const {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].kind != PortKind::Dynamic) {
      if (inputs[i].name == name) return static_cast<int>(i);
      continue;
    }
    if (total == 0 && name.starts_with(inputs[i].name))
      if (const auto member = parse_number(name.substr(inputs[i].name.size()))) return static_cast<int>(i + *member);
    const auto names = port_names(inputs, total);
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }
  return -1;
}

const AttributeSchema* Schema::attribute(std::string_view name) const {
  const auto found = std::ranges::find(attributes, name, &AttributeSchema::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::vector<std::string> port_names(std::span<const Port> ports, size_t total) {
  const size_t dynamic = std::ranges::count(ports, PortKind::Dynamic, &Port::kind);
  const size_t fixed = ports.size() - dynamic;
  size_t members = total > fixed ? total - fixed : 0;
  size_t left = dynamic;
  std::vector<std::string> names;
  for (const Port& port : ports) {
    if (port.kind != PortKind::Dynamic) {
      names.push_back(port.name);
      continue;
    }
    const size_t share = (members + left - 1) / left;
    members -= share;
    --left;
    for (size_t i = 0; i < share; ++i) names.push_back(port.name + std::to_string(i));
  }
  names.resize(std::min(names.size(), total));
  return names;
}

const Schema* find_schema(std::string_view op) { return table().find(op); }

std::span<const std::string_view> schema_names() { return table().names(); }

Status apply_defaults(Node& node) {
  const Schema* schema = find_schema(node.type);
  if (!schema) return {};
  for (const AttributeSchema& attribute : schema->attributes) {
    if (node.attributes.contains(attribute.name)) continue;
    if (attribute.required)
      return {ACL_ERROR_PARSE_MODEL,
              formatted("{} {}: attribute {} ({}) is required", node.type, node.name, attribute.name, attribute.type)};
    if (attribute.fallback.index() != 0) node.attributes[attribute.name].value = attribute.fallback;
  }
  return {};
}

}  // namespace belay::graph
