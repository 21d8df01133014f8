// SPDX-License-Identifier: Apache-2.0
#include "comm/variables.h"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "comm/meeting/sockets.h"

namespace belay::comm {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool number_within(std::string_view text, uint64_t least, uint64_t most) {
  const auto number = parse_number(text);
  return number && least <= *number && *number <= most;
}

// "3" or "3.25", at most two decimals; milliseconds.
std::optional<std::chrono::milliseconds> parse_seconds(std::string_view text) {
  const size_t point = text.find('.');
  const auto whole = parse_number(text.substr(0, point));
  if (!whole || *whole > 2147483647) return {};
  uint64_t hundredths = 0;
  if (point != std::string_view::npos) {
    const std::string_view decimals = text.substr(point + 1);
    const auto parsed = parse_number(decimals);
    if (!parsed || decimals.size() > 2) return {};
    hundredths = decimals.size() == 1 ? *parsed * 10 : *parsed;
  }
  return std::chrono::milliseconds(*whole * 1000 + hundredths * 10);
}

bool valid_levels(std::string_view text) {
  for (const std::string_view level : split(text, ';')) {
    const size_t colon = level.find(':');
    if (colon == std::string_view::npos || !one_of(level.substr(0, colon), {"level0", "level1", "level2", "level3"}))
      return false;
    const std::string_view algorithm = level.substr(colon + 1);
    if (!one_of(algorithm, {"NA", "ring", "H-D_R", "NHR", "NHR_V1", "NB", "AHC", "pipeline", "pairwise", "fullmesh"}))
      return false;
  }
  return true;
}

bool valid_port_ranges(std::string_view text) {
  if (text == "auto") return true;
  return std::ranges::all_of(split(text, ','), [](std::string_view range) {
    const auto ends = split(range, '-');
    return ends.size() <= 2 && std::ranges::all_of(ends, [](auto port) { return number_within(port, 1, 65535); }) &&
           *parse_number(ends.front()) <= *parse_number(ends.back());
  });
}

bool valid_switch(std::string_view text) { return one_of(text, {"0", "1"}); }

bool valid_fault_checks(std::string_view text) {
  return std::ranges::all_of(split(text, ','), [](std::string_view part) {
    const size_t colon = part.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view name = trimmed(part.substr(0, colon)), value = trimmed(part.substr(colon + 1));
    if (name == "inconsistent_check") return one_of(value, {"on", "first", "off"});
    if (name == "connection_fault_detection_time") return value == "0" || number_within(value, 20, 7200);
    if (name == "task_monitor_interval") return number_within(value, 0, 7200000);
    return one_of(name, {"cluster_heartbeat", "stuck_detection", "task_exception"}) && one_of(value, {"on", "off"});
  });
}

bool valid_log_parts(std::string_view text) {
  if (text.starts_with('^')) text.remove_prefix(1);
  return std::ranges::all_of(split(text, ','), [](std::string_view part) {
    return one_of(lower(std::string(part)), {"alg", "task", "resource"});
  });
}

// Variables that mean nothing on a CPU: their values are checked, then ignored.
struct Checked {
  const char* name;
  bool (*valid)(std::string_view text);
  const char* expected;
};
constexpr Checked kChecked[] = {
    {"HCCL_ALGO", valid_algorithm, "level0:NA;level1:<algo>, or <op>=level0:NA;level1:<algo>/<op>=..."},
    {"HCCL_HOST_SOCKET_PORT_RANGE", valid_port_ranges, "ports and ranges such as 60000,60050-60100, or auto"},
    {"HCCL_NPU_SOCKET_PORT_RANGE", valid_port_ranges, "ports and ranges such as 60000,60050-60100, or auto"},
    {"HCCL_WHITELIST_DISABLE", valid_switch, "0 or 1"},
    {"HCCL_DIAGNOSE_ENABLE", valid_switch, "0 or 1"},
    {"HCCL_INTRA_PCIE_ENABLE", valid_switch, "0 or 1"},
    {"HCCL_INTRA_ROCE_ENABLE", valid_switch, "0 or 1"},
    {"HCCL_INTER_HCCS_DISABLE",
     [](std::string_view text) {
       return one_of(text, {"TRUE", "FALSE"});
     },
     "TRUE or FALSE"},
    {"HCCL_OP_RETRY_ENABLE", valid_retry_enable, "a list of L0:, L1:, L2: with 0 or 1"},
    {"HCCL_OP_RETRY_PARAMS", valid_retry_params, "MaxCnt:1..10, HoldTime:0..60000, IntervalTime:0..60000"},
    {"HCCL_RDMA_TC", [](std::string_view text) { return number_within(text, 0, 255) && *parse_number(text) % 4 == 0; },
     "a multiple of 4 from 0 to 255"},
    {"HCCL_RDMA_SL", [](std::string_view text) { return number_within(text, 0, 7); }, "0 to 7"},
    {"HCCL_RDMA_TIMEOUT", [](std::string_view text) { return number_within(text, 5, 20); }, "5 to 20"},
    {"HCCL_RDMA_RETRY_CNT", [](std::string_view text) { return number_within(text, 1, 7); }, "1 to 7"},
    {"HCCL_RDMA_QPS_PER_CONNECTION", [](std::string_view text) { return number_within(text, 1, 32); }, "1 to 32"},
    {"HCCL_MULTI_QP_THRESHOLD", [](std::string_view text) { return number_within(text, 1, 8192); }, "1 to 8192"},
    {"HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT",
     [](std::string_view text) {
       return one_of(text, {"TRUE", "FALSE"});
     },
     "TRUE or FALSE"},
    {"HCCL_DFS_CONFIG", valid_fault_checks,
     "a list of cluster_heartbeat:, stuck_detection: and task_exception: with on or off, inconsistent_check: with on, "
     "first or off, connection_fault_detection_time: with 0 or 20 to 7200, task_monitor_interval: with 0 to 7200000"},
    {"HCCL_DEBUG_CONFIG", valid_log_parts, "a list of alg, task and resource, with ^ before it for all others"},
    {"HCOMM_DEBUG_CONFIG", valid_log_parts, "a list of alg, task and resource, with ^ before it for all others"},
    {"HCCL_RDMA_QP_PORT_CONFIG_PATH", [](std::string_view text) { return std::filesystem::is_directory(text); },
     "a directory"},
    {"HCCL_LOGIC_SUPERPOD_ID", [](std::string_view text) { return text.size() < 128; }, "less than 128 characters"},
};

Status bad(const char* name, std::string_view value, const char* expected) {
  return {HCCL_E_PARA, formatted("the environment variable {} is \"{}\"; expected: {}", name, value, expected),
          "EI0001"};
}

std::optional<HcclOpExpansionMode> parse_expansion(std::string_view text) {
  if (one_of(text, {"AI_CPU", "AICPU_CacheDisable"})) return HCCL_OP_EXPANSION_MODE_AI_CPU;
  if (text == "AIV") return HCCL_OP_EXPANSION_MODE_AIV;
  if (text == "HOST") return HCCL_OP_EXPANSION_MODE_HOST;
  if (text == "HOST_TS") return HCCL_OP_EXPANSION_MODE_HOST_TS;
  return {};
}

}  // namespace

bool valid_algorithm(std::string_view text) {
  return std::ranges::all_of(split(text, '/'), [](std::string_view part) {
    const size_t equals = part.find('=');
    return valid_levels(equals == std::string_view::npos ? part : part.substr(equals + 1));
  });
}

bool valid_retry_enable(std::string_view text) {
  std::string seen;
  if (trimmed(text).empty()) return true;
  return std::ranges::all_of(split(text, ','), [&](std::string_view level) {
    std::string word(level);
    std::erase(word, ' ');
    const bool good = word.size() == 4 && word[0] == 'L' && word[1] >= '0' && word[1] <= '2' && word[2] == ':' &&
                      (word[3] == '0' || word[3] == '1') && seen.find(word[1]) == std::string::npos;
    if (good) seen += word[1];
    return good;
  });
}

bool valid_retry_params(std::string_view text) {
  const auto parts = split(text, ',');
  constexpr std::array<std::string_view, 3> names = {"MaxCnt:", "HoldTime:", "IntervalTime:"};
  if (parts.size() != names.size()) return false;
  for (size_t i = 0; i < names.size(); ++i)
    if (!parts[i].starts_with(names[i]) ||
        !number_within(trimmed(parts[i].substr(names[i].size())), i == 0 ? 1 : 0, i == 0 ? 10 : 60000))
      return false;
  return true;
}

namespace {

using Lookup = std::function<std::string(const char* name)>;

// What two variables say together.
Status check_together(const Lookup& value) {
  const std::string pcie = value("HCCL_INTRA_PCIE_ENABLE"), roce = value("HCCL_INTRA_ROCE_ENABLE");
  if (pcie == "1" && roce == "1")
    return bad("HCCL_INTRA_PCIE_ENABLE", pcie, "0, as HCCL_INTRA_ROCE_ENABLE is 1; or the other way round");
  if (pcie == "0" && roce.empty())
    return bad("HCCL_INTRA_PCIE_ENABLE", pcie, "1, as HCCL_INTRA_ROCE_ENABLE is not set");
  if (roce == "0" && pcie.empty())
    return bad("HCCL_INTRA_ROCE_ENABLE", roce, "1, as HCCL_INTRA_PCIE_ENABLE is not set");
  if (value("HCCL_WHITELIST_DISABLE") != "0") return {};
  constexpr const char* kList = "HCCL_WHITELIST_FILE";
  const std::string path = value(kList);
  std::ifstream file(path);
  const auto list = nlohmann::json::parse(file, nullptr, false);
  if (list.is_object() && list.contains("host_ip") && list["host_ip"].is_array()) return {};
  return bad(kList, path, "a JSON file with the list host_ip, as HCCL_WHITELIST_DISABLE is 0");
}

}  // namespace

Result<Variables> read_variables(const std::function<const char*(const char*)>& variable) {
  Variables read;
  const auto value = [&](const char* name) -> std::string {
    const char* text = variable(name);
    return text ? text : "";
  };
  if (const std::string text = value("HCCL_CONNECT_TIMEOUT"); !text.empty()) {
    if (!number_within(text, 120, 7200)) return bad("HCCL_CONNECT_TIMEOUT", text, "120 to 7200 (seconds)");
    read.settings.connect_timeout = std::chrono::seconds(*parse_number(text));
  }
  if (const std::string text = value("HCCL_EXEC_TIMEOUT"); !text.empty()) {
    const auto seconds = parse_seconds(text);
    if (!seconds) return bad("HCCL_EXEC_TIMEOUT", text, "0 to 2147483647 (seconds, two decimals; 0: never)");
    read.settings.exec_timeout = *seconds;
  }
  if (const std::string text = value("HCCL_BUFFSIZE"); !text.empty()) {
    if (!number_within(text, 1, UINT32_MAX)) return bad("HCCL_BUFFSIZE", text, "at least 1 (MB)");
    read.settings.buffer_megabytes = static_cast<uint32_t>(*parse_number(text));
  }
  if (const std::string text = lower(value("HCCL_DETERMINISTIC")); !text.empty()) {
    if (!one_of(text, {"false", "true", "strict"})) return bad("HCCL_DETERMINISTIC", text, "false, true or strict");
    read.deterministic = text == "false" ? 0 : text == "true" ? 1 : 2;
  }
  if (const std::string text = value("HCCL_OP_EXPANSION_MODE"); !text.empty()) {
    const auto mode = parse_expansion(text);
    if (!mode) return bad("HCCL_OP_EXPANSION_MODE", text, "AI_CPU, AICPU_CacheDisable, AIV, HOST or HOST_TS");
    read.settings.expansion = *mode;
  }
  if (const std::string text = value("HCCL_IF_BASE_PORT"); !text.empty()) {
    if (!number_within(text, 1024, 65520)) return bad("HCCL_IF_BASE_PORT", text, "1024 to 65520");
    read.base_port = static_cast<uint32_t>(*parse_number(text));
  }
  if (const std::string text = value("HCCL_SOCKET_FAMILY"); !text.empty()) {
    if (!one_of(text, {"AF_INET", "AF_INET6"})) return bad("HCCL_SOCKET_FAMILY", text, "AF_INET or AF_INET6");
    read.ipv6 = text == "AF_INET6";
  }
  if (const std::string text = value("HCCL_ENTRY_LOG_ENABLE"); !text.empty()) {
    if (!one_of(text, {"0", "1"})) return bad("HCCL_ENTRY_LOG_ENABLE", text, "0 or 1");
    read.log_calls = text == "1";
  }
  for (const Checked& checked : kChecked)
    if (const std::string text = value(checked.name); !text.empty() && !checked.valid(text))
      return bad(checked.name, text, checked.expected);
  read.settings.algorithm = value("HCCL_ALGO");
  TRY(check_together(value));
  read.host_ip = value("HCCL_IF_IP");
  if (!read.host_ip.empty() && !is_address(read.host_ip))
    return bad("HCCL_IF_IP", read.host_ip, "an IPv4 or IPv6 address");
  read.interfaces = value("HCCL_SOCKET_IFNAME");
  return read;
}

Result<Variables> variables() {
  static std::mutex& mutex = *new std::mutex;
  static std::optional<Variables>& kept = *new std::optional<Variables>;
  std::lock_guard lock(mutex);
  if (!kept) kept = TRY(read_variables([](const char* name) { return std::getenv(name); }));
  return *kept;
}

}  // namespace belay::comm
