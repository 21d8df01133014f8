// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/status.h"
#include "comm/call.h"
#include "hccl/hccl_types.h"

namespace belay::comm {

// Why a communicator does not work any more: what its streams return, and what HcclGetCommAsyncError answers.
struct Failure {
  Status status;
  HcclResult async = HCCL_E_REMOTE;
};

// How large a message may be that is copied before it is offered, so that nobody waits for its readers.
constexpr size_t kSmall = 16 << 10;

// What a rank's program has called, numbered from 1.
struct Issued {
  std::atomic<uint64_t> last{0};
  std::atomic<const void*> stream{nullptr};  // of the last one
  std::atomic<uint64_t> since{1};            // the first of those that were called on it without one on another between

  // One after the other; returns the number.
  uint64_t add(const void* on);
  // Whether that one waits on its stream, which goes on only after what `by` does now.
  bool behind(uint64_t number, const void* by) const;
};

// The messages from a rank to another, or to it from another.
struct Traffic {
  Issued issued;
  std::atomic<uint64_t> begun{0};  // its streams have come to those up to this number

  void begin(uint64_t number);
};

// The operations of a rank that are queued or run, each as the flag of its stream that says whether it was aborted.
class UnderWay {
 public:
  void begin(const std::atomic<bool>& aborted);
  void end(const std::atomic<bool>& aborted);
  // Whether one of them has yet to notice an abort.
  bool aborted() const;

 private:
  std::atomic<const std::atomic<bool>*> only_{nullptr};  // one of them: mostly there are no more
  mutable std::atomic<int> looking_{0};                  // at `only_`, which therefore lives
  mutable std::mutex mutex_;
  std::vector<const std::atomic<bool>*> others_;  // guarded by mutex_
};

// A message between two ranks of this process: the sender keeps its data until it is taken.
struct Offer {
  Call call;
  const std::byte* data = nullptr;
  size_t bytes = 0;
};
enum class OfferState : uint8_t { None, Lying, Read, Taken };
struct MessageId {
  uint32_t from = 0, to = 0;
  uint64_t number = 0;  // among those from the one to the other
};

// Where a message from a rank to another lies, unless another one lies there: all that the receiver asks for together.
struct alignas(64) Letterbox {
  std::atomic<uint64_t> state{0};  // the message's number and OfferState; 0: empty
  Offer offer;
};

// One rank's place at the board. Operations of a rank are numbered from 1; what it offers for number k stays as it is
// until every rank that sits here has finished number k, and it then offers number k + 2.
// What several look at all the time stands apart from what one changes all the time.
struct alignas(64) Seat {
  // 4k + 1: the inputs of operation k may be read; 4k + 2: also its part of the result.
  std::atomic<uint64_t> arrived{0};
  alignas(64) std::atomic<uint64_t> finished{0};  // the rank reads nothing more for operations up to this
  alignas(64) std::atomic<int> readers{0};        // who read its memory now

  alignas(64) std::atomic<bool> withdrawn{false};      // its memory must not be read any more
  std::atomic<bool> here{false};                       // the rank is of this process
  std::atomic<bool> taken{false};                      // and has made its communicator
  std::atomic<bool> left{false};                       // and has destroyed its communicator
  std::atomic<uint32_t> server{0};                     // ranks with the same number are on one host
  int device = -1;                                     // as messages show it; set before `taken`
  std::vector<Traffic> sent, received;                 // by the other rank; made before `taken`
  std::vector<Letterbox> boxes;                        // the same, of what it sends
  std::array<std::unique_ptr<std::byte[]>, 2> copies;  // live as long as the board
  std::unique_ptr<std::byte[]> room;                   // of the rank alone, for what comes from other processes
  size_t room_bytes = 0;

  alignas(64) Issued issued;  // its operations
  UnderWay under_way;
  mutable std::mutex replacing;  // held while a work with count arrays is replaced
  std::atomic<int> thread{0};    // of the program, that called it

  struct alignas(64) Offered {
    Work work;
  };
  std::array<Offered, 2> offered;  // by k % 2; read after `arrived`

  const Work& work(uint64_t number) const { return offered[number % 2].work; }
  void show(uint64_t number, Work work);
  // Whoever has come to an operation has finished the one before. The line of `arrived` is looked at anyway.
  bool has_finished(uint64_t number) const { return arrived.load() / 4 > number || finished.load() >= number; }
};

// What the ranks of one communicator that live in this process share: where they see each other's memory and wait for
// each other. The first failure is that of all. Safe from any thread.
class Board {
 public:
  Board(std::string name, uint32_t size) : name_(std::move(name)), seats_(size) {}

  const std::string& name() const { return name_; }
  uint32_t size() const { return static_cast<uint32_t>(seats_.size()); }
  Seat& seat(uint32_t rank) { return seats_[rank]; }
  // Whether the rank is of this process; known before it sits down when the communicator was made from another.
  bool here(uint32_t rank) const { return seats_[rank].here.load(std::memory_order_acquire); }
  // False when the seat is taken already.
  bool sit(uint32_t rank, int device);
  bool all_sit() const;

  // To be called after every change that somebody may wait for.
  void changed();
  // A rank that is about to sleep says so before it looks once more: the others wake nobody else.
  void begin_waiting() { ++waiting_; }
  void end_waiting() { --waiting_; }
  // The number of changes that may have woken somebody; sleep() returns at once when there were more.
  uint32_t changes() const { return changes_.load(); }
  void sleep(uint32_t seen);
  // A descriptor to write to on every change, for ranks that sleep in poll() instead.
  void add_wake_descriptor(int descriptor);
  void remove_wake_descriptor(int descriptor);

  // The first call counts; all ranks here wake up, and those elsewhere are told.
  void fail(Failure failure);
  // Called once, after the first failure; set before any rank works.
  void set_messenger(std::function<void(const Failure& failure)> messenger);
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  Failure failure() const;

  // Waits until the ranks here have noticed every abort of an operation, or it has failed. Says which one has not when
  // the time is up; empty otherwise.
  std::string wait_until_quiet(std::chrono::steady_clock::time_point deadline) const;

  // The count arrays that a rank here has given to an operation; empty when it has gone on since. For other processes:
  // a rank of this one that is itself in the operation reads them in what is offered.
  std::vector<uint64_t> arrays_of(uint32_t rank, uint64_t number) const;

  // Send and receive. The sender lays an offer, and ends it when it is taken or not to be had any more.
  void lay(const MessageId& id, const Offer& offer);
  bool is_taken(const MessageId& id) const;
  // After whoever reads it is done.
  void end_offer(const MessageId& id);
  // The receiver picks it, which marks it as read; none while there is none. Then it takes it or puts it back.
  std::optional<Offer> pick(const MessageId& id);
  void take(const MessageId& id);
  void put_back(const MessageId& id);

 private:
  struct Parked {
    Offer offer;
    OfferState state;
  };
  // Null while the rank has not sat down.
  Letterbox* box(const MessageId& id);
  const Letterbox* box(const MessageId& id) const { return const_cast<Board*>(this)->box(id); }
  bool change(const MessageId& id, OfferState from, OfferState to);

  const std::string name_;
  std::vector<Seat> seats_;
  alignas(64) std::atomic<int> waiting_{0};  // seldom written, as is what follows
  std::atomic<bool> failed_{false};
  std::atomic<uint32_t> changes_{0};

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  Failure failure_;
  std::function<void(const Failure&)> messenger_;
  std::vector<int> wake_descriptors_;
  std::map<std::tuple<uint32_t, uint32_t, uint64_t>, Parked> parked_;  // what finds its letterbox taken
  std::atomic<size_t> parked_count_{0};
  std::atomic<bool> has_wake_descriptors_{false};
};

}  // namespace belay::comm
