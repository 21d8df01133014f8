// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/physical_memory.h"

#include <map>

#include "acl/acl_rt.h"
#include "base/text.h"
#include "runtime/memory/file_limit.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/host_memory.h"

namespace belay {
namespace {

constexpr const char* kOwner = "aclrtMallocPhysical";

// A shareable handle has room for 22 bits of pid (the kernel's largest), 20 of descriptor and 22 of nonce.
constexpr unsigned kFdBits = 20, kNonceBits = 22;
constexpr uint64_t low_bits(uint64_t value, unsigned bits) { return value & ((uint64_t{1} << bits) - 1); }

uint64_t packed(const MemoryPass::Name& name) {
  return static_cast<uint64_t>(name.pid) << (kFdBits + kNonceBits) | static_cast<uint64_t>(name.fd) << kNonceBits |
         low_bits(name.nonce, kNonceBits);
}

MemoryPass::Name unpacked(uint64_t shareable) {
  return {static_cast<int32_t>(shareable >> (kFdBits + kNonceBits)),
          static_cast<int32_t>(low_bits(shareable >> kNonceBits, kFdBits)),
          static_cast<uint32_t>(low_bits(shareable, kNonceBits))};
}

// What this process shares, as long as the memory lives.
struct Shares {
  std::mutex mutex;
  std::map<uint64_t, std::weak_ptr<MemoryPass>> passes;  // guarded by mutex
};

Shares& shares() {
  static auto& shares = *new Shares;
  return shares;
}

}  // namespace

Result<std::shared_ptr<PhysicalMemory>> PhysicalMemory::make(size_t size, const PhysicalTraits& traits) {
  TRY(check_host_can_give(size));
  const bool charged = traits.device >= 0;
  if (charged) TRY(device_heap(traits.device).charge(size, kOwner));
  auto file = SharedFile::create("belay-physical", size);
  if (!file) {
    if (charged) device_heap(traits.device).discharge(size, kOwner);
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("the host has no {} bytes left", size) + file_limit_text()};
  }
  return std::shared_ptr<PhysicalMemory>(new PhysicalMemory(size, traits, std::move(*file), charged));
}

Result<std::shared_ptr<PhysicalMemory>> PhysicalMemory::import(uint64_t shareable, int device) {
  const auto pass = TRY(MemoryPass::open(unpacked(shareable)));
  const ExportedMemory memory = pass->memory();
  PhysicalTraits traits{.device = memory.device < 0 ? -1 : device, .attribute = memory.attribute};
  traits.location_type = memory.device < 0 ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
  traits.location_id = memory.device < 0 ? 0 : static_cast<uint32_t>(device);
  auto data = TRY(pass->data());
  return std::shared_ptr<PhysicalMemory>(new PhysicalMemory(memory.size, traits, std::move(data), false));
}

PhysicalMemory::~PhysicalMemory() {
  if (charged_) device_heap(traits_.device).discharge(size_, kOwner);
}

Result<uint64_t> PhysicalMemory::share(bool for_everybody) {
  const ExportedMemory memory{.size = size_, .device = traits_.device, .attribute = traits_.attribute};
  auto pass = TRY(MemoryPass::issue(memory, file_.fd(), for_everybody, low_bits(~uint64_t{0}, kNonceBits)));
  if (static_cast<uint64_t>(pass->name().fd) >> kFdBits)
    return Status{ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "too many files are open to share more memory"};
  const uint64_t shareable = packed(pass->name());
  {
    std::lock_guard lock(shares().mutex);
    shares().passes[shareable] = pass;
  }
  std::lock_guard lock(mutex_);
  passes_.push_back(std::move(pass));
  return shareable;
}

Status admit_to_shareable(uint64_t shareable, std::span<const int32_t> pids) {
  std::lock_guard lock(shares().mutex);
  const auto found = shares().passes.find(shareable);
  const auto pass = found == shares().passes.end() ? nullptr : found->second.lock();
  if (pass) return pass->admit(pids);
  return {ACL_ERROR_RT_PARAM_INVALID,
          formatted("this process does not share memory as {}; it may have been freed", shareable)};
}

HandleTable<PhysicalMemory>& physical_memory_table() {
  static auto& table = *new HandleTable<PhysicalMemory>(0x22);
  return table;
}

Result<std::shared_ptr<PhysicalMemory>> find_physical_memory(const void* handle) {
  if (auto memory = physical_memory_table().find(handle)) return memory;
  return Status{ACL_ERROR_RT_INVALID_HANDLE, "handle is not live physical memory: it was freed, or is something else",
                "EE1017"};
}

}  // namespace belay
