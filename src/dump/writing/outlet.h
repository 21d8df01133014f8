// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <atomic>
#include <mutex>

#include "base/status.h"
#include "dump/writing/buffers.h"
#include "dump/writing/chunks.h"
#include "dump/writing/files.h"
#include "dump/writing/outgoing_queue.h"

namespace belay::dump {

struct OutletOptions {
  size_t memory = 256 << 20;  // of what waits to be written
  size_t file_threads = 1;
  size_t chunk_bytes = kMostChunkBytes;
  bool synced = false;  // files have reached the disk when the execution returns
};

// Counted for each file that waits, besides its bytes.
constexpr size_t kFileOverhead = 1024;

// Where files go: to disk, or to the program's callback while one is registered. Safe from any thread.
class Outlet {
 public:
  explicit Outlet(const OutletOptions& options);

  BufferPool& memory() { return memory_; }
  // A right to memory for a file of that size. Waits for room, but on the callback's own thread, which would wait for
  // itself.
  BufferPool::Reservation reserve(size_t bytes);
  // False in a process that was forked from the one whose outlet it is: nothing would come out.
  bool usable() const { return getpid() == owner_; }
  // Whether the calling thread may wait for what it submits.
  bool may_wait() const { return !delivery_.on_own_thread(); }

  // What cannot be written is counted; nothing is thrown.
  void submit(Outgoing item);
  // For streams whose threads take all processors, where ours would only be in their way: the file is written by those
  // threads themselves, when enough have gathered or at write_batch(). Elsewhere the same as submit().
  void submit_to_batch(Outgoing item);
  void write_batch();
  // Returns when the item has been written or delivered: for pieces without an owner.
  void submit_and_wait(Outgoing item);
  void dropped(const DumpRoot& root, uint64_t bytes, const std::string& why);

  // 500001 for null or a flag other than 0; when one is registered already it stays. Afterwards nothing is written to
  // disk: waits for the files under way.
  Status register_callback(DumpCallback callback, int32_t flag);
  // Waits until everything queued has been delivered; inside the callback it does not wait, and the rest goes to disk.
  void unregister_callback();
  bool has_callback() const { return registered_.load(std::memory_order_acquire); }

  // Until everything submitted before is on disk or delivered.
  void drain();
  // The same for files only.
  void drain_files() { file_queue_.drain(); }
  // Files of what is submitted from now on are there when submit() returns, or no longer.
  void write_directly() { file_queue_.close(); }
  void write_later() { file_queue_.open(); }
  // The process ends. Everything that was submitted before and goes to disk is there, unless there is no progress for
  // half a minute; what is submitted from now on is written directly. For a thread that is woken when the process
  // crashes: needs neither memory nor a lock that others may hold.
  void finish();
  // A number that grows while files are written.
  uint64_t progress() const { return file_queue_.consumed(); }
  Drops take_drops() { return files_.take_drops(); }
  const Files& files() const { return files_; }

 private:
  int deliver_or_write(Outgoing& item);
  int write_file(const Outgoing& item);
  void write_here(Outgoing& item);
  void explain(const Outgoing& item, int error);
  bool has_spare_processors() const;
  enum class Way { Quietly, Aloud, Waiting };
  void submit_by(Way way, Outgoing item);
  bool hand_over(Way way, Outgoing& item);

  const pid_t owner_ = getpid();
  BufferPool memory_;
  const size_t chunk_bytes_, file_threads_;
  const bool synced_;
  Files files_;
  std::mutex mutex_;
  std::atomic<bool> registered_{false};  // new items go to the callback; changed under mutex_
  std::atomic<DumpCallback> callback_{nullptr};
  std::atomic<size_t> gathered_files_{0}, gathered_bytes_{0};  // since the last batch
  std::atomic<int64_t> waiting_{0};  // above 0: writing files is mostly waiting, for a disk or a network
  OutgoingQueue file_queue_, delivery_;
};

}  // namespace belay::dump
