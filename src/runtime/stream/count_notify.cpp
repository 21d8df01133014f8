// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/count_notify.h"
#include "runtime/stream/write_gate.h"

#include <algorithm>
#include <chrono>

namespace belay {
namespace {

bool holds(aclrtCntNotifyWaitMode mode, uint32_t count, uint32_t value) {
  switch (mode) {
    case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
      return count < value;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE:
      return count == value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
      return count > value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
      return count >= value;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE:
      return (count & value) == value;
  }
  return false;
}

uint32_t changed(aclrtCntNotifyRecordMode mode, uint32_t count, uint32_t value) {
  switch (mode) {
    case ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE:
      return value;
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
      return count + value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
      return count | value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
      return count & value;
  }
  return count;
}

Status check_mode(int mode, std::initializer_list<int> modes) {
  if (std::find(modes.begin(), modes.end(), mode) != modes.end()) return {};
  return {ACL_ERROR_RT_PARAM_INVALID,
          "mode is " + std::to_string(mode) + "; it must be one of the ACL_RT_CNT_NOTIFY_*_MODE values", "EE1003"};
}

}  // namespace

HandleTable<CountNotify>& count_notify_table() {
  static auto& table = *new HandleTable<CountNotify>(5);
  return table;
}

Result<std::shared_ptr<CountNotify>> find_count_notify(aclrtCntNotify handle) {
  if (auto notify = count_notify_table().find(handle)) return notify;
  return Status{ACL_ERROR_RT_INVALID_HANDLE, "cntNotify is not a live one: it was destroyed, or is something else",
                "EE1017"};
}

Status CountNotify::record(Stream& stream, aclrtCntNotifyRecordInfo info) {
  TRY(check_mode(info.mode, {0, 1, 2, 4}));
  return stream.launch([self = shared_from_this(), info] {
    std::lock_guard lock(self->mutex_);
    self->count_ = changed(info.mode, self->count_, info.value);
    self->changed_.notify_all();
  });
}

Status CountNotify::wait(Stream& stream, aclrtCntNotifyWaitInfo info) {
  TRY(check_mode(info.mode, {0, 1, 2, 3, 4}));
  return stream.launch([self = shared_from_this(), &stream, info] { return self->await(stream, info); });
}

Status CountNotify::await(Stream& stream, const aclrtCntNotifyWaitInfo& info) {
  using Clock = std::chrono::steady_clock;
  write_gate().step_out();
  const auto deadline = Clock::now() + std::chrono::seconds(info.timeout);
  std::unique_lock lock(mutex_);
  while (!holds(info.mode, count_, info.value)) {
    // An abort does not reach this condition variable: look at it now and then.
    changed_.wait_for(lock, std::chrono::milliseconds(20));
    if (stream.interrupted()) return {};
    if (info.timeout && Clock::now() >= deadline)
      return {ACL_ERROR_RT_WAIT_TIMEOUT,
              "a wait for a count notify timed out after " + std::to_string(info.timeout) + " s"};
  }
  if (info.isClear) count_ = 0;
  return {};
}

Status CountNotify::reset(Stream& stream) { return record(stream, {ACL_RT_CNT_NOTIFY_RECORD_SET_VALUE_MODE, 0}); }

}  // namespace belay
