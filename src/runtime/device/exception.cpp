// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/exception.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace belay {
namespace {

struct Registry {
  std::mutex mutex;
  ExceptionCallback slot = nullptr;
  std::vector<ExceptionCallback> list;
  ExceptionHook hook;
};

Registry& registry() {
  static auto& registry = *new Registry;
  return registry;
}

}  // namespace

void set_exception_callback(ExceptionCallback callback) {
  std::lock_guard lock(registry().mutex);
  registry().slot = callback;
}

void add_exception_callback(ExceptionCallback callback) {
  std::lock_guard lock(registry().mutex);
  auto& list = registry().list;
  if (std::find(list.begin(), list.end(), callback) == list.end()) list.push_back(callback);
}

void remove_exception_callback(ExceptionCallback callback) {
  std::lock_guard lock(registry().mutex);
  std::erase(registry().list, callback);
}

void set_exception_hook(ExceptionHook hook) {
  std::lock_guard lock(registry().mutex);
  registry().hook = std::move(hook);
}

void raise_exception(rtExceptionInfo info, const Status& status) {
  std::vector<ExceptionCallback> callbacks;
  ExceptionHook hook;
  {
    std::lock_guard lock(registry().mutex);
    hook = registry().hook;
    if (registry().slot) callbacks.push_back(registry().slot);
    callbacks.insert(callbacks.end(), registry().list.begin(), registry().list.end());
  }
  if (hook) hook(info, status);
  for (const auto callback : callbacks) callback(&info);
}

}  // namespace belay
