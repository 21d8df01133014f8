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

struct Store {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<const void>> known;
};

Store& store() {
  static auto* one = new Store;
  return *one;
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
  const XXH128_hash_t hash = XXH3_128bits(data, given);
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
  std::lock_guard lock(all.mutex);
  std::erase_if(all.known, [](const auto& entry) { return entry.second.expired(); });
  all.known[key] = made;
  return PackedWeights(made);
}

Result<PackedWeights> pack(const Desc& given, PackedWeights data, const Desc& wanted) {
  if (given == wanted) return data;
  return pack_copy(given, data.get(), wanted);
}

Result<PackedWeights> pack_copy(const Desc& given, const void* data, const Desc& wanted) {
  std::string form(reinterpret_cast<const char*>(&given.data), sizeof given.data);
  form.append(reinterpret_cast<const char*>(&wanted.data), sizeof wanted.data);
  return pack_as(form, data, given.get_size(), wanted.get_size(),
                 [&](void* to) { return convert(given, data, wanted, to); });
}

}  // namespace belay::backend::cpu::onednn
