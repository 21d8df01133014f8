// SPDX-License-Identifier: Apache-2.0
#include "dump/writing/outlet.h"

#include <cstring>
#include <ctime>

#include "base/exception_words.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"
#include "base/text.h"
#include "base/threads/cores.h"
#include "base/threads/parallel.h"
#include "base/timeline.h"

namespace belay::dump {
namespace {

constexpr size_t kBatchBytes = 32 << 20, kBatchFiles = 64;
constexpr int64_t kMostlyWaiting = 4;  // times as long as the processor was busy
constexpr int kPatienceSeconds = 30;

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
      synced_(options.synced),
      files_(options.synced),
      file_queue_(
          "belay-dump", options.file_threads, true, [this](Outgoing& item) { return write_file(item); },
          [this](const Outgoing& item, int error) { explain(item, error); }),
      delivery_(
          "belay-record", 1, false, [this](Outgoing& item) { return deliver_or_write(item); },
          [this](const Outgoing& item, int error) { explain(item, error); }) {}

// Of an item whose place was prepared. Allocates nothing.
int Outlet::write_file(const Outgoing& item) {
  const timeline::Scope timed(timeline::Kind::DumpFile, [&](timeline::Span& span) {
    span.name = std::string_view(item.place.name);
    span.bytes = static_cast<double>(item.bytes());
  });
  const int64_t begin = nanoseconds(CLOCK_MONOTONIC), worked = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  char path[PATH_MAX];
  const int error = files_.put(item, path);
  if (error) files_.count_drop(item.bytes());
  const int64_t took = nanoseconds(CLOCK_MONOTONIC) - begin;
  const int64_t busy = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - worked;
  const int64_t before = waiting_.load(std::memory_order_relaxed);
  waiting_.store(before - before / 16 + took - kMostlyWaiting * busy, std::memory_order_relaxed);
  return error;
}

void Outlet::explain(const Outgoing& item, int error) {
  files_.explain_drop(*item.place.root, item.bytes(),
                      formatted("{}/{}: {}", item.target, item.place.name, strerror(error)));
}

void Outlet::dropped(const DumpRoot& root, uint64_t bytes, const std::string& why) {
  files_.count_drop(bytes);
  files_.explain_drop(root, bytes, why);
}

bool Outlet::has_spare_processors() const {
  return static_cast<size_t>(current_threads()) + file_threads_ <= static_cast<size_t>(usable_cores());
}

void Outlet::submit_to_batch(Outgoing item) {
  if (has_callback() || synced_ || has_spare_processors() || waiting_.load(std::memory_order_relaxed) > 0)
    return submit_by(Way::Aloud, std::move(item));
  gathered_bytes_ += item.bytes();
  ++gathered_files_;
  submit_by(Way::Quietly, std::move(item));
  if (gathered_bytes_ >= kBatchBytes || gathered_files_ >= kBatchFiles) write_batch();
}

void Outlet::write_batch() {
  if (synced_) return file_queue_.drain();
  if (gathered_files_.exchange(0) == 0) return;
  gathered_bytes_ = 0;
  const auto threads = current_threads();
  parallel_for(threads, 1, [&](int64_t, int64_t) {
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

int Outlet::deliver_or_write(Outgoing& item) {
  const DumpCallback callback = callback_.load(std::memory_order_acquire);
  try {
    if (!callback) return write_here(item), 0;
    deliver(item, callback, chunk_bytes_);
  } catch (const std::exception& e) {
    dropped(*item.place.root, item.bytes(), formatted("a chunk cannot be delivered: {}", exception_words(e)));
  }
  return 0;
}

// On the calling thread.
void Outlet::write_here(Outgoing& item) {
  if (const Status prepared = files_.prepare(item); !prepared.ok())
    return dropped(*item.place.root, item.bytes(), prepared.message);
  int error = 0;
  {
    const SignalsBlocked blocked;  // a handler that ends the process waits for the file
    error = write_file(item);
  }
  if (error) explain(item, error);
}

void Outlet::submit(Outgoing item) {
  submit_by(synced_ && !has_callback() ? Way::Waiting : Way::Aloud, std::move(item));
}

void Outlet::submit_and_wait(Outgoing item) { submit_by(Way::Waiting, std::move(item)); }

void Outlet::submit_by(Way way, Outgoing item) {
  try {
    if (hand_over(way, item)) return;
    if (!has_callback()) return write_here(item);
    dropped(*item.place.root, item.bytes(), "the thread that calls the callback cannot be started");
  } catch (const std::exception& e) {  // it was not moved
    dropped(*item.place.root, item.bytes(), exception_words(e));
  }
}

// False, and the item is as it was, when no thread takes it.
bool Outlet::hand_over(Way way, Outgoing& item) {
  if (!usable()) return true;  // nothing comes out of a forked process
  if (!has_callback()) {
    if (const Status prepared = files_.prepare(item); !prepared.ok()) {
      dropped(*item.place.root, item.bytes(), prepared.message);
      return true;
    }
  }
  std::unique_lock lock(mutex_);  // unregistering waits for what came before it
  OutgoingQueue& queue = registered_ ? delivery_ : file_queue_;
  if (way == Way::Quietly && !registered_) return queue.submit_quietly(item);
  const bool waits = way == Way::Waiting && !queue.on_own_thread();
  bool finished = false;
  const bool taken = queue.submit(item, waits ? &finished : nullptr);
  lock.unlock();
  if (taken && waits) queue.wait(finished);
  return taken;
}

void Outlet::finish() {
  if (!usable()) return;
  file_queue_.finish(kPatienceSeconds);
  if (!callback_) delivery_.finish(kPatienceSeconds);
}

Status Outlet::register_callback(DumpCallback callback, int32_t flag) {
  if (!callback) return {ACL_ERROR_FAILURE, "messageCallback must not be null", "EP0007"};
  if (flag != 0) return {ACL_ERROR_FAILURE, "flag must be 0: nothing is written to disk", "EP0006"};
  {
    const LogDelay delay;
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
    const LogDelay delay;
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
