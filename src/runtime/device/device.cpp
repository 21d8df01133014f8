// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/device.h"

#include <deque>

#include "runtime/device/current.h"
#include "runtime/device/devices.h"
#include "runtime/device/state_callbacks.h"

namespace belay {
namespace {

// Devices by user id; made once, from the environment, and never destroyed.
std::deque<Device>& devices() {
  static auto& all = *[] {
    auto* made = new std::deque<Device>;
    for (int id = 0; id < device_count(); ++id) {
      const auto physical = physical_device(id);
      made->emplace_back(id, physical.ok() ? *physical : id);
    }
    return made;
  }();
  return all;
}

}  // namespace

Result<Device*> find_device(int id) {
  (void)TRY(physical_device(id));
  if (orphaned())
    return Status{ACL_ERROR_RT_DEV_SETUP_ERROR, "device " + std::to_string(id) + " cannot be used in this process"};
  return &devices()[id];
}

Status Device::set() {
  device_state_callbacks().notify(id_, ACL_RT_DEVICE_STATE_SET_PRE);
  std::shared_ptr<Context> primary;
  {
    std::lock_guard lock(mutex_);
    ++users_;
    if (!primary_) primary_ = std::make_shared<Context>(*this, true);
    primary = primary_;
  }
  primary->open();
  set_current_context(primary);
  device_state_callbacks().notify(id_, ACL_RT_DEVICE_STATE_SET_POST);
  return {};
}

Status Device::reset(bool force) {
  std::shared_ptr<Context> ended;
  {
    std::lock_guard lock(mutex_);
    if (users_ == 0)
      return {ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
              "device " + std::to_string(id_) + " is not set; there is nothing to reset"};
    const int left = force ? 0 : users_ - 1;
    if (left == 0) TRY(primary_->check_can_close());
    users_ = left;
    if (users_ == 0) ended = std::move(primary_);
  }
  if (!ended) return {};
  device_state_callbacks().notify(id_, ACL_RT_DEVICE_STATE_RESET_PRE);
  Status status = ended->close();
  if (!peek_current_context()) set_current_context(nullptr);
  device_state_callbacks().notify(id_, ACL_RT_DEVICE_STATE_RESET_POST);
  return status;
}

std::shared_ptr<Context> Device::primary_context() const {
  std::lock_guard lock(mutex_);
  return primary_;
}

std::vector<std::shared_ptr<Context>> Device::contexts() const {
  auto all = context_table().all();
  std::erase_if(all, [this](const auto& context) { return &context->device() != this; });
  return all;
}

int32_t Device::next_stream_id() {
  std::lock_guard lock(mutex_);
  int32_t id = 0;
  for (const int32_t taken : stream_ids_) {
    if (taken != id) break;
    ++id;
  }
  stream_ids_.insert(id);
  return id;
}

void Device::free_stream_id(int32_t id) {
  std::lock_guard lock(mutex_);
  stream_ids_.erase(id);
}

bool Device::peer_enabled(int peer) const {
  std::lock_guard lock(mutex_);
  return peers_.contains(peer);
}

void Device::set_peer(int peer, bool enabled) {
  std::lock_guard lock(mutex_);
  if (enabled)
    peers_.insert(peer);
  else
    peers_.erase(peer);
}

}  // namespace belay
