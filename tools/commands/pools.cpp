// SPDX-License-Identifier: Apache-2.0
#include "commands/pools.h"

#include <algorithm>

#include "acl/acl_rt_allocator.h"
#include "base/text.h"

namespace belay::tools {
namespace {

// Takes the size of a live block out of the map.
size_t forget(std::map<void*, size_t>& live, void* address) {
  const auto found = live.find(address);
  if (found == live.end()) return 0;
  const size_t bytes = found->second;
  live.erase(found);
  return bytes;
}

std::string log_line(const char* call, size_t bytes, const void* address) {
  return formatted("{},{},", call, bytes) + (address ? formatted("{}\n", address) : "0\n");
}

// A block is its address.
void* take(aclrtAllocator pool, size_t bytes) { return static_cast<Pool*>(pool)->take(bytes); }
void give(aclrtAllocator pool, aclrtAllocatorBlock block) { static_cast<Pool*>(pool)->give(block); }
void* address_of(aclrtAllocatorBlock block) { return block; }

}  // namespace

DevicePool::~DevicePool() {
  for (const auto& [bytes, address] : kept_) aclrtFree(address);
  for (const auto& [address, bytes] : used_) aclrtFree(address);
}

void* DevicePool::take(size_t bytes) {
  void* address = nullptr;
  const auto kept = kept_.lower_bound(bytes);
  if (kept != kept_.end() && kept->first <= 2 * bytes) {
    address = kept->second;
    used_[address] = kept->first;
    kept_.erase(kept);
  } else if (aclrtMalloc(&address, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS) {
    used_[address] = bytes;
  }
  return address;
}

void DevicePool::give(void* address) { kept_.emplace(forget(used_, address), address); }

void* CountingPool::take(size_t wanted) {
  void* address = under_.take(wanted);
  if (!address) return ++refused, nullptr;
  ++blocks;
  live_[address] = wanted;
  bytes += wanted;
  most_bytes = std::max(most_bytes, bytes);
  largest = std::max<uint64_t>(largest, wanted);
  return address;
}

void CountingPool::give(void* address) {
  bytes -= forget(live_, address);
  ++returned;
  under_.give(address);
}

void* LimitedPool::take(size_t bytes) {
  void* address = bytes > limit_ - bytes_ ? nullptr : under_.take(bytes);
  if (!address) return nullptr;
  live_[address] = bytes;
  bytes_ += bytes;
  return address;
}

void LimitedPool::give(void* address) {
  bytes_ -= forget(live_, address);
  under_.give(address);
}

void* LoggingPool::take(size_t bytes) {
  void* address = under_.take(bytes);
  if (address) live_[address] = bytes;
  lines_ += log_line("take", bytes, address);
  return address;
}

void LoggingPool::give(void* address) {
  lines_ += log_line("give", forget(live_, address), address);
  under_.give(address);
}

Registration::Registration(aclrtStream stream, Pool& pool) : stream_(stream) {
  aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
  aclrtAllocatorSetObjToDesc(desc, &pool);
  aclrtAllocatorSetAllocFuncToDesc(desc, tools::take);
  aclrtAllocatorSetFreeFuncToDesc(desc, tools::give);
  aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of);
  code = aclrtAllocatorRegister(stream, desc);
  aclrtAllocatorDestroyDesc(desc);
}

Registration::~Registration() { aclrtAllocatorUnregister(stream_); }

}  // namespace belay::tools
