// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/process.h"

#include <algorithm>

#include "base/config_keys.h"
#include "base/faults.h"
#include "base/log/log.h"
#include "base/threads/fork.h"
#include "runtime/device/current.h"
#include "runtime/device/devices.h"

namespace belay {
namespace {

// The order in which the libraries start; they end op compiler first, then model, DVPP and the others.
int start_rank(aclRegisterCallbackType type) {
  switch (type) {
    case ACL_REG_TYPE_ACL_MODEL:
      return 0;
    case ACL_REG_TYPE_ACL_OP_EXECUTOR:
      return 1;
    case ACL_REG_TYPE_ACL_DVPP:
      return 2;
    default:
      return 3;
  }
}

int end_rank(aclRegisterCallbackType type) {
  switch (type) {
    case ACL_REG_TYPE_ACL_OP_COMPILER:
      return 0;
    case ACL_REG_TYPE_ACL_MODEL:
      return 1;
    case ACL_REG_TYPE_ACL_DVPP:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

Process& process() {
  static auto& process = *new Process;
  return process;
}

// While it lives, the calling thread starts or ends the process, and the lock is given back.
class Process::Change {
 public:
  Change(Process& process, Lock& lock, bool ending) : process_(process), lock_(lock) {
    process_.ending_ = ending;
    process_.changing_ = std::this_thread::get_id();
    lock_.unlock();
  }
  ~Change() {
    lock_.lock();
    process_.changing_ = {};
    process_.ending_ = false;
    process_.settles_.notify_all();
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  Process& process_;
  Lock& lock_;
};

// Locked, when no other thread starts or ends the process: unless that one waits for the calling thread. Who wants the
// end does not wait for it either when it has begun: a finalize callback may wait for that thread.
Process::Lock Process::settled(bool to_end) {
  const bool awaited = hooks_.awaited && hooks_.awaited();
  Lock lock(mutex_);
  settles_.wait(lock, [&] {
    return awaited || (to_end && ending_) || changing_ == std::thread::id() || changing_ == std::this_thread::get_id();
  });
  return lock;
}

Status Process::init(const char* config_path) {
  if (orphaned()) return {ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before the fork"};
  Lock lock = settled(false);
  if (count_ > 0 || changing_ != std::thread::id()) {
    ++count_;
    return {ACL_ERROR_REPEAT_INITIALIZE,
            "aclInit was called before in this process; the new configuration is not read (programs may treat this as "
            "success)"};
  }
  const std::string text = TRY(read_init_config(config_path));
  if (first_text_ && *first_text_ != text)
    return {ACL_ERROR_INVALID_PARAM,
            "aclInit after aclFinalize must be given the configuration of the first aclInit; its content differs",
            "EH0012"};
  Status status;
  {
    const Change change(*this, lock, false);
    status = start(text);
  }
  count_ = status.ok() ? count_ + 1 : 0;
  if (!status.ok()) return status;
  first_text_ = text_ = text;
  finalized_ = false;
  lock.unlock();
  tell_started(text, config_path && *config_path);
  return {};
}

void Process::tell_started(const std::string& text, bool has_path) {
  Lock lock(mutex_);
  auto callbacks = init_callbacks_;
  lock.unlock();
  std::stable_sort(callbacks.begin(), callbacks.end(),
                   [](const auto& a, const auto& b) { return start_rank(a.type) < start_rank(b.type); });
  for (const auto& entry : callbacks)
    if (entry.type != ACL_REG_TYPE_ACL_OP_EXECUTOR || has_path)  // what that library reads is only in a file
      (void)entry.function(text.c_str(), text.size(), entry.user_data);
}

Status Process::start(const std::string& text) {
  TRY(check_faults());
  say_unknown_keys(text);
  const InitConfig config = TRY(parse_init_config(text, hooks_.check_dump));
  if (config.default_device) {
    if (!physical_device(*config.default_device).ok())
      return {ACL_ERROR_FAILURE, "defaultDevice.default_device is " + std::to_string(*config.default_device) +
                                     ", but there are " + std::to_string(device_count()) + " devices"};
    set_default_device(*config.default_device);
  }
  if (hooks_.started) hooks_.started(config);
  return {};
}

Status Process::finalize() {
  if (orphaned()) return {};
  Lock lock = settled(true);
  if (finalized_ || changing_ != std::thread::id())
    return {ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before; call aclInit first"};
  end(lock);
  return {};
}

Status Process::finalize_one(uint64_t& left) {
  left = 0;
  if (orphaned()) return {};
  Lock lock = settled(true);
  left = count_ > 0 ? count_ - 1 : 0;
  if (count_ > 1) {
    --count_;
    return {};
  }
  if (count_ < 1 || changing_ != std::thread::id())
    return {ACL_ERROR_REPEAT_FINALIZE, "aclInit and aclFinalize are unbalanced: there is no aclInit left to undo"};
  end(lock);
  return {};
}

void Process::end(Lock& lock) {
  auto callbacks = finalize_callbacks_;
  {
    const Change change(*this, lock, true);
    std::stable_sort(callbacks.begin(), callbacks.end(),
                     [](const auto& a, const auto& b) { return end_rank(a.type) < end_rank(b.type); });
    for (const auto& entry : callbacks) (void)entry.function(entry.user_data);
    if (hooks_.ended) hooks_.ended();
    set_default_device(-1);
  }
  count_ = 0;
  finalized_ = true;
}

bool Process::initialized() const { return count_ > 0; }

template <class Function>
Status Process::add(std::vector<Entry<Function>>& entries, Entry<Function> entry) {
  const bool taken = std::any_of(entries.begin(), entries.end(), [&](const auto& e) { return e.type == entry.type; });
  if (taken && entry.type != ACL_REG_TYPE_OTHER)
    return {ACL_ERROR_INTERNAL_ERROR, "a callback of type " + std::to_string(entry.type) + " is registered already"};
  entries.push_back(entry);
  return {};
}

template <class Function>
Status Process::remove(std::vector<Entry<Function>>& entries, aclRegisterCallbackType type, Function function) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const auto& e) { return e.type == type && e.function == function; });
  if (found == entries.end())
    return {ACL_ERROR_INTERNAL_ERROR, "this callback is not registered under type " + std::to_string(type)};
  entries.erase(found);
  return {};
}

Status Process::add_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function, void* user_data) {
  Lock lock(mutex_);
  TRY(add(init_callbacks_, {type, function, user_data}));
  if (count_ == 0) return {};
  const std::string text = text_;
  lock.unlock();
  (void)function(text.c_str(), text.size(), user_data);  // it is late: told at once
  return {};
}

Status Process::remove_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function) {
  std::lock_guard lock(mutex_);
  return remove(init_callbacks_, type, function);
}

Status Process::add_finalize_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function, void* user_data) {
  std::lock_guard lock(mutex_);
  return add(finalize_callbacks_, {type, function, user_data});
}

Status Process::remove_finalize_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function) {
  std::lock_guard lock(mutex_);
  return remove(finalize_callbacks_, type, function);
}

}  // namespace belay
