// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/packed_weights.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "backend/cpu/parallel.h"
#include "backend/kernel.h"
#include "base/mapped_file.h"

namespace belay::backend::cpu {
namespace {

constexpr size_t alignment = 64, many_bytes = 128 << 10;

struct Store {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const void>> known;
};

Store& store() {
  static auto* one = new Store;
  return *one;
}

// Asks for all pages of the memory at once: that is cheaper than a fault for each. Where the system cannot do it, they
// come one by one.
void bring_pages(const void* data, size_t bytes, int advice) {
  constexpr size_t part = 1 << 20;
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t first = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes) / page * page;
  if (first >= end) return;
  const size_t parts = (end - first + part - 1) / part;
  parallel_for(static_cast<int64_t>(parts), 1, [&](int64_t begin, int64_t last) {
    const uintptr_t from = first + static_cast<size_t>(begin) * part;
    madvise(reinterpret_cast<void*>(from), std::min(first + static_cast<size_t>(last) * part, end) - from, advice);
  });
}

// Of parts and then of their hashes, so that the threads can share the work.
XXH128_hash_t hash_of(const void* data, size_t bytes) {
  constexpr size_t part = 256 << 10;
  std::vector<XXH128_hash_t> hashes((bytes + part - 1) / part);
  parallel_for(static_cast<int64_t>(hashes.size()), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i)
      hashes[i] = XXH3_128bits(static_cast<const std::byte*>(data) + i * part, std::min(part, bytes - i * part));
  });
  return XXH3_128bits(hashes.data(), hashes.size() * sizeof hashes[0]);
}

}  // namespace

Result<std::shared_ptr<void>> allocate_packed(size_t wanted) {
  const size_t bytes = (wanted + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, std::max(bytes, alignment));
  if (!memory) return refuse("there is no memory for packed weights");
  return std::shared_ptr<void>(memory, std::free);
}

Result<PackedWeights> pack_as(const std::string& form, const void* data, size_t given, size_t wanted,
                              const std::function<Status(void*)>& fill) {
  if (given >= many_bytes) bring_pages(data, given, MADV_POPULATE_READ);
  const XXH128_hash_t hash = hash_of(data, given);
  const std::string key = std::string(reinterpret_cast<const char*>(&hash), sizeof hash) + form;
  Store& all = store();
  {
    std::lock_guard lock(all.mutex);
    if (const auto found = all.known.find(key); found != all.known.end()) {
      if (auto alive = found->second.lock()) return alive;
      all.known.erase(found);
    }
  }
  auto made = TRY(allocate_packed(wanted));
  if (wanted >= many_bytes) bring_pages(made.get(), wanted, MADV_POPULATE_WRITE);
  TRY(fill(made.get()));
  forget_pages(data, given);
  std::lock_guard lock(all.mutex);
  std::erase_if(all.known, [](const auto& entry) { return entry.second.expired(); });
  all.known[key] = made;
  return PackedWeights(made);
}

}  // namespace belay::backend::cpu
