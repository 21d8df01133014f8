// SPDX-License-Identifier: Apache-2.0
// What is accepted is in the tables of the vendor's documentation.
#include "comm/variables.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "support/temporary_directory.h"

namespace belay::comm {
namespace {

using Environment = std::map<std::string, std::string>;

// The variable that is refused; empty when all are accepted.
std::string refused(const Environment& environment) {
  const auto read = read_variables([&](const char* name) -> const char* {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
  if (read.ok()) return "";
  EXPECT_EQ(read.status().code, 1);
  EXPECT_STREQ(read.status().message_id, "EI0001");
  const std::string start = "the environment variable ";
  EXPECT_EQ(read.status().message.substr(0, start.size()), start);
  return read.status().message.substr(start.size(), read.status().message.find(" is ") - start.size());
}

TEST(Variables, GoodOnesAreAccepted) {
  for (const Environment& good : std::initializer_list<Environment>{
           {{"HCCL_IF_IP", "192.0.2.7"}},
           {{"HCCL_IF_IP", "fe80::1%eth0"}},
           {{"HCCL_HOST_SOCKET_PORT_RANGE", "60000,60050-60100"}},
           {{"HCCL_NPU_SOCKET_PORT_RANGE", "7-7"}},
           {{"HCCL_DFS_CONFIG", "cluster_heartbeat:on,inconsistent_check:first,connection_fault_detection_time:0"}},
           {{"HCCL_DFS_CONFIG", "stuck_detection:off, task_exception:on, task_monitor_interval:7200000"}},
           {{"HCCL_DEBUG_CONFIG", "^alg,task"}},
           {{"HCCL_WHITELIST_DISABLE", "1"}},
           {{"HCCL_INTRA_PCIE_ENABLE", "1"}},
           {{"HCCL_INTRA_PCIE_ENABLE", "0"}, {"HCCL_INTRA_ROCE_ENABLE", "0"}}})
    EXPECT_EQ(refused(good), "") << good.begin()->second;
}

TEST(Variables, BadOnesAreRefusedByName) {
  const std::pair<const char*, const char*> bad[] = {
      {"HCCL_IF_IP", "1.2.3"},
      {"HCCL_IF_IP", "localhost"},
      {"HCCL_HOST_SOCKET_PORT_RANGE", "60100-60050"},
      {"HCCL_NPU_SOCKET_PORT_RANGE", "1-2-3"},
      {"HCCL_DFS_CONFIG", "garbage"},
      {"HCCL_DFS_CONFIG", "inconsistent_check:maybe"},
      {"HCCL_DFS_CONFIG", "connection_fault_detection_time:19"},
      {"HCCL_DFS_CONFIG", "task_monitor_interval:7200001"},
      {"HCCL_DEBUG_CONFIG", "everything"},
      {"HCOMM_DEBUG_CONFIG", "alg;task"},
      {"HCCL_INTRA_PCIE_ENABLE", "0"},
      {"HCCL_INTRA_ROCE_ENABLE", "0"},
      {"HCCL_RDMA_QP_PORT_CONFIG_PATH", "/no/such/folder"},
  };
  for (const auto& [name, value] : bad) EXPECT_EQ(refused({{name, value}}), name) << value;
  EXPECT_EQ(refused({{"HCCL_INTRA_PCIE_ENABLE", "1"}, {"HCCL_INTRA_ROCE_ENABLE", "1"}}), "HCCL_INTRA_PCIE_ENABLE");
}

TEST(Variables, AWhitelistThatIsOnNeedsItsFile) {
  const test::TemporaryDirectory folder;
  const std::string path = folder.path("list.json");
  Environment environment = {{"HCCL_WHITELIST_DISABLE", "0"}};
  EXPECT_EQ(refused(environment), "HCCL_WHITELIST_FILE");
  environment["HCCL_WHITELIST_FILE"] = path;
  EXPECT_EQ(refused(environment), "HCCL_WHITELIST_FILE");
  std::ofstream(path) << R"({"host_ip": ["192.0.2.7"], "device_ip": []})";
  EXPECT_EQ(refused(environment), "");
}

}  // namespace
}  // namespace belay::comm
