// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/user_allocator.h"

#include <unordered_map>

#include "runtime/device/current.h"
#include "runtime/stream/stream.h"

namespace belay {
namespace {

struct Registry {
  std::mutex mutex;
  std::unordered_map<aclrtStream, std::shared_ptr<UserAllocator>> by_stream;
};

Registry& registry() {
  static auto& registry = *new Registry;
  return registry;
}

// Lends the stream's context to a thread that has none: a stream's worker.
class BorrowedContext {
 public:
  explicit BorrowedContext(aclrtStream stream) {
    const auto owner = peek_current_context() ? nullptr : stream_table().find(stream);
    if (owner) set_current_context(owner->context());
    borrowed_ = owner != nullptr;
  }
  ~BorrowedContext() {
    if (borrowed_) set_current_context(nullptr);
  }

 private:
  bool borrowed_;
};

}  // namespace

Result<UserAllocator::Block> UserAllocator::allocate(size_t bytes) {
  std::lock_guard lock(mutex_);
  const BorrowedContext context(stream_);
  const aclrtAllocatorBlock handle = functions_.allocate(functions_.object, bytes);
  if (!handle)
    return Status{ACL_ERROR_GE_FAILURE,
                  "the stream's own allocator returned null for " + std::to_string(bytes) + " bytes"};
  void* address = functions_.get_address(handle);
  if (!address) {
    functions_.free(functions_.object, handle);
    return Status{ACL_ERROR_GE_FAILURE, "the stream's own allocator gave a block of " + std::to_string(bytes) +
                                            " bytes, but no address for it"};
  }
  return Block{handle, address};
}

void UserAllocator::free(const Block& block) {
  std::lock_guard lock(mutex_);
  const BorrowedContext context(stream_);
  functions_.free(functions_.object, block.handle);
}

void register_allocator(aclrtStream stream, std::shared_ptr<UserAllocator> allocator) {
  std::lock_guard lock(registry().mutex);
  registry().by_stream[stream] = std::move(allocator);
}

void unregister_allocator(aclrtStream stream) {
  std::lock_guard lock(registry().mutex);
  registry().by_stream.erase(stream);
}

std::shared_ptr<UserAllocator> find_allocator(aclrtStream stream) {
  std::lock_guard lock(registry().mutex);
  const auto found = registry().by_stream.find(stream);
  return found == registry().by_stream.end() ? nullptr : found->second;
}

}  // namespace belay
