// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/device_memory.h"
#include "executor/loaded_model.h"
#include "runtime/memory/user_allocator.h"

namespace belay::api {

// A program's own allocator as the executor sees it: addresses of the host, not blocks. Used by one thread at a time.
class StreamAllocator : public executor::Allocator {
 public:
  explicit StreamAllocator(std::shared_ptr<UserAllocator> user) : user_(std::move(user)) {}
  ~StreamAllocator() override {
    if (ahead_) user_->free(*ahead_);
  }

  // Takes a block now, so that the program learns at once when there is none; the next allocate gives it out. It is
  // freed with this object when it was never asked for.
  Status take_ahead(size_t bytes) {
    ahead_ = TRY(user_->allocate(bytes));
    ahead_bytes_ = bytes;
    return {};
  }

  Result<void*> allocate(size_t bytes) override {
    if (ahead_ && bytes <= ahead_bytes_) return hand_out(*std::exchange(ahead_, std::nullopt));
    return hand_out(TRY(user_->allocate(bytes)));
  }
  void free(void* address) override {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return;
    user_->free(found->second);
    blocks_.erase(found);
  }

 private:
  void* hand_out(const UserAllocator::Block& block) {
    void* view = host_view(block.address);
    blocks_[view] = block;
    return view;
  }

  const std::shared_ptr<UserAllocator> user_;
  std::map<void*, UserAllocator::Block> blocks_;  // by host_view
  std::optional<UserAllocator::Block> ahead_;
  size_t ahead_bytes_ = 0;
};

}  // namespace belay::api
