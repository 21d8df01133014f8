// SPDX-License-Identifier: Apache-2.0
#include "inspect/opdebug.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/json_text.h"
#include "base/text.h"
#include "dump/format/opdebug.h"

namespace belay::inspect {
namespace {

using Json = nlohmann::ordered_json;
using Block = std::span<const std::byte>;

constexpr size_t record_at = dump::kOpdebugRecordAt, data_at = dump::kOpdebugDataAt;

template <class T>
T number_at(Block block, size_t offset) {
  T value;
  std::memcpy(&value, block.data() + offset, sizeof value);
  return value;
}

std::string hex(uint64_t number) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(number));
  return text;
}

bool is_address(const std::string& key) {
  return key == "pc_start" || key == "para_base" || key == "src_addr" || key == "dst_addr" || key == "kernel_code";
}

// Consecutive 64-bit numbers under their names.
Json fields(Block block, size_t offset, const std::vector<std::string>& names) {
  Json json = Json::object();
  for (const std::string& name : names) {
    const auto value = number_at<uint64_t>(block, offset);
    if (is_address(name))
      json[name] = hex(value);
    else
      json[name] = value;
    offset += sizeof(uint64_t);
  }
  return json;
}

struct Accelerator {
  const char* name;
  std::vector<std::string> fields;
};

const std::vector<Accelerator>& accelerators() {
  static const auto& core =
      *new const std::vector<std::string>{"model_id", "stream_id", "task_id", "task_type", "context_id", "thread_id",
                                          "pc_start", "para_base", "core_id", "block_id",  "status"};
  static const auto& all = *new const std::vector<Accelerator>{
      {"AIC", core},
      {"AIV", core},
      {"AICPU", {"model_id", "stream_id", "task_id", "task_type", "context_id", "cpu_id", "thread_id", "status"}},
      {"SDMA",
       {"model_id", "stream_id", "task_id", "task_type", "context_id", "thread_id", "src_addr", "dst_addr",
        "channel_id", "status"}}};
  return all;
}

Result<std::string> new_layout(Block block) {
  const auto acc_type = number_at<uint32_t>(block, record_at + 4),
             data_len = number_at<uint32_t>(block, record_at + 12);
  if (acc_type >= accelerators().size())
    return Status{ACL_ERROR_PARSE_FILE, formatted("the overflow record has acc_type {}; 0 to 3 are known", acc_type)};
  const Accelerator& accelerator = accelerators()[acc_type];
  const size_t wanted = accelerator.fields.size() * sizeof(uint64_t);
  if (data_len < wanted || block.size() < data_at + data_len)
    return Status{ACL_ERROR_PARSE_FILE, formatted("the overflow record says {} bytes; {} needs {} and the block has {}",
                                                  data_len, accelerator.name, wanted, block.size())};
  Json data = fields(block, data_at, accelerator.fields);
  if (number_at<uint32_t>(block, 4) == 1 && acc_type < 2 && data_len >= wanted + 24) {  // version 1: four words
    Json words = Json::array();
    for (size_t i = 0; i < 4; ++i) words.push_back(number_at<uint64_t>(block, data_at + wanted - 8 + i * 8));
    data["status"] = words;
  }
  const Json json{{"magic", hex(dump::kOpdebugMagic)},
                  {"version", number_at<uint32_t>(block, 4)},
                  {"acc_list",
                   {{"valid", number_at<uint32_t>(block, record_at)},
                    {"acc_type", accelerator.name},
                    {"rsv", number_at<uint32_t>(block, record_at + 8)},
                    {"data_len", data_len},
                    {"data", data}}}};
  return json_text(json, 4);
}

std::string old_layout(Block block) {
  const std::vector<std::string> info{"model_id", "stream_id", "task_id", "task_type", "pc_start", "para_base"};
  const auto section = [&](size_t info_at, size_t status_at, const std::vector<std::string>& status) {
    Json json = fields(block, info_at, info);
    json.update(fields(block, status_at, status));
    return json;
  };
  const Json json{{"DHA Atomic Add", section(0, 512, {"status"})},
                  {"L2 Atomic Add", section(128, 768, {"status"})},
                  {"AI Core", section(256, 1024, {"kernel_code", "block_idx", "status"})}};
  return json_text(json, 4);
}

}  // namespace

bool is_opdebug(const std::string& file_name) { return file_name.starts_with(dump::kOpdebugStem + std::string(".")); }

Result<std::string> opdebug_json(Block block) {
  if (block.size() >= data_at && number_at<uint32_t>(block, 0) == dump::kOpdebugMagic) return new_layout(block);
  if (block.size() >= dump::kOpdebugBytes) return old_layout(block);
  return Status{ACL_ERROR_PARSE_FILE,
                formatted("the overflow block has {} bytes; {} are expected", block.size(), dump::kOpdebugBytes)};
}

}  // namespace belay::inspect
