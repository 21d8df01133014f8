// SPDX-License-Identifier: Apache-2.0
#include "compare/matching/fusion_json.h"

#include <nlohmann/json.hpp>

#include "base/files/mapped_file.h"
#include "base/text.h"
#include "dump/format/names.h"

namespace belay::compare {
namespace {

using Json = nlohmann::json;

constexpr size_t kDeepest = 64;

Status no_fusion_json(const std::string& why) {
  return {
      ACL_ERROR_PARSE_FILE,
      formatted("this is not the JSON of a compiled model: {}; atc --mode=1 --om=MODEL.om --json=FILE makes it", why)};
}

const Json& member(const Json& object, const char* key) {
  static const Json& none = *new Json;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

// The value of an attribute in a list of {"key":…, "value":…}.
const Json& attribute(const Json& owner, const char* key) {
  static const Json& none = *new Json;
  const Json& list = member(owner, "attr");
  if (!list.is_array()) return none;
  for (const Json& entry : list)
    if (const Json& name = member(entry, "key"); name.is_string() && name.get_ref<const std::string&>() == key)
      return member(entry, "value");
  return none;
}

bool octal(char c) { return c >= '0' && c <= '7'; }

// Single strings are written with C's escapes.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
    } else if (i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) && octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      ++i;
      plain += text[i] == 'n' ? '\n' : text[i] == 't' ? '\t' : text[i] == 'r' ? '\r' : text[i];
    }
  }
  return plain;
}

Origin origin_of(const Json& output, size_t index) {
  Origin origin{.index = index};
  if (const Json& name = member(attribute(output, "_datadump_origin_name"), "s"); name.is_string())
    origin.name = unescaped(name.get<std::string>());
  const Json& at = member(attribute(output, "_datadump_origin_output_index"), "i");
  if (at.is_number_integer() && at.get<int64_t>() >= 0) origin.index = at.get<size_t>();
  return origin;
}

FusedOp read_op(const Json& op) {
  FusedOp fused;
  const Json& names = member(member(attribute(op, "_datadump_original_op_names"), "list"), "s");
  if (names.is_array())
    for (const Json& name : names)
      if (name.is_string()) fused.members.push_back(name.get<std::string>());
  const Json& outputs = member(op, "output_desc");
  if (outputs.is_array())
    for (size_t i = 0; i < outputs.size(); ++i) fused.outputs.push_back(origin_of(outputs[i], i));
  return fused;
}

void read_graph(const Json& graph, FusionMap& map) {
  const Json& ops = member(graph, "op");
  if (!ops.is_array()) return;
  for (const Json& op : ops)
    if (const Json& name = member(op, "name"); name.is_string())
      map.ops.insert_or_assign(dump::mangled(name.get<std::string>()), read_op(op));
}

// An ONNX file: its nodes, and what their outputs are called.
void read_nodes(const Json& nodes, FusionMap& map) {
  if (!nodes.is_array()) return;
  for (const Json& node : nodes) {
    const Json &name = member(node, "name"), &outputs = member(node, "output");
    if (!name.is_string() || name.get_ref<const std::string&>().empty() || !outputs.is_array()) continue;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].is_string())
        map.tensors.insert_or_assign(dump::mangled(outputs[i].get<std::string>()), Origin{name.get<std::string>(), i});
  }
}

}  // namespace

Result<FusionMap> parse_fusion_json(std::string_view text) {
  if (nesting_depth(text) > kDeepest) return no_fusion_json(formatted("it is nested deeper than {} levels", kDeepest));
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return no_fusion_json("it is not JSON");
  const Json& graphs = member(json, "graph");
  FusionMap map;
  if (graphs.is_object())
    read_nodes(member(graphs, "node"), map);
  else if (graphs.is_array())
    for (const Json& graph : graphs) read_graph(graph, map);
  else
    return no_fusion_json("it has no list called \"graph\"");
  if (map.ops.empty() && map.tensors.empty()) return no_fusion_json("its graphs have no operators");
  return map;
}

Result<FusionMap> read_fusion_json(const std::filesystem::path& file) {
  const auto mapped = TRY(MappedFile::open(file));
  const auto bytes = mapped->bytes();
  auto map = parse_fusion_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!map.ok()) return Status{map.status().code, formatted("{}: {}", file.string(), map.status().message)};
  return map;
}

}  // namespace belay::compare
