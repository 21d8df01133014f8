// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "comm/settings.h"

namespace belay::comm {

// What the environment says. A variable that is not set, or empty, gives its default.
struct Variables {
  Settings settings;
  int deterministic = -1;  // -1: not set
  std::string host_ip;     // HCCL_IF_IP
  std::string interfaces;  // HCCL_SOCKET_IFNAME
  bool ipv6 = false;
  uint32_t base_port = 60000;
  bool log_calls = false;
};

// `variable` answers as getenv does. E_PARA, EI0001 with the variable, its value and what was expected.
Result<Variables> read_variables(const std::function<const char*(const char*)>& variable);

// Those of the process: read at the first call that succeeds, then kept.
Result<Variables> variables();

// The same rules for a configuration's texts: HCCL_ALGO, HCCL_OP_RETRY_ENABLE and HCCL_OP_RETRY_PARAMS.
bool valid_algorithm(std::string_view text);
bool valid_retry_enable(std::string_view text);
bool valid_retry_params(std::string_view text);

}  // namespace belay::comm
