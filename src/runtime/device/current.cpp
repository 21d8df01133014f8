// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/current.h"

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "runtime/device/device.h"

namespace belay {
namespace {

thread_local std::shared_ptr<Context>* t_slot = nullptr;
alignas(std::shared_ptr<Context>) thread_local std::byte t_memory[sizeof(std::shared_ptr<Context>)];
std::atomic<int> g_default_device{-1};

// The calling thread's context. The main thread's is left to the system: destructors of globals, which run when its own
// objects are gone, still destroy streams and contexts.
std::shared_ptr<Context>& current() {
  struct Owner {
    ~Owner() {
      if (gettid() != getpid()) std::destroy_at(std::exchange(t_slot, nullptr));
    }
  };
  if (!t_slot) t_slot = new (t_memory) std::shared_ptr<Context>;
  thread_local Owner owner;
  return *t_slot;
}

bool usable(const std::shared_ptr<Context>& context) { return context && !orphaned() && context->alive(); }

}  // namespace

void set_default_device(int device) { g_default_device = device; }
int default_device() { return g_default_device; }

Result<std::shared_ptr<Context>> current_context() {
  const auto& mine = current();
  if (usable(mine)) return mine;
  if (const int device = default_device(); device >= 0 && !mine) {
    TRY(TRY(find_device(device))->set());
    return mine;
  }
  return Status{ACL_ERROR_RT_CONTEXT_NULL,
                mine ? "this thread's context has been destroyed; call aclrtSetDevice or aclrtSetCurrentContext"
                     : "this thread has no context; call aclrtSetDevice or aclrtSetCurrentContext first",
                "EE1018"};
}

std::shared_ptr<Context> peek_current_context() {
  const auto& mine = current();
  return usable(mine) ? mine : nullptr;
}

void set_current_context(std::shared_ptr<Context> context) { current() = std::move(context); }

Result<std::shared_ptr<Stream>> find_any_stream(aclrtStream handle) {
  if (!handle) {
    auto stream = TRY(current_context())->default_stream();
    if (stream) return stream;
  } else if (auto stream = stream_table().find(handle)) {
    return stream;
  }
  return Status{ACL_ERROR_RT_INVALID_HANDLE, "stream is not a live stream: it was destroyed, or is something else",
                "EE1017"};
}

Result<std::shared_ptr<Stream>> find_stream(aclrtStream handle) {
  auto stream = TRY(find_any_stream(handle));
  const auto& mine = current();
  if (!usable(mine)) TRY(current_context());
  if (stream->context() != mine)
    return Status{ACL_ERROR_RT_STREAM_CONTEXT,
                  "stream " + std::to_string(stream->id()) +
                      " belongs to another context than this thread's current one; call aclrtSetCurrentContext",
                  "EE1010"};
  return stream;
}

}  // namespace belay
