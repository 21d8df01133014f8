// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/packed_weights.h"

#include <map>
#include <mutex>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "backend/cpu/parallel.h"
#include "backend/kernel.h"
#include "base/large_memory.h"
#include "base/mapped_file.h"

namespace belay::backend::cpu {
namespace {

struct Store {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const void>> known;
};

Store& store() {
  static auto* one = new Store;
  return *one;
}

// Weights side by side in blocks that live as long as one of their weights does.
class Blocks {
 public:
  static Blocks& all() {
    static auto* one = new Blocks;
    return *one;
  }

  std::shared_ptr<void> take(size_t wanted) {
    constexpr size_t alignment = 64, block_bytes = 8 << 20, large = 2 << 20;
    const size_t bytes = (wanted + alignment - 1) / alignment * alignment;
    if (bytes >= large) return large_memory(bytes);
    std::lock_guard lock(mutex_);
    auto block = block_.lock();
    if (!block || used_ + bytes > block_bytes) {
      block_ = block = large_memory(block_bytes);
      used_ = 0;
    }
    if (!block) return nullptr;
    auto* memory = static_cast<std::byte*>(block.get()) + used_;
    used_ += bytes;
    return {block, memory};
  }

 private:
  std::mutex mutex_;
  std::weak_ptr<void> block_;  // where the next go; guarded by mutex_, as is used_
  size_t used_ = 0;
};

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

Result<std::shared_ptr<void>> allocate_packed(size_t bytes) {
  if (auto memory = Blocks::all().take(bytes)) return memory;
  return refuse("there is no memory for packed weights");
}

Result<PackedWeights> pack_as(const std::string& form, const void* data, size_t given, size_t wanted,
                              const std::function<Status(void*)>& fill) {
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
  TRY(fill(made.get()));
  forget_pages(data, given);
  std::lock_guard lock(all.mutex);
  std::erase_if(all.known, [](const auto& entry) { return entry.second.expired(); });
  all.known[key] = made;
  return PackedWeights(made);
}

}  // namespace belay::backend::cpu
