// SPDX-License-Identifier: Apache-2.0
#include "runtime/process.h"

#include <algorithm>

#include "base/faults.h"
#include "base/log.h"
#include "runtime/current.h"
#include "runtime/devices.h"

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

Status Process::init(const char* config_path) {
  std::lock_guard lock(mutex_);
  if (count_ > 0) {
    ++count_;
    return {
        ACL_ERROR_REPEAT_INITIALIZE,
        "aclInit was called before in this process; the new configuration is not read (this may be taken as success)"};
  }
  const bool has_path = config_path && *config_path;
  const std::string text = TRY(read_init_config(config_path));
  if (first_text_ && *first_text_ != text)
    return {ACL_ERROR_INVALID_PARAM,
            "aclInit after aclFinalize must be given the configuration of the first aclInit; its content differs",
            "EH0012"};
  TRY(start(text));
  first_text_ = text_ = text;
  count_ = 1;
  finalized_ = false;
  auto callbacks = init_callbacks_;
  std::stable_sort(callbacks.begin(), callbacks.end(),
                   [](const auto& a, const auto& b) { return start_rank(a.type) < start_rank(b.type); });
  for (const auto& entry : callbacks)
    if (entry.type != ACL_REG_TYPE_ACL_OP_EXECUTOR || has_path)  // what that library reads is only in a file
      (void)entry.function(text_.c_str(), text_.size(), entry.user_data);
  return {};
}

Status Process::start(const std::string& text) {
  TRY(check_faults());
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
  std::lock_guard lock(mutex_);
  if (finalized_) return {ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before; call aclInit first"};
  end();
  return {};
}

Status Process::finalize_one(uint64_t& left) {
  std::lock_guard lock(mutex_);
  left = count_ > 0 ? count_ - 1 : 0;
  if (count_ > 1) {
    --count_;
    return {};
  }
  if (count_ < 1) return {ACL_ERROR_REPEAT_FINALIZE, "there is no aclInit left to take back; call aclInit first"};
  end();
  return {};
}

void Process::end() {
  auto callbacks = finalize_callbacks_;
  std::stable_sort(callbacks.begin(), callbacks.end(),
                   [](const auto& a, const auto& b) { return end_rank(a.type) < end_rank(b.type); });
  for (const auto& entry : callbacks) (void)entry.function(entry.user_data);
  if (hooks_.ended) hooks_.ended();
  set_default_device(-1);
  count_ = 0;
  finalized_ = true;
}

bool Process::initialized() const {
  std::lock_guard lock(mutex_);
  return count_ > 0;
}

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
  std::lock_guard lock(mutex_);
  TRY(add(init_callbacks_, {type, function, user_data}));
  if (count_ > 0) (void)function(text_.c_str(), text_.size(), user_data);  // it is late: told at once
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
