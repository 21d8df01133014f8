// SPDX-License-Identifier: Apache-2.0
#include "graph/model/schema_text.h"

#include <cstdlib>

#include "base/text.h"

namespace belay::graph {
namespace {

// Calls `each` with every non-empty trimmed piece. Separators inside quotes or braces do not count.
template <class Each>
void split(std::string_view text, char separator, Each each) {
  int depth = 0;
  bool quoted = false;
  size_t start = 0;
  const auto piece = [&](size_t end) {
    const auto trimmed_piece = trimmed(text.substr(start, end - start));
    if (!trimmed_piece.empty()) each(trimmed_piece);
    start = end + 1;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    depth += (text[i] == '{') - (text[i] == '}');
    if (depth == 0 && text[i] == separator) piece(i);
  }
  piece(text.size());
}

std::string_view until(std::string_view& rest, char separator) {
  const size_t at = rest.find(separator);
  const auto first = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view{} : rest.substr(at + 1);
  return first;
}

std::vector<Port> parse_ports(std::string_view text) {
  std::vector<Port> ports;
  split(text, ',', [&](std::string_view name) {
    Port port;
    if (name.back() == '?') port.kind = PortKind::Optional;
    if (name.back() == '*') port.kind = PortKind::Dynamic;
    if (port.kind != PortKind::Required) name.remove_suffix(1);
    port.name = name;
    ports.push_back(std::move(port));
  });
  return ports;
}

DataType parse_type(std::string_view text) { return text == "DT_BF16" ? DataType::BFloat16 : type_named(text); }

int64_t parse_int(std::string_view text) {
  if (text.starts_with("DT_")) return static_cast<int64_t>(parse_type(text));
  return std::strtoll(std::string(text).c_str(), nullptr, 0);
}

// "1e-5f", "1.f / 4".
float parse_float(std::string_view text) {
  const auto number = [](std::string_view each) { return std::strtof(std::string(trimmed(each)).c_str(), nullptr); };
  std::string_view rest = text;
  const float numerator = number(until(rest, '/'));
  return rest.empty() ? numerator : numerator / number(rest);
}

bool parse_bool(std::string_view text) { return text == "true"; }
std::string parse_string(std::string_view text) { return std::string(text.substr(1, text.size() - 2)); }

// "{a, b}" by the parser of its elements.
template <class Parse>
auto parse_list(std::string_view text, Parse parse) {
  std::vector<decltype(parse(text))> list;
  split(text.substr(1, text.size() - 2), ',', [&](std::string_view each) { list.push_back(parse(each)); });
  return list;
}

std::vector<int64_t> parse_ints(std::string_view text) {
  if (text == "ge::UNKNOWN_RANK") return {-2};
  if (text == "ge::UNKNOWN_SHAPE") return {-1};
  return parse_list(text, parse_int);
}

AttributeValue parse_default(std::string_view type, std::string_view text) {
  if (type == "Int") return parse_int(text);
  if (type == "Float") return parse_float(text);
  if (type == "Bool") return parse_bool(text);
  if (type == "String") return parse_string(text);
  if (type == "Type") return parse_type(text);
  if (type == "ListInt") return parse_ints(text);
  if (type == "ListFloat") return parse_list(text, parse_float);
  if (type == "ListBool") return parse_list(text, parse_bool);
  if (type == "ListString") return parse_list(text, parse_string);
  if (type == "ListType") return parse_list(text, parse_type);
  if (type == "ListListInt") return parse_list(text, parse_ints);
  return {};  // a tensor's default is no tensor
}

// "name:Type!", "name:Type=default".
AttributeSchema parse_attribute(std::string_view text) {
  AttributeSchema attribute;
  attribute.name = until(text, ':');
  const bool has_default = text.find('=') != std::string_view::npos;
  std::string_view type = until(text, '=');
  attribute.required = type.ends_with('!');
  if (attribute.required) type.remove_suffix(1);
  attribute.type = type;
  if (has_default) attribute.fallback = parse_default(type, text);
  return attribute;
}

}  // namespace

Schema parse_schema(std::string_view line) {
  Schema schema;
  schema.op = until(line, '\t');
  schema.inputs = parse_ports(until(line, '\t'));
  schema.outputs = parse_ports(until(line, '\t'));
  split(until(line, '\t'), ';', [&](std::string_view each) {
    constexpr std::string_view graph = "graph ";
    if (each.starts_with(graph))
      schema.graphs.emplace_back(each.substr(graph.size()));
    else
      schema.attributes.push_back(parse_attribute(each));
  });
  return schema;
}

}  // namespace belay::graph
