// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "acl/acl_rt.h"
#include "base/status.h"
#include "runtime/handle_table.h"
#include "runtime/stream/stream.h"

namespace belay {

// A counter that streams change and wait on. Safe from any thread.
class CountNotify : public std::enable_shared_from_this<CountNotify> {
 public:
  explicit CountNotify(uint32_t id) : id_(id) {}

  Status record(Stream& stream, aclrtCntNotifyRecordInfo info);
  Status wait(Stream& stream, aclrtCntNotifyWaitInfo info);
  Status reset(Stream& stream);
  uint32_t id() const { return id_; }

 private:
  Status await(Stream& stream, const aclrtCntNotifyWaitInfo& info);

  const uint32_t id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint32_t count_ = 0;
};

HandleTable<CountNotify>& count_notify_table();
Result<std::shared_ptr<CountNotify>> find_count_notify(aclrtCntNotify handle);

}  // namespace belay
