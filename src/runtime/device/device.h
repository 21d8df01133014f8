// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/status.h"
#include "runtime/device/context.h"

namespace belay {

// One simulated device. It exists for the whole life of the process; its primary context comes and goes with
// aclrtSetDevice and aclrtResetDevice. Safe from any thread.
class Device {
 public:
  Device(int id, int physical_id) : id_(id), physical_id_(physical_id) {}

  int id() const { return id_; }                    // as the user counts
  int physical_id() const { return physical_id_; }  // before ASCEND_RT_VISIBLE_DEVICES

  // Adds one user and makes the primary context current on the calling thread.
  Status set();
  // Takes one user away, or all of them; the last one closes the primary context. 507007 when there is none.
  Status reset(bool force);
  std::shared_ptr<Context> primary_context() const;

  // All live contexts of this device.
  std::vector<std::shared_ptr<Context>> contexts() const;

  int32_t next_stream_id();
  void free_stream_id(int32_t id);

  // Whether this device may read and write that one's memory.
  bool peer_enabled(int peer) const;
  void set_peer(int peer, bool enabled);

  std::atomic<int> saturation_mode{1};  // aclrtFloatOverflowMode; INF/NaN is this class's default
  std::atomic<bool> overflowed{false};

 private:
  const int id_, physical_id_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  int users_ = 0;
  std::shared_ptr<Context> primary_;
  std::set<int32_t> stream_ids_;
  std::set<int> peers_;
};

// The device with this user id: 107001 with the valid range in the message, 507033 in an orphan (base/threads/fork.h).
Result<Device*> find_device(int id);

}  // namespace belay
