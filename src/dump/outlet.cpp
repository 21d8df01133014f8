// SPDX-License-Identifier: Apache-2.0
#include "dump/outlet.h"

#include "base/log.h"

namespace belay::dump {

Outlet::Outlet(const OutletOptions& options)
    : memory_(options.memory),
      chunk_bytes_(options.chunk_bytes),
      file_queue_("belay-dump", options.file_threads, [this](Outgoing& item) { files_.write(item); }),
      delivery_("belay-record", 1, [this](Outgoing& item) { deliver_or_write(item); }) {}

BufferPool::Reservation Outlet::reserve(size_t bytes) {
  if (memory_.try_reserve(bytes)) return memory_.granted(bytes);
  if (may_wait()) {
    static std::atomic<bool> said{false};
    if (!said.exchange(true))
      log_notice(LogModule::Dump,
                 "{} bytes wait to be written, as many as BELAY_DUMP_MEMORY allows: streams now wait for the disk or "
                 "the callback",
                 memory_.used());
    return memory_.reserve(bytes);
  }
  memory_.exceed(bytes);
  return memory_.granted(bytes);
}

void Outlet::deliver_or_write(const Outgoing& item) {
  const DumpCallback callback = callback_.load(std::memory_order_acquire);
  if (!callback) return files_.write(item);
  try {
    deliver(item, callback, chunk_bytes_);
  } catch (const std::bad_alloc&) {
    files_.dropped(item, "there is no memory for a chunk");
  }
}

bool Outlet::submit_to(Outgoing& item, bool wait) {
  OutgoingQueue* queue = nullptr;
  uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);  // unregistering waits for what came before it
    queue = registered_ ? &delivery_ : &file_queue_;
    number = queue->submit(std::move(item));
  }
  if (wait) queue->wait(number);
  return number != 0;
}

void Outlet::submit(Outgoing item) { (void)submit_to(item, false); }

void Outlet::submit_and_wait(Outgoing item) { (void)submit_to(item, true); }

Status Outlet::register_callback(DumpCallback callback, int32_t flag) {
  if (!callback) return {ACL_ERROR_FAILURE, "messageCallback must not be null", "EP0007"};
  if (flag != 0) return {ACL_ERROR_FAILURE, "flag must be 0: nothing is written to disk", "EP0006"};
  {
    std::lock_guard lock(mutex_);
    if (registered_ || callback_) {
      log_error(LogModule::Dump, "acldumpRegCallback: a callback is registered already and stays; unregister it first");
      return {};
    }
    callback_ = callback;
    registered_ = true;
  }
  file_queue_.drain();
  return {};
}

void Outlet::unregister_callback() {
  {
    std::lock_guard lock(mutex_);
    if (!registered_) {
      log_warning(LogModule::Dump, "acldumpUnregCallback: no callback is registered");
      return;
    }
    registered_ = false;
    if (delivery_.on_own_thread()) {
      callback_ = nullptr;
      return;
    }
  }
  delivery_.drain();
  callback_ = nullptr;
}

void Outlet::drain() {
  delivery_.drain();
  file_queue_.drain();
}

}  // namespace belay::dump
