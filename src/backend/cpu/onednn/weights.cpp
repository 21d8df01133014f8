// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/weights.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "backend/cpu/onednn/call.h"

namespace belay::backend::cpu::onednn {
namespace {

constexpr size_t alignment = 64;

// What decides the packed bytes: the bytes given, their order, the order wanted.
std::string key_of(const Desc& given, const void* data, const Desc& wanted) {
  const XXH128_hash_t hash = XXH3_128bits(data, given.get_size());
  std::string key(reinterpret_cast<const char*>(&hash), sizeof hash);
  key.append(reinterpret_cast<const char*>(&given.data), sizeof given.data);
  return key.append(reinterpret_cast<const char*>(&wanted.data), sizeof wanted.data);
}

struct Store {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const void>> known;
};

Store& store() {
  static auto* one = new Store;
  return *one;
}

}  // namespace

Result<std::shared_ptr<void>> allocate_packed(const Desc& wanted) {
  const size_t bytes = (wanted.get_size() + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, std::max(bytes, alignment));
  if (!memory) return refuse("there is no memory for packed weights");
  return std::shared_ptr<void>(memory, std::free);
}

Result<PackedWeights> pack(const Desc& given, const void* data, const Desc& wanted, bool copy) {
  if (given == wanted && !copy) return PackedWeights(data, [](const void*) {});
  const std::string key = key_of(given, data, wanted);
  Store& all = store();
  {
    std::lock_guard lock(all.mutex);
    if (const auto found = all.known.find(key); found != all.known.end()) {
      if (auto alive = found->second.lock()) return alive;
      all.known.erase(found);
    }
  }
  auto made = TRY(allocate_packed(wanted));
  TRY(convert(given, data, wanted, made.get()));
  std::lock_guard lock(all.mutex);
  std::erase_if(all.known, [](const auto& entry) { return entry.second.expired(); });
  all.known[key] = made;
  return PackedWeights(made);
}

}  // namespace belay::backend::cpu::onednn
