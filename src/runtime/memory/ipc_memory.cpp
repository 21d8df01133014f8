// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/ipc_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <map>
#include <mutex>

#include "acl/acl_rt.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/memory/blocks.h"
#include "runtime/memory/heap.h"
#include "runtime/memory/memory_pass.h"
#include "runtime/memory/opaque_memory.h"

namespace belay {
namespace {

struct Import {
  std::byte* mapped;
  size_t bytes;
  std::byte* pointer;
  int count;
};

struct Keys {
  std::mutex mutex;
  // Guarded by mutex.
  std::map<std::string, std::shared_ptr<MemoryPass>> exports;
  std::map<std::string, Import> imports;
};

Keys& keys() {
  static auto& keys = *new Keys;
  return keys;
}

std::string key_of(const MemoryPass::Name& name) {
  return formatted("belay-memory-{}-{}-{}", name.pid, name.fd, name.nonce);
}

Result<MemoryPass::Name> parse_key(const std::string& key) {
  MemoryPass::Name name{};
  int end = 0;
  if (std::sscanf(key.c_str(), "belay-memory-%d-%d-%u%n", &name.pid, &name.fd, &name.nonce, &end) == 3 &&
      key.size() == static_cast<size_t>(end))
    return name;
  return Status{ACL_ERROR_RT_PARAM_INVALID, formatted("\"{}\" is not a key from aclrtIpcMemGetExportKey", key)};
}

std::byte* map_here(const SharedFile& file, size_t offset, size_t bytes) {
  if (!opaque_mode()) return file.map(offset, bytes);
  std::byte* at = opaque_memory().take(bytes);
  if (at && !OpaqueMemory::map_view(file, offset, bytes, at)) opaque_memory().give(std::exchange(at, nullptr));
  return at;
}

void unmap_here(std::byte* mapped, size_t bytes) {
  if (is_opaque(mapped)) return opaque_memory().give(mapped);
  munmap(mapped, bytes);
}

Status unknown(const std::string& key) {
  return {ACL_ERROR_RT_PARAM_INVALID, formatted("this process has neither exported nor imported the key \"{}\"", key)};
}

}  // namespace

Result<std::string> export_memory(void* pointer, size_t size, bool for_everybody) {
  const Site site = blocks().locate(pointer);
  const bool ours = site.block.kind == BlockKind::Device || site.block.kind == BlockKind::Managed;
  if (site.place != Place::Device || !ours)
    return Status{ACL_ERROR_RT_PARAM_INVALID,
                  formatted("{} is {}; memory from aclrtMalloc can be exported", pointer, blocks().describe(pointer))};
  TRY(blocks().check_range(site, pointer, size, "devPtr"));
  const auto shared = TRY(device_heap(site.block.device).share(site.block));
  const auto inside = static_cast<size_t>(static_cast<std::byte*>(pointer) - site.block.base);
  const ExportedMemory memory{.offset = shared.offset + inside, .size = size, .device = site.block.device};
  auto pass = TRY(MemoryPass::issue(memory, shared.fd, for_everybody));
  std::string key = key_of(pass->name());
  std::lock_guard lock(keys().mutex);
  keys().exports.emplace(key, std::move(pass));
  return key;
}

Status admit_to_key(const std::string& key, std::span<const int32_t> pids) {
  std::lock_guard lock(keys().mutex);
  const auto found = keys().exports.find(key);
  if (found != keys().exports.end()) return found->second->admit(pids);
  return {ACL_ERROR_RT_PARAM_INVALID, formatted("this process has not exported the key \"{}\"", key)};
}

Result<void*> import_memory(const std::string& key, int device) {
  const auto name = TRY(parse_key(key));
  std::lock_guard lock(keys().mutex);
  if (const auto found = keys().imports.find(key); found != keys().imports.end()) {
    ++found->second.count;
    return static_cast<void*>(found->second.pointer);
  }
  const auto pass = TRY(MemoryPass::open(name));
  const ExportedMemory memory = pass->memory();
  const SharedFile file = TRY(pass->data());
  const size_t first = memory.offset / kPage * kPage;
  const size_t bytes = rounded_up(memory.offset + memory.size, kPage) - first;
  std::byte* mapped = map_here(file, first, bytes);
  if (!mapped) return Status{ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("the host cannot map {} bytes", bytes)};
  std::byte* pointer = mapped + (memory.offset - first);
  blocks().add({.base = pointer,
                .size = memory.size,
                .kind = BlockKind::Imported,
                .device = device,
                .owner = lasting_owner(formatted("process {} by aclrtIpcMemImportByKey", name.pid))});
  keys().imports.emplace(key, Import{mapped, bytes, pointer, 1});
  return static_cast<void*>(pointer);
}

Status close_key(const std::string& key) {
  std::lock_guard lock(keys().mutex);
  if (const auto found = keys().imports.find(key); found != keys().imports.end()) {
    if (--found->second.count > 0) return {};
    TRY(blocks().take(found->second.pointer, {BlockKind::Imported}));
    unmap_here(found->second.mapped, found->second.bytes);
    keys().imports.erase(found);
    return {};
  }
  return keys().exports.erase(key) > 0 ? Status{} : unknown(key);
}

bool knows_key(const std::string& key) {
  std::lock_guard lock(keys().mutex);
  return keys().imports.contains(key) || keys().exports.contains(key);
}

}  // namespace belay
