// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/packed_weights.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "backend/kernel.h"
#include "backend/packing_scope.h"
#include "base/build_id.h"
#include "base/content_hash.h"
#include "base/files/disk_cache.h"
#include "base/files/disk_cache_writer.h"
#include "base/files/mapped_file.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "hwy/targets.h"

namespace belay::backend::cpu {
namespace {

constexpr size_t alignment = 64, many_bytes = 128 << 10, huge_page = 2 << 20;

thread_local bool real_weights = true;

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

// What else the packed bytes depend on: the code that packs them, and what it takes the processor for. Empty when that
// is not known.
std::string maker() {
  static const auto* const build = new std::string(build_id());
  auto& target = hwy::GetChosenTarget();  // it remembers; to ask the processor takes long in virtual machines
  if (!target.IsInitialized()) target.Update(hwy::SupportedTargets());
  return build->empty() ? "" : formatted("{} {} ", *build, target.GetIndex());
}

// Opening a file costs about as much as packing this much.
constexpr size_t least_cached = 256 << 10;

// In huge pages where the system has them: they are brought in faster, and found faster by what reads them.
Result<std::shared_ptr<void>> allocate_huge(size_t bytes) {
  const size_t all = bytes + huge_page;
  void* first = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (first == MAP_FAILED) return refuse("there is no memory for packed weights");
  const auto aligned = (reinterpret_cast<uintptr_t>(first) + huge_page - 1) / huge_page * huge_page;
  (void)madvise(reinterpret_cast<void*>(aligned), bytes, MADV_HUGEPAGE);
  return std::shared_ptr<void>(reinterpret_cast<void*>(aligned), [first, all](void*) { munmap(first, all); });
}

Result<PackedWeights> zeros(size_t wanted) {
  const size_t bytes = std::max<size_t>(wanted, 1);
  void* memory = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return refuse("there is no memory for packed weights");
  return PackedWeights(memory, [bytes](const void* at) { munmap(const_cast<void*>(at), bytes); });
}

Result<std::shared_ptr<const void>> packed_anew(size_t wanted, const std::function<Status(void*)>& fill) {
  auto made = TRY(allocate_packed(wanted));
  if (wanted >= many_bytes) bring_pages(made.get(), wanted, MADV_POPULATE_WRITE);
  TRY(fill(made.get()));
  return std::shared_ptr<const void>(std::move(made));
}

}  // namespace

Result<std::shared_ptr<void>> allocate_packed(size_t wanted) {
  const size_t bytes = (wanted + alignment - 1) / alignment * alignment;
  if (bytes >= 2 * huge_page) return allocate_huge(bytes);
  void* memory = std::aligned_alloc(alignment, std::max(bytes, alignment));
  if (!memory) return refuse("there is no memory for packed weights");
  return std::shared_ptr<void>(memory, std::free);
}

Result<PackedWeights> pack_as(const std::string& form, const void* data, size_t given, size_t wanted,
                              const std::function<Status(void*)>& fill) {
  if (!real_weights) return zeros(wanted);
  if (given >= many_bytes) bring_pages(data, given, MADV_POPULATE_READ);
  const ContentHash hash = content_hash({static_cast<const std::byte*>(data), given});
  const std::string by = maker();
  const std::string key = by + std::string(reinterpret_cast<const char*>(&hash), sizeof hash) + form;
  Store& all = store();
  {
    std::lock_guard lock(all.mutex);
    if (const auto found = all.known.find(key); found != all.known.end()) {
      if (auto alive = found->second.lock()) return alive;
      all.known.erase(found);
    }
  }
  DiskCache* const cache = by.empty() || wanted < least_cached ? nullptr : disk_cache();
  PackedWeights made = cache ? cache->find(key, wanted) : nullptr;
  if (!made) {
    made = TRY(packed_anew(wanted, fill));
    if (cache) store_later(*cache, key, file_of(data), made, wanted);
  }
  forget_pages(data, given);
  std::lock_guard lock(all.mutex);
  std::erase_if(all.known, [](const auto& entry) { return entry.second.expired(); });
  all.known[key] = made;
  return made;
}

}  // namespace belay::backend::cpu

namespace belay::backend {

PackingScope::PackingScope(bool real) : before_(std::exchange(cpu::real_weights, real)) {}
PackingScope::~PackingScope() { cpu::real_weights = before_; }

}  // namespace belay::backend
