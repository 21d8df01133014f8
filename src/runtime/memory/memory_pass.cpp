// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/memory_pass.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <random>

#include "acl/acl_rt.h"
#include "base/text.h"
#include "runtime/memory/file_limit.h"

namespace belay {
namespace {

constexpr uint64_t kMark = 0x7373617079616c62;
constexpr size_t kMostPids = 900;

bool ended(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

struct MemoryPass::Page {
  uint64_t mark;
  uint32_t nonce;
  int32_t data_fd;
  ExportedMemory memory;
  std::atomic<uint32_t> for_everybody;
  std::atomic<uint32_t> admitted;  // entries of `pids` in use
  std::atomic<int32_t> pids[kMostPids];
};

Result<std::shared_ptr<MemoryPass>> MemoryPass::issue(const ExportedMemory& memory, int data_fd, bool for_everybody,
                                                      uint32_t nonce_mask) {
  static_assert(sizeof(Page) <= kPage);
  auto data = SharedFile::of_process(getpid(), data_fd);
  auto file = SharedFile::create("belay-pass", kPage);
  auto* page = file ? reinterpret_cast<Page*>(file->map(0, kPage)) : nullptr;
  if (!page || !data) {
    if (page) munmap(page, kPage);
    return Status{ACL_ERROR_RT_MEMORY_ALLOCATION,
                  "the host cannot share memory: out of file descriptors?" + file_limit_text()};
  }
  page->nonce = std::random_device()() & nonce_mask;
  page->data_fd = data->fd();
  page->memory = memory;
  page->for_everybody = for_everybody;
  page->mark = kMark;
  const Name name{getpid(), file->fd(), page->nonce};
  std::shared_ptr<MemoryPass> pass(new MemoryPass(std::move(*file), page, name));
  pass->data_ = std::move(*data);
  return pass;
}

Result<std::shared_ptr<MemoryPass>> MemoryPass::open(const Name& name) {
  auto file = SharedFile::of_process(name.pid, name.fd);
  if (!file && ended(name.pid))
    return Status{ACL_ERROR_RT_PARAM_INVALID, formatted("process {}, which exported the memory, has ended", name.pid)};
  const Status gone{ACL_ERROR_RT_PARAM_INVALID,
                    formatted("process {} does not export this memory; it may have been freed", name.pid)};
  if (!file || file->size() != kPage) return gone;
  auto* page = reinterpret_cast<Page*>(file->map(0, kPage));
  if (!page) return gone;
  std::shared_ptr<MemoryPass> pass(new MemoryPass(std::move(*file), page, name));
  if (page->mark != kMark || page->nonce != name.nonce) return gone;
  if (!pass->admits(getpid()))
    return Status{ACL_ERROR_RT_NO_PERMISSION,
                  formatted("process {} has not admitted process {}: it must name it in its list of pids, or export "
                            "without pid validation",
                            name.pid, getpid())};
  return pass;
}

MemoryPass::~MemoryPass() { munmap(page_, kPage); }

bool MemoryPass::admits(int32_t pid) const {
  if (pid == name_.pid || page_->for_everybody) return true;
  for (uint32_t i = 0; i < page_->admitted.load(std::memory_order_acquire); ++i)
    if (page_->pids[i] == pid) return true;
  return false;
}

Status MemoryPass::admit(std::span<const int32_t> pids) {
  for (const int32_t pid : pids) {
    if (admits(pid)) continue;
    const uint32_t next = page_->admitted.load();
    if (next == kMostPids)
      return {ACL_ERROR_RT_OVER_LIMIT, formatted("no more than {} processes can be admitted", kMostPids)};
    page_->pids[next] = pid;
    page_->admitted.store(next + 1, std::memory_order_release);
  }
  return {};
}

ExportedMemory MemoryPass::memory() const { return page_->memory; }

Result<SharedFile> MemoryPass::data() const {
  auto file = SharedFile::of_process(name_.pid, page_->data_fd);
  if (file) return std::move(*file);
  return Status{ACL_ERROR_RT_PARAM_INVALID, formatted("process {} no longer exports this memory", name_.pid)};
}

}  // namespace belay
