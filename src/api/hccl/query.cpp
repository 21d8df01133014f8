// SPDX-License-Identifier: Apache-2.0
// Names, sizes, configuration, error texts.
#include <array>
#include <atomic>
#include <cstring>

#include "api/hccl/checks.h"
#include "api/hccl/create.h"
#include "api/hccl/entry.h"
#include "comm/variables.h"
#include "hccl/hccl_comm.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr const char* kTexts[] = {
    "no error",
    "parameter error",
    "empty pointer",
    "memory error",
    "internal error",
    "not support feature",
    "not found specific resource",
    "resource unavailable",
    "call system interface error",
    "timeout",
    "open file fail",
    "tcp connect fail",
    "roce connect fail",
    "tcp transfer fail",
    "roce transfer fail",
    "call runtime api fail",
    "call driver api fail",
    "call profiling api fail",
    "call cce api fail",
    "call network api fail",
    "try again",
    "error cqe",
    "error communicator suspending",
    "retry constraint",
    "out of memory",
};

// What HcclSetConfig asked for; results here are always as with 2.
std::atomic<int> deterministic{0};

Result<int> deterministic_variable() { return TRY(comm::variables()).deterministic; }

}  // namespace

const char* HcclGetErrorString(HcclResult code) {
  const auto number = static_cast<int>(code);
  if (number >= 0 && number < static_cast<int>(std::size(kTexts))) return kTexts[number];
  return number >= static_cast<int>(std::size(kTexts)) && number < HCCL_E_RESERVED ? "unknown err" : "unknown error";
}

uint32_t HcclGetCommConfigCapability() { return HCCL_COMM_CONFIG_RESERVED; }

HcclResult HcclGetCommName(HcclComm comm, char* commName) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit communicator = TRY(find_communicator(comm));
        TRY(given(commName, "commName"));
        const std::string& name = communicator->name();
        std::memcpy(commName, name.c_str(), std::min<size_t>(name.size() + 1, COMM_NAME_MAX_LENGTH));
        return {};
      },
      comm, static_cast<const void*>(commName));
}

HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(commName, "commName"));
        TRY(given(comm, "comm"));
        const int device = TRY(current_place(0)).device;
        HcclComm found = comm::find_handle(commName, device);
        if (!found)
          return {HCCL_E_PARA, formatted("device {} has no communicator named \"{}\"", device, commName), "EI0003"};
        *comm = found;
        return {};
      },
      commName, comm);
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit communicator = TRY(find_communicator(comm));
        TRY(given(rankSize, "rankSize"));
        *rankSize = communicator->size();
        return {};
      },
      comm, rankSize);
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit communicator = TRY(find_communicator(comm));
        TRY(given(rank, "rank"));
        *rank = communicator->rank();
        return {};
      },
      comm, rank);
}

HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit communicator = TRY(find_communicator(comm));
        TRY(given(asyncError, "asyncError"));
        *asyncError = communicator->async_error();
        return {};
      },
      comm, asyncError);
}

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (config != HCCL_DETERMINISTIC || TRY(deterministic_variable()) >= 0) return {};
        if (configValue.value < 0 || configValue.value > 2)
          return {HCCL_E_PARA, formatted("HCCL_DETERMINISTIC must be 0, 1 or 2, not {}", configValue.value), "EI0003"};
        deterministic = configValue.value;
        return {};
      },
      config, configValue.value);
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(configValue, "configValue"));
        if (config != HCCL_DETERMINISTIC) return {};
        const int variable = TRY(deterministic_variable());
        configValue->value = variable >= 0 ? variable : deterministic.load();
        return {};
      },
      config, configValue);
}

HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void* info) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit communicator = TRY(find_communicator(comm));
        TRY(given(info, "info"));
        const comm::Settings& settings = communicator->settings();
        if (cfgType == HCCL_CONFIG_TYPE_OP_EXPANSION_MODE) {
          if (infoLen != sizeof settings.expansion)
            return {HCCL_E_PARA, formatted("infoLen is {}; it must be 4", infoLen), "EI0003"};
          std::memcpy(info, &settings.expansion, sizeof settings.expansion);
          return {};
        }
        if (cfgType != HCCL_CONFIG_TYPE_HCCL_ALGO)
          return {HCCL_E_PARA, formatted("cfgType is {}; it must be 0 or 1", cfgType), "EI0003"};
        if (infoLen < HCCL_COMM_ALGO_MAX_LENGTH)
          return {HCCL_E_PARA, formatted("infoLen is {}; it must be at least 1600", infoLen), "EI0003"};
        std::memset(info, 0, infoLen);
        std::memcpy(info, settings.algorithm.c_str(), std::min<size_t>(settings.algorithm.size(), infoLen - 1));
        return {};
      },
      comm, cfgType, infoLen, info);
}
