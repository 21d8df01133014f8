// SPDX-License-Identifier: Apache-2.0
#include "compare/matching/identity.h"

#include <optional>

#include "base/text.h"
#include "dump/format/names.h"

namespace belay::compare {
namespace {

constexpr size_t kMostOutputs = 1 << 20;  // an index beyond it says that none is known

// `text` without `before` and the number at its end; nothing when it does not end so.
std::optional<Origin> without_number(const std::string& text, const std::string& before) {
  const size_t at = text.rfind(before);
  if (at == std::string::npos || at == 0) return {};
  const auto number = parse_number(std::string_view(text).substr(at + before.size()));
  if (!number || *number > kMostOutputs) return {};
  return Origin{text.substr(0, at), static_cast<size_t>(*number)};
}

void add_readings(const std::string& name, std::vector<Origin>& readings) {
  for (const char* before : {":", "_output_", "."})
    if (auto reading = without_number(name, before)) readings.push_back(std::move(*reading));
  readings.push_back({name, 0});
}

// "aclnnAdd_L0" of the type "aclnnAdd_17_L0"; "" for types of graph operators.
std::string aclnn_call(const std::string& type) {
  if (!type.starts_with("aclnn") || type.size() < 5 || (!type.ends_with("_L0") && !type.ends_with("_L2"))) return "";
  const std::string numbered = type.substr(0, type.size() - 3);
  const auto call = without_number(numbered, "_");
  return call ? call->name + type.substr(type.size() - 3) : "";
}

std::string call_before_name(const SideTensor& tensor) {
  const std::string call = aclnn_call(tensor.op_type);
  return call.empty() ? "" : call + ".";
}

}  // namespace

Identity identity_of(const SideTensor& tensor, const FusionMap& fusion) {
  Identity identity{{tensor.op, tensor.index}};
  if (tensor.input) return identity;
  if (const auto named = fusion.tensors.find(dump::mangled(tensor.tensor)); named != fusion.tensors.end())
    return {named->second, MatchedBy::TensorName, true};
  const auto known = fusion.ops.find(dump::mangled(tensor.op));
  if (known != fusion.ops.end()) {
    const FusedOp& op = known->second;
    if (tensor.index < op.outputs.size() && !op.outputs[tensor.index].name.empty())
      identity.value = op.outputs[tensor.index], identity.told = true;
    else if (!op.members.empty())
      identity.value.name = op.members.back(), identity.told = true;
    if (identity.told) identity.by = MatchedBy::Fusion;
  }
  if (!identity.told && !tensor.origin.empty()) {
    identity = {{tensor.origin, tensor.origin_index}, MatchedBy::Origin, true};
    if (identity.value.index > kMostOutputs) identity.value.index = tensor.index;
  }
  if (dump::mangled(identity.value.name) == dump::mangled(tensor.op)) identity.by = MatchedBy::Name;
  return identity;
}

std::string own_name(const SideTensor& tensor) { return call_before_name(tensor) + dump::mangled(tensor.op); }

std::string exact_name(const SideTensor& tensor) { return call_before_name(tensor) + tensor.op; }

std::vector<Origin> readings_of(const SideTensor& tensor) {
  std::vector<Origin> readings;
  if (tensor.tensor.empty()) return readings;
  add_readings(tensor.tensor, readings);
  if (!tensor.place.empty()) add_readings((tensor.place / tensor.tensor).string(), readings);
  return readings;
}

bool is_inserted(const SideTensor& tensor) {
  return tensor.op_type == "TransData" || (tensor.op.starts_with("trans_") && !tensor.origin.empty());
}

bool name_is_made_of_members(const SideTensor& tensor, const Identity& identity) {
  const std::string own = dump::mangled(tensor.op), last = dump::mangled(identity.value.name);
  return own.size() > last.size() && own.ends_with(last);
}

}  // namespace belay::compare
