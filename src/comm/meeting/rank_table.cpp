// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/rank_table.h"

#include <arpa/inet.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/content_hash.h"
#include "base/files/file.h"
#include "base/text.h"
#include "hccl/hccl_types.h"

namespace belay::comm {
namespace {

using nlohmann::json;

constexpr size_t kLongestPath = 4095, kLargestFile = 256 << 20;
constexpr std::chrono::seconds kForCompletion{1800};
constexpr const char* kNotCompleted = "not completed";

Status unreadable(const std::string& reason) {
  return {HCCL_E_INTERNAL, formatted("the rank table cannot be read: {}", reason), "EI0004"};
}
Status bad_value(int code, const std::string& reason) { return {code, "rank table: " + reason, "EI0014"}; }

Result<const json*> member(const json& object, const char* key, const std::string& where) {
  if (object.is_object())
    if (const auto found = object.find(key); found != object.end()) return &*found;
  return Status{HCCL_E_NOT_FOUND, formatted("rank table: {} has no key \"{}\"", where, key), "EI0017"};
}

// In versions 1.x every leaf is a string, numbers too.
Result<std::string> leaf(const json& object, const char* key, const std::string& where) {
  const json& value = *TRY(member(object, key, where));
  if (!value.is_string())
    return Status{HCCL_E_PARA,
                  formatted("rank table: \"{}\" of {} must be a string, also when it is a number", key, where),
                  "EI0017"};
  return value.get<std::string>();
}

Result<uint32_t> number(const json& object, const char* key, const std::string& where) {
  const std::string text = TRY(leaf(object, key, where));
  const auto parsed = parse_number(text);
  if (!parsed || *parsed > UINT32_MAX)
    return bad_value(HCCL_E_PARA, formatted("\"{}\" of {} is \"{}\", which is no number", key, where, text));
  return static_cast<uint32_t>(*parsed);
}

Result<const json*> list(const json& object, const char* key, const std::string& where) {
  const json* value = TRY(member(object, key, where));
  if (!value->is_array() || value->empty())
    return bad_value(HCCL_E_PARA, formatted("\"{}\" of {} must be a list with something in it", key, where));
  return value;
}

bool is_address(const std::string& text) {
  unsigned char room[16];
  return inet_pton(AF_INET, text.c_str(), room) == 1 || inet_pton(AF_INET6, text.c_str(), room) == 1;
}

// Reads 1.x, server by server.
class Reader {
 public:
  Result<RankTable> read(const json& root) {
    const json& servers = *TRY(list(root, "server_list", "the table"));
    if (root.contains("server_count") && TRY(number(root, "server_count", "the table")) != servers.size())
      return bad_value(HCCL_E_PARA, formatted("server_count is {}, but server_list has {} servers",
                                              TRY(leaf(root, "server_count", "the table")), servers.size()));
    for (const json& server : servers) TRY(read_server(server, servers.size() > 1));
    return std::move(table_);
  }

 private:
  Status read_server(const json& server, bool several) {
    const std::string id = TRY(leaf(server, "server_id", "a server"));
    if (id.empty() || id.size() > 64 || !ids_.insert(id).second)
      return bad_value(HCCL_E_PARA, formatted("server_id \"{}\" must have 1 to 64 characters and occur once", id));
    const std::string host = server.contains("host_ip") ? TRY(leaf(server, "host_ip", "a server")) : "";
    table_.servers.push_back({id, host});
    std::set<uint32_t> devices;
    for (const json& device : *TRY(list(server, "device", "server " + id))) {
      const std::string where = "a device of server " + id;
      const uint32_t number_of = TRY(number(device, "device_id", where));
      if (!devices.insert(number_of).second)
        return bad_value(HCCL_E_PARA, formatted("device {} occurs twice in server {}", number_of, id));
      TRY(read_addresses(device, where, several));
      table_.devices.push_back(
          {TRY(number(device, "rank_id", where)), static_cast<int>(number_of), table_.servers.size() - 1});
    }
    return {};
  }

  Status read_addresses(const json& device, const std::string& where, bool several) {
    if (!device.contains("device_ip"))
      return several ? bad_value(HCCL_E_PARA, where + " has no device_ip, which several servers need") : Status{};
    std::string text = TRY(leaf(device, "device_ip", where));
    while (!text.empty()) {
      const size_t comma = text.find(',');
      const std::string one(trimmed(text.substr(0, comma)));
      if (!is_address(one) || !addresses_.insert(one).second)
        return bad_value(HCCL_E_PARA, formatted("device_ip \"{}\" of {} is no address, or occurs twice", one, where));
      text = comma == std::string::npos ? "" : text.substr(comma + 1);
    }
    return {};
  }

  RankTable table_;
  std::set<std::string> ids_, addresses_;
};

Result<RankTable> read_two(const json& root) {
  RankTable table;
  table.servers.push_back({"", ""});
  const json& ranks = *TRY(list(root, "rank_list", "the table"));
  for (const json& rank : ranks) {
    for (const char* key : {"rank_id", "device_id"})
      if (!TRY(member(rank, key, "a rank"))->is_number_unsigned())
        return Status{HCCL_E_PARA, formatted("rank table: \"{}\" must be a number", key), "EI0017"};
    table.devices.push_back({rank["rank_id"], rank["device_id"], 0});
  }
  if (root.contains("rank_count") && root["rank_count"] != ranks.size())
    return bad_value(HCCL_E_PARA, formatted("rank_count is not the {} of rank_list", ranks.size()));
  return table;
}

Status sort_ranks(RankTable& table) {
  std::ranges::sort(table.devices, {}, &RankTable::Device::rank);
  for (uint32_t rank = 0; rank < table.devices.size(); ++rank)
    if (table.devices[rank].rank != rank)
      return bad_value(HCCL_E_PARA, formatted("the rank ids are not 0 to {}, each once", table.devices.size() - 1));
  return {};
}

}  // namespace

Result<RankTable::Device> RankTable::find(uint32_t rank, int physical_device) const {
  if (rank >= devices.size())
    return bad_value(HCCL_E_PARA, formatted("rank is {}, but the table has {} ranks", rank, devices.size()));
  if (devices[rank].device != physical_device)
    return bad_value(HCCL_E_UNAVAIL, formatted("rank {} is device {}, but the current device is {} (physical ids)",
                                               rank, devices[rank].device, physical_device));
  return devices[rank];
}

Result<RankTable> parse_rank_table(const std::string& text) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return unreadable("it is no JSON object");
  std::string version = "1.0";
  if (root.contains("version")) version = TRY(leaf(root, "version", "the table"));
  if (version != "2.0" || root.contains("status")) {
    const auto status = root.find("status");
    if (status == root.end() || !status->is_string()) return unreadable("it has no \"status\" that is a string");
    if (*status != "completed") return unreadable(kNotCompleted);
  }
  if (version != "1.0" && version != "1.1" && version != "1.2" && version != "2.0")
    return bad_value(HCCL_E_NOT_SUPPORT, formatted("version \"{}\" is not 1.0, 1.2 or 2.0", version));
  if (!root.contains("version") && root.contains("group_list"))
    return bad_value(HCCL_E_NOT_SUPPORT, "the old template with group_list is not supported; write version 1.0");
  RankTable table = version == "2.0" ? TRY(read_two(root)) : TRY(Reader().read(root));
  TRY(sort_ranks(table));
  const ContentHash hash = content_hash(std::as_bytes(std::span(text)));
  table.digest = formatted("{}{}", hash.low, hash.high);
  return table;
}

Result<RankTable> read_rank_table(const std::string& path) {
  if (path.empty() || path.size() > kLongestPath)
    return unreadable(formatted("the path has {} characters; it must have 1 to {}", path.size(), kLongestPath));
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  if (error) return unreadable(formatted("{}: {}", path, error.message()));
  if (real.extension() != ".json") return unreadable(formatted("{} does not end in .json", real.string()));
  for (const auto end = std::chrono::steady_clock::now() + kForCompletion;;) {
    const auto text = read_text(real.string(), kLargestFile);
    if (!text.ok()) return unreadable(text.status().message);
    auto table = parse_rank_table(*text);
    if (table.ok() || table.status().message.find(kNotCompleted) == std::string::npos ||
        std::chrono::steady_clock::now() > end)
      return table;
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace belay::comm
