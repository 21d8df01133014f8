// SPDX-License-Identifier: Apache-2.0
#include "dump/outlet.h"

#include <ctime>
#include <thread>

#include "backend/cpu/parallel.h"
#include "base/log.h"

namespace belay::dump {
namespace {

constexpr size_t kBatchBytes = 32 << 20, kBatchFiles = 64;
constexpr int64_t kMostlyWaiting = 4;  // times as long as the processor was busy

int64_t nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

Outlet::Outlet(const OutletOptions& options)
    : memory_(options.memory),
      chunk_bytes_(options.chunk_bytes),
      file_threads_(options.file_threads),
      file_queue_("belay-dump", options.file_threads, [this](Outgoing& item) { write_file(item); }),
      delivery_("belay-record", 1, [this](Outgoing& item) { deliver_or_write(item); }) {}

void Outlet::write_file(const Outgoing& item) {
  const int64_t begin = nanoseconds(CLOCK_MONOTONIC), worked = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  try {
    files_.write(item);
  } catch (const std::bad_alloc&) {
    files_.dropped(item, "out of memory while writing it");
  }
  const int64_t took = nanoseconds(CLOCK_MONOTONIC) - begin;
  const int64_t busy = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - worked;
  const int64_t before = waiting_.load(std::memory_order_relaxed);
  waiting_.store(before - before / 16 + took - kMostlyWaiting * busy, std::memory_order_relaxed);
}

bool Outlet::has_spare_processors() const {
  static const size_t processors = std::thread::hardware_concurrency();
  return static_cast<size_t>(backend::cpu::current_threads()) + file_threads_ <= processors;
}

void Outlet::submit_to_batch(Outgoing item) {
  if (has_callback() || has_spare_processors() || waiting_.load(std::memory_order_relaxed) > 0)
    return submit(std::move(item));
  gathered_bytes_ += item.bytes();
  ++gathered_files_;
  (void)file_queue_.submit_quietly(std::move(item));
  if (gathered_bytes_ >= kBatchBytes || gathered_files_ >= kBatchFiles) write_batch();
}

void Outlet::write_batch() {
  if (gathered_files_.exchange(0) == 0) return;
  gathered_bytes_ = 0;
  const auto threads = backend::cpu::current_threads();
  backend::cpu::parallel_for(threads, 1, [&](int64_t, int64_t) {
    while (file_queue_.consume_one()) {
    }
  });
  file_queue_.drain();
}

BufferPool::Reservation Outlet::reserve(size_t bytes) {
  if (memory_.try_reserve(bytes)) return memory_.granted(bytes);
  write_batch();  // the room may be taken by what nobody else hurries to write
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
  if (!callback) return write_file(item);
  try {
    deliver(item, callback, chunk_bytes_);
  } catch (const std::bad_alloc&) {
    files_.dropped(item, "out of memory for a chunk");
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
