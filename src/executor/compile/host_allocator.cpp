// SPDX-License-Identifier: Apache-2.0
#include "executor/compile/host_allocator.h"

#include <cstdlib>

namespace belay::executor {
namespace {

constexpr size_t kAlignment = 64;

class HostAllocator : public Allocator {
 public:
  Result<void*> allocate(size_t bytes) override {
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* address = rounded >= bytes ? std::aligned_alloc(kAlignment, rounded) : nullptr;
    if (address) return address;
    return Status{static_cast<aclError>(ACL_ERROR_GE_MEMORY_ALLOCATION),
                  "there is no host memory for a tensor of " + std::to_string(bytes) + " bytes"};
  }
  void free(void* address) override { std::free(address); }
};

}  // namespace

Allocator& host_allocator() {
  static auto& allocator = *new HostAllocator;
  return allocator;
}

}  // namespace belay::executor
