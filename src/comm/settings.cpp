// SPDX-License-Identifier: Apache-2.0
#include "comm/settings.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/log/log.h"
#include "base/text.h"
#include "comm/variables.h"

namespace belay::comm {
namespace {

struct Head {
  size_t size;
  uint32_t magic, version;
  uint64_t reserved;
};

Status bad(const char* field, const std::string& value, const char* expected) {
  return {HCCL_E_PARA, formatted("config: {} is {}; expected: {}", field, value, expected), "EI0016"};
}

// The text in a field that need not end in a NUL.
template <size_t size>
std::string text_of(const char (&field)[size]) {
  return {field, strnlen(field, size)};
}

Status read_plain(Settings& settings, const HcclCommConfig& config) {
  if (config.hcclBufferSize == 0) return bad("hcclBufferSize", "0", "at least 1 (MB)");
  if (config.hcclBufferSize != HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET) settings.buffer_megabytes = config.hcclBufferSize;
  if (config.hcclDeterministic != HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET && config.hcclDeterministic > 2)
    return bad("hcclDeterministic", std::to_string(config.hcclDeterministic), "0, 1 or 2");
  settings.name = text_of(config.hcclCommName);
  if (settings.name.size() == COMM_NAME_MAX_LENGTH) return bad("hcclCommName", settings.name, "at most 127 characters");
  if (config.aclGraphZeroCopyEnable > 1)
    return bad("aclGraphZeroCopyEnable", std::to_string(config.aclGraphZeroCopyEnable), "0 or 1");
  if (config.hcclExecTimeOut >= 0) settings.exec_timeout = std::chrono::seconds(config.hcclExecTimeOut);
  if (config.hcclExecTimeOut < HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET)
    log_warning(LogModule::App, "hcclExecTimeOut {} is out of range and ignored", config.hcclExecTimeOut);
  return {};
}

void read_expansion(Settings& settings, uint32_t mode) {
  constexpr HcclOpExpansionMode modes[] = {HCCL_OP_EXPANSION_MODE_INVALID,  HCCL_OP_EXPANSION_MODE_HOST,
                                           HCCL_OP_EXPANSION_MODE_AI_CPU,   HCCL_OP_EXPANSION_MODE_AIV,
                                           HCCL_OP_EXPANSION_AIV_ONLY,      HCCL_OP_EXPANSION_MODE_CCU_MS,
                                           HCCL_OP_EXPANSION_MODE_CCU_SCHED};
  if (mode == 0) return;
  if (mode < std::size(modes))
    settings.expansion = modes[mode];
  else
    log_warning(LogModule::App, "hcclOpExpansionMode {} is unknown and ignored", mode);
}

Status read_texts(Settings& settings, const HcclCommConfig& config) {
  const std::string algorithm = text_of(config.hcclAlgo);
  if (!algorithm.empty() && !valid_algorithm(algorithm))
    return bad("hcclAlgo", '"' + algorithm + '"', "as in HCCL_ALGO");
  if (!algorithm.empty()) settings.algorithm = algorithm;
  const std::string enable = text_of(config.hcclRetryEnable), params = text_of(config.hcclRetryParams);
  if (!valid_retry_enable(enable)) return bad("hcclRetryEnable", '"' + enable + '"', "as in HCCL_OP_RETRY_ENABLE");
  if (!params.empty() && !valid_retry_params(params))
    return bad("hcclRetryParams", '"' + params + '"', "as in HCCL_OP_RETRY_PARAMS");
  return {};
}

// Where the fields of each version end.
constexpr size_t kEnds[] = {
    24,
    offsetof(HcclCommConfig, hcclCommName),
    offsetof(HcclCommConfig, hcclUdi),
    offsetof(HcclCommConfig, hcclOpExpansionMode),
    offsetof(HcclCommConfig, hcclRdmaTrafficClass),
    offsetof(HcclCommConfig, hcclWorldRankID),
    offsetof(HcclCommConfig, aclGraphZeroCopyEnable),
    offsetof(HcclCommConfig, aclGraphZeroCopyEnable) + 1,
    offsetof(HcclCommConfig, hcclBufferName),
    offsetof(HcclCommConfig, hcclQos),
    offsetof(HcclCommConfig, hcclChannelSqDepth),
    sizeof(HcclCommConfig),
};

}  // namespace

Result<Settings> with_config(Settings settings, const HcclCommConfig& config) {
  Head head;
  std::memcpy(&head, config.reserved, sizeof head);
  if (head.magic != HCCL_COMM_CONFIG_MAGIC_WORD)
    return Status{HCCL_E_PARA,
                  formatted("config does not begin as one; call HcclCommConfigInit first (magic {})", head.magic),
                  "EI0003"};
  if (head.size != sizeof config)
    log_warning(LogModule::App, "HcclCommConfig has {} bytes, not {}: another release", head.size, sizeof config);
  HcclCommConfig known;
  HcclCommConfigInit(&known);
  const size_t versions = std::min<size_t>(head.version, std::size(kEnds) - 1);
  const size_t bytes = std::min(head.size, kEnds[versions]);
  if (bytes > sizeof head)
    std::memcpy(reinterpret_cast<char*>(&known) + sizeof head, reinterpret_cast<const char*>(&config) + sizeof head,
                bytes - sizeof head);
  TRY(read_plain(settings, known));
  read_expansion(settings, known.hcclOpExpansionMode);
  TRY(read_texts(settings, known));
  return settings;
}

}  // namespace belay::comm
