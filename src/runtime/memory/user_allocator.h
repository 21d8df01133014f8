// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "acl/acl_rt_allocator.h"
#include "base/status.h"

namespace belay {

// The functions of a program's own allocator, and the object they are called with. A block is the program's handle; its
// address comes from get_address.
struct AllocatorFunctions {
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  aclrtAllocatorFreeFunc free = nullptr;
  aclrtAllocatorAllocAdviseFunc allocate_at = nullptr;  // optional
  aclrtAllocatorGetAddrFromBlockFunc get_address = nullptr;

  bool complete() const { return object && allocate && free && get_address; }
};

// An allocator as registered for a stream. The program's functions are never called by two threads at once, and they
// find the stream's context current when the calling thread has none: they may call aclrtMalloc.
class UserAllocator {
 public:
  UserAllocator(AllocatorFunctions functions, aclrtAllocatorDesc desc, aclrtStream stream)
      : functions_(functions), desc_(desc), stream_(stream) {}

  struct Block {
    aclrtAllocatorBlock handle;
    void* address;
  };
  // 500002 when the program's functions give null; nothing is kept then.
  Result<Block> allocate(size_t bytes);
  void free(const Block& block);

  const AllocatorFunctions& functions() const { return functions_; }
  aclrtAllocatorDesc desc() const { return desc_; }  // as given at registration; it may be gone

 private:
  const AllocatorFunctions functions_;
  const aclrtAllocatorDesc desc_;
  const aclrtStream stream_;
  std::mutex mutex_;
};

// The last registration of a stream wins. The stream's handle is only a key here: it is not looked at.
void register_allocator(aclrtStream stream, std::shared_ptr<UserAllocator> allocator);
void unregister_allocator(aclrtStream stream);
// Null when there is none.
std::shared_ptr<UserAllocator> find_allocator(aclrtStream stream);

}  // namespace belay
