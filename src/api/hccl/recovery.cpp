// SPDX-License-Identifier: Apache-2.0
// Suspending and resuming communicators, and who is told.
#include <map>
#include <mutex>
#include <string>

#include "api/hccl/checks.h"
#include "api/hccl/entry.h"
#include "api/hccl/states.h"
#include "base/log/log.h"
#include "comm/renewal.h"
#include "hccl/hccl_comm.h"

namespace {

struct StateCallback {
  HcclCommStateCallback function;
  void* args;
};
struct StateCallbacks {
  std::mutex mutex;
  std::map<std::string, StateCallback> by_name;
};
StateCallbacks& state_callbacks() {
  static auto& callbacks = *new StateCallbacks;
  return callbacks;
}

constexpr size_t kLongestName = 159;

}  // namespace

namespace belay::api {

void tell_states(HcclComm comm, HcclCommStatePhase phase) {
  std::map<std::string, StateCallback> callbacks;
  {
    std::lock_guard lock(state_callbacks().mutex);
    callbacks = state_callbacks().by_name;
  }
  for (const auto& [name, callback] : callbacks) (void)callback.function(comm, phase, callback.args);
}

}  // namespace belay::api

using namespace belay;
using namespace belay::api;

HcclResult HcclCommSuspend(HcclComm comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(find_communicator(comm))->suspend();
        return {};
      },
      comm);
}

HcclResult HcclCommResume(HcclComm comm) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(find_communicator(comm));
        tell_states(comm, HCCL_COMM_STATE_PHASE_RESUME_PRE);
        TRY(comm::resume(TRY(find_communicator(comm)).shared()));
        tell_states(comm, HCCL_COMM_STATE_PHASE_RESUME_POST);
        return {};
      },
      comm);
}

HcclResult HcclCommGetStatus(const char* commId, HcclCommStatus* status) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(commId, "commId"));
        TRY(given(status, "status"));
        for (const auto& communicator : comm::communicators().all()) {
          if (communicator->name() != commId) continue;
          *status = communicator->suspended() ? HCCL_COMM_STATUS_SUSPENDING : HCCL_COMM_STATUS_READY;
          return {};
        }
        return {HCCL_E_NOT_FOUND, formatted("there is no communicator named \"{}\"", commId), "EI0003"};
      },
      commId, status);
}

HcclResult HcclCommRegCommStateCallback(const char* regName, HcclCommStateCallback cb, void* args) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(regName, "regName"));
        TRY(given(reinterpret_cast<const void*>(cb), "cb"));
        const std::string name = regName;
        if (name.empty() || name.size() > kLongestName)
          return {HCCL_E_PARA, formatted("regName has {} characters; it must have 1 to {}", name.size(), kLongestName),
                  "EI0003"};
        std::lock_guard lock(state_callbacks().mutex);
        state_callbacks().by_name[name] = {cb, args};
        return {};
      },
      regName, reinterpret_cast<const void*>(cb), args);
}

HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t* ranks, bool* useBackup, uint32_t nRanks) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(find_communicator(comm));
        TRY(given(ranks, "ranks"));
        TRY(given(useBackup, "useBackup"));
        log_warning(LogModule::App, "HcclCommWorkingDevNicSet has no effect: operator retry is off");
        return {};
      },
      comm, ranks, useBackup, nRanks);
}
