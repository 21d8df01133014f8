// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "hccl/hccl_comm.h"

namespace belay::comm {

// What a communicator was made with: its configuration, then the environment (variables.h), then the defaults.
struct Settings {
  std::string name;  // empty: none was asked for
  std::string algorithm;
  HcclOpExpansionMode expansion = HCCL_OP_EXPANSION_MODE_HOST;
  std::chrono::milliseconds exec_timeout{1836 * 1000};  // 0: never
  std::chrono::seconds connect_timeout{120};
  uint32_t buffer_megabytes = 200;
};

// Adds what a configuration asks for: the fields that its version has and its size holds. E_PARA, EI0003 for one that
// was not initialised, EI0016 for a bad value.
Result<Settings> with_config(Settings settings, const HcclCommConfig& config);

}  // namespace belay::comm
