// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/init_config.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/exception_words.h"
#include "base/files/file.h"
#include "base/text.h"

namespace belay {
namespace {

using Json = nlohmann::json;

constexpr size_t most_bytes = 10 << 20;
constexpr size_t deepest = 10;
constexpr uint64_t KiB = 1 << 10;
constexpr uint64_t MiB = 1 << 20;

Status wrong(aclError code, std::string message) {
  return {code, "configuration: " + std::move(message), code == ACL_ERROR_INVALID_PARAM ? "EH0009" : nullptr};
}

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

// A string that spells a decimal number without leading zeros: 0, or [1-9][0-9]*.
std::optional<uint64_t> decimal(const Json& value) {
  if (!value.is_string()) return {};
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > 1 && text.front() == '0') return {};
  return parse_number(text);
}

Result<bool> flag(const Json& value, const char* key) {
  if (value == "0") return false;
  if (value == "1") return true;
  return wrong(ACL_ERROR_INVALID_PARAM, formatted("{} is {}; it must be the string \"0\" or \"1\"", key, value.dump()));
}

Result<uint64_t> opqueue_num(const Json& value) {
  const auto number = value.is_string() ? parse_number(value.get_ref<const std::string&>()) : std::nullopt;
  if (number && *number > 0) return *number;
  return wrong(ACL_ERROR_INVALID_PARAM,
               formatted("max_opqueue_num is {}; it must be a string with a decimal number above 0", value.dump()));
}

Status read_stack_size(const Json& stack, InitConfig& config) {
  if (!stack.is_object()) return wrong(ACL_ERROR_FAILURE, "StackSize must be an object");
  const auto size = [&](const char* key) -> Result<std::optional<uint64_t>> {
    const Json* value = find(stack, key);
    if (!value) return std::optional<uint64_t>();
    if (value->is_number_unsigned()) return std::optional(value->get<uint64_t>());
    return wrong(ACL_ERROR_FAILURE,
                 formatted("StackSize.{} is {}; it must be a whole number of bytes", key, value->dump()));
  };
  if (const auto aicore = TRY(size("aicore_stack_size"))) config.aicore_stack_size = rounded_stack_size(*aicore);
  config.simt_stack_size = TRY(size("simt_stack_size"));
  config.simt_divergence_stack_size = TRY(size("simt_divergence_stack_size"));
  return {};
}

Result<int> default_device(const Json& value) {
  const Json* id = value.is_object() ? find(value, "default_device") : nullptr;
  if (!id) return wrong(ACL_ERROR_FAILURE, "defaultDevice must be an object with the key default_device");
  const auto number = decimal(*id);
  if (number && *number <= INT32_MAX) return static_cast<int>(*number);
  return wrong(ACL_ERROR_FAILURE,
               formatted("defaultDevice.default_device is {}; it must be a string such as \"0\"", id->dump()));
}

Status read_fifo_size(const Json& root, const char* key, uint64_t least, uint64_t& size) {
  const Json* value = find(root, key);
  if (!value) return {};
  if (!value->is_number_unsigned() || *value == 0)
    return wrong(ACL_ERROR_FAILURE, formatted("{} is {}; it must be a positive whole number", key, value->dump()));
  const auto bytes = value->get<uint64_t>();
  if (bytes < least || bytes > 64 * MiB)
    return wrong(ACL_ERROR_RT_PARAM_INVALID, formatted("{} is {}; it must be {} to {}", key, bytes, least, 64 * MiB));
  size = bytes;
  return {};
}

Result<bool> graph_event_mode(const Json& value) {
  if (!value.is_object()) return wrong(ACL_ERROR_INVALID_PARAM, "acl_graph must be an object");
  const Json* mode = find(value, "event_mode");
  return mode ? flag(*mode, "acl_graph.event_mode") : false;
}

Result<Json> parse_json(std::string_view text) {
  if (nesting_depth(text) > deepest)
    return wrong(ACL_ERROR_PARSE_FILE, formatted("braces or brackets nest deeper than {}", deepest));
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    return wrong(ACL_ERROR_PARSE_FILE, "it is not JSON: " + json_words(e, text));
  }
}

}  // namespace

uint64_t rounded_stack_size(uint64_t bytes) {
  const uint64_t bounded = std::clamp(bytes, 32 * KiB, 192 * KiB);
  return (bounded + 16 * KiB - 1) / (16 * KiB) * (16 * KiB);
}

Result<InitConfig> parse_init_config(std::string_view text,
                                     const std::function<Status(const std::string&)>& check_dump) {
  InitConfig config;
  if (text.empty()) return config;
  const Json root = TRY(parse_json(text));
  if (!root.is_object()) return config;
  if (const Json* value = find(root, "err_msg_mode")) config.errors_per_process = TRY(flag(*value, "err_msg_mode"));
  if (const Json* value = find(root, "dump")) {
    config.dump = value->dump();
    if (check_dump) TRY(check_dump(config.dump));
  }
  if (const Json* value = find(root, "max_opqueue_num")) config.max_opqueue_num = TRY(opqueue_num(*value));
  if (const Json* value = find(root, "StackSize")) TRY(read_stack_size(*value, config));
  if (const Json* value = find(root, "defaultDevice")) config.default_device = TRY(default_device(*value));
  TRY(read_fifo_size(root, "simd_printf_fifo_size_per_core", KiB, config.simd_printf_fifo_size_per_core));
  TRY(read_fifo_size(root, "simt_printf_fifo_size", MiB, config.simt_printf_fifo_size));
  if (const Json* value = find(root, "acl_graph")) config.graph_event_mode = TRY(graph_event_mode(*value));
  if (const Json* value = find(root, "profiler")) {
    if (!value->is_object()) return wrong(ACL_ERROR_INVALID_PARAM, "profiler must be an object");
    config.profiler = value->dump();
  }
  return config;
}

Result<std::string> read_init_config(const char* path) {
  if (!path || !*path) return std::string();
  return read_text(path, most_bytes);
}

}  // namespace belay
