// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "compare/arrays/array_file.h"
#include "inspect/safetensors.h"

namespace belay::compare {
namespace {

using Bytes = std::span<const std::byte>;
using Json = nlohmann::json;

constexpr uint64_t kLongestHeader = 100'000'000;  // the format's own limit
constexpr size_t kDeepest = 16;

Status bad(const std::string& why) { return {ACL_ERROR_PARSE_FILE, "this is not a .safetensors file: " + why}; }

bool is_size(const Json& value) { return value.is_number_unsigned(); }

bool well_formed(const Json& entry) {
  if (!entry.is_object() || !entry.contains("dtype") || !entry.contains("shape") || !entry.contains("data_offsets"))
    return false;
  const Json &shape = entry["shape"], &offsets = entry["data_offsets"];
  return entry["dtype"].is_string() && shape.is_array() && std::ranges::all_of(shape, is_size) && offsets.is_array() &&
         offsets.size() == 2 && std::ranges::all_of(offsets, is_size);
}

Result<StoredTensor> read_entry(const std::string& name, const Json& entry, Bytes data) {
  if (!well_formed(entry)) return bad(formatted("{} has no type, shape and offsets", name));
  const auto begin = entry["data_offsets"][0].get<uint64_t>(), end = entry["data_offsets"][1].get<uint64_t>();
  if (begin > end || end > data.size()) return bad(formatted("{} lies outside of it", name));
  StoredTensor tensor{.type = inspect::type_of_safetensors(entry["dtype"].get<std::string>())};
  if (tensor.type == graph::DataType::Undefined)
    return Status{ACL_ERROR_UNSUPPORTED_DATA_TYPE,
                  formatted("{} is {}, which is not a known type", name, entry["dtype"].get<std::string>())};
  for (const Json& dim : entry["shape"]) {
    const auto size = dim.get<uint64_t>();
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return bad(formatted("{} has a dimension of {}", name, size));
    tensor.form.shape.push_back(static_cast<int64_t>(size));
  }
  const int64_t count = graph::element_count(tensor.form.shape);
  if (static_cast<uint64_t>(count) > 8 * data.size() || graph::bytes_of(tensor.type, count) != end - begin)
    return bad(formatted("{} is {} {}, but has {} bytes", name, entry["dtype"].get<std::string>(),
                         graph::to_text(tensor.form.shape), end - begin));
  tensor.logical = tensor.form;
  tensor.bytes = data.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  return tensor;
}

}  // namespace

Result<std::vector<NamedTensor>> parse_safetensors(Bytes file) {
  uint64_t length = 0;
  if (file.size() < sizeof length) return bad("it has no header");
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length || length > kLongestHeader) return bad("its header is longer than the file");
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + sizeof length, static_cast<size_t>(length));
  if (nesting_depth(text) > kDeepest) return bad("its header is nested too deep");
  std::set<std::string> names;
  std::string twice;
  const auto note_names = [&](int depth, nlohmann::ordered_json::parse_event_t event, nlohmann::ordered_json& key) {
    if (depth == 1 && event == nlohmann::ordered_json::parse_event_t::key)
      if (auto name = key.get<std::string>(); !names.insert(name).second) twice = std::move(name);
    return true;
  };
  const auto header = nlohmann::ordered_json::parse(text, note_names, false);
  if (!header.is_object()) return bad("its header is no JSON object");
  if (!twice.empty()) return bad(formatted("it has two arrays {}", twice));
  const Bytes data = file.subspan(sizeof length + static_cast<size_t>(length));
  std::vector<NamedTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    StoredTensor tensor = TRY(read_entry(name, Json(entry), data));
    tensors.push_back({name, std::move(tensor)});
  }
  std::map<const std::byte*, const NamedTensor*> places;
  for (const NamedTensor& tensor : tensors)
    if (!tensor.tensor.bytes.empty() && !places.emplace(tensor.tensor.bytes.data(), &tensor).second)
      return bad(formatted("{} begins where another does", tensor.name));
  const NamedTensor* before = nullptr;
  for (const auto& [begin, tensor] : places) {
    if (before && begin < before->tensor.bytes.data() + before->tensor.bytes.size())
      return bad(formatted("{} and {} overlap", before->name, tensor->name));
    before = tensor;
  }
  return tensors;
}

}  // namespace belay::compare
