// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "runtime/memory/shared_file.h"

namespace belay {

// What one process exports: a piece of a shared file.
struct ExportedMemory {
  size_t offset = 0;  // in the file
  size_t size = 0;
  int32_t device = -1;     // user id in the exporting process; -1: host memory
  uint32_t attribute = 0;  // aclrtMemAttr of physical memory
};

// A page that exporter and importers share: which memory it is, and who may import it. Other processes find it below
// /proc/<pid>/fd, so it can be opened while the exporter lives and keeps it. Safe from any thread.
class MemoryPass {
 public:
  // The name by which another process opens it. `nonce` tells it from a later pass with the same descriptor.
  struct Name {
    int32_t pid;
    int32_t fd;
    uint32_t nonce;
  };

  // For the memory in the file `data_fd`, which is kept open as long as the pass. The nonce is made of the bits of
  // `nonce_mask`. 207001 when the host refuses.
  static Result<std::shared_ptr<MemoryPass>> issue(const ExportedMemory& memory, int data_fd, bool for_everybody,
                                                   uint32_t nonce_mask = UINT32_MAX);
  // 107000 when there is no such pass (any more), 207006 when it does not admit this process.
  static Result<std::shared_ptr<MemoryPass>> open(const Name& name);
  ~MemoryPass();

  // Admits more processes. 207012 when the list is full.
  Status admit(std::span<const int32_t> pids);

  const Name& name() const { return name_; }
  ExportedMemory memory() const;
  // The file with the memory; in an importing process 107000 when it is gone.
  Result<SharedFile> data() const;

 private:
  struct Page;
  MemoryPass(SharedFile file, Page* page, Name name) : file_(std::move(file)), page_(page), name_(name) {}
  bool admits(int32_t pid) const;

  const SharedFile file_;
  Page* const page_;  // mapped from file_
  const Name name_;
  SharedFile data_;  // in the exporting process
};

}  // namespace belay
