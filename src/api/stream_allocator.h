// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>

#include "executor/loaded_model.h"
#include "runtime/user_allocator.h"

namespace belay::api {

// A program's own allocator as the executor sees it: addresses, not blocks. Used by one thread at a time.
class StreamAllocator : public executor::Allocator {
 public:
  explicit StreamAllocator(std::shared_ptr<UserAllocator> user) : user_(std::move(user)) {}

  Result<void*> allocate(size_t bytes) override {
    const auto block = TRY(user_->allocate(bytes));
    blocks_[block.address] = block;
    return block.address;
  }
  void free(void* address) override {
    const auto found = blocks_.find(address);
    if (found == blocks_.end()) return;
    user_->free(found->second);
    blocks_.erase(found);
  }

 private:
  const std::shared_ptr<UserAllocator> user_;
  std::map<void*, UserAllocator::Block> blocks_;
};

}  // namespace belay::api
