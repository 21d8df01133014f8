// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "base/status.h"

namespace belay {

// Callbacks that programs register under a name and that hear of changes of state, in the thread that makes the change.
template <class Function>
class StateCallbacks {
 public:
  // 107000 when the name is taken; a null function takes the name's callback away.
  Status set(const std::string& name, Function function, void* args) {
    std::lock_guard lock(mutex_);
    if (!function) {
      entries_.erase(name);
      return {};
    }
    if (!entries_.try_emplace(name, function, args).second)
      return {ACL_ERROR_RT_PARAM_INVALID,
              "a callback named \"" + name + "\" is registered already; unregister it first with a null callback",
              "EE1011"};
    return {};
  }

  template <class... Args>
  void notify(Args... args) const {
    std::vector<std::pair<Function, void*>> called;
    {
      std::lock_guard lock(mutex_);
      for (const auto& [name, entry] : entries_) called.push_back(entry);
    }
    for (const auto& [function, user] : called) function(args..., user);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::pair<Function, void*>> entries_;
};

StateCallbacks<aclrtStreamStateCallback>& stream_state_callbacks();
StateCallbacks<aclrtDeviceStateCallback>& device_state_callbacks();
StateCallbacks<aclrtDeviceTaskAbortCallback>& task_abort_callbacks();

}  // namespace belay
