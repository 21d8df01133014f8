// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/threads/pause.h"
#include "comm/count_arrays.h"
#include "comm/engine/post.h"
#include "comm/waiting/board.h"
#include "comm/waiting/waits.h"
#include "runtime/stream/spin.h"
#include "runtime/stream/stream.h"

namespace belay::comm {

class Communicator;

// One rank's part in one operation while it runs, on the thread of its stream: meeting the other ranks, reading what
// they offer, waiting. Whatever ends a wait early (an abort, the deadline, a failure of any rank) is the Status of the
// operation, and the failure of the communicator.
class Exchange {
 public:
  // `timed`: whether HCCL_EXEC_TIMEOUT holds.
  Exchange(Communicator& communicator, Stream& stream, const Call& call, uint64_t number, bool timed);
  ~Exchange() { unpin(); }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // The operation as far as it goes without waiting for long. It is then begun again, and goes on where it was: what it
  // calls here is done once, and what it does itself in between must bear being done again, or ask first_time().
  template <class Begin>
  bool attempt(Begin begin);
  bool first_time() { return !std::exchange(combined_, true); }
  bool finished() const { return finished_; }

  uint32_t rank() const;
  uint32_t size() const { return board_.size(); }
  const Call& call() const { return call_; }
  Board& board() { return board_; }
  bool here(uint32_t peer) const { return board_.here(peer); }
  // Messages to and from ranks in other processes; waits until all of them are done, or until those to this rank are.
  Post& post() { return post_; }
  Status wait_for_post();
  Status wait_for_arrivals();

  // Takes this rank's work and shows it to the others. From now on they read what it holds; of small inputs, a copy
  // that stays until they are done with it.
  Status arrive(Work& work);
  const Work& work() const { return board_.seat(rank()).work(number_); }
  // Waits until `peer` shows its work, and compares the arguments of both.
  // What it shows can be read until finish().
  Result<const Work*> meet(uint32_t peer);
  // Says that this rank's part of the result may be read; waits until that of `peer` may.
  void offer_result();
  Result<const Work*> meet_result(uint32_t peer);
  // For operations in which each pair of ranks has a count of its own: what this one receives, and the other sends.
  Status compare_parts(uint32_t peer, uint64_t mine, uint64_t theirs);
  // For a receiver: what it expects against what was sent.
  bool expects(Call sent) const;
  Status compare_message(uint32_t peer, Call sent);
  // This rank reads nothing more. `readers`: by rank, who here may still read what it holds.
  void finish(std::vector<bool> readers = {});
  // Memory of its own for what comes from other processes, from arrive() to finish().
  std::byte* room(size_t bytes);
  // Waits until nobody here reads what this rank holds.
  Status wait_for_readers();

  // Waits until `ready()`. `peer` is whom a message names.
  template <class Ready>
  Status wait(Ready ready, uint32_t peer);

  // Ends the operation for all ranks when it failed; its Status is then that of the first failure.
  Status close(Status status);

 private:
  void start_clock();
  // The end of an attempt; nobody hears of it.
  static Status not_yet() { return {-1, {}}; }
  // Why not to wait any longer; success: go on.
  Status interrupted(uint32_t peer);
  Status check_post();
  Status check_others();
  Status check_left(uint32_t peer);
  Status check_circle(uint32_t peer);
  Status compare(uint32_t peer, const Call& theirs);
  // The element of the count arrays that differs; none when the other's are not known any more.
  std::optional<Difference> difference_in_arrays(uint32_t peer) const;
  const ArrayNames& names() const;
  Status disagree(uint32_t peer, const Difference& difference);
  std::byte* copy_room();
  Result<const Work*> pin(uint32_t peer);
  void unpin();
  Status timed_out(uint32_t peer) const;
  std::string absence(uint32_t peer) const;
  std::string tag() const;
  void sleep(uint32_t seen);
  template <class Ready>
  bool look(Ready ready) const;
  // While it lives, others see that this rank sleeps, and for whom; the gate of writers is left meanwhile.
  class Sleeping {
   public:
    Sleeping(Exchange& exchange, uint32_t peer);
    ~Sleeping();
    Sleeping(const Sleeping&) = delete;
    Sleeping& operator=(const Sleeping&) = delete;

   private:
    Exchange& exchange_;
  };

  Communicator& communicator_;
  Board& board_;
  Stream& stream_;
  const Call call_;
  const uint64_t number_;
  const bool direct_;  // a message between two ranks
  const bool timed_;
  const bool communicator_has_cores_;  // one for each rank of this host
  std::vector<bool> pinned_;           // by rank: counted among its readers; empty when none is
  std::vector<bool> readers_;          // by rank, once finished
  bool attempting_ = false, arrived_ = false, combined_ = false, finished_ = false;
  Post post_;
  std::chrono::steady_clock::time_point started_;    // to wait, with more than a look
  std::chrono::steady_clock::time_point next_look_;  // at what the others do
  int left_looks_ = 0;                               // that found the peer gone
  Waits::Entry entry_;                               // while it sleeps
  std::chrono::milliseconds until_trail_{100};       // when the next one is sent
};

template <class Begin>
bool Exchange::attempt(Begin begin) {
  attempting_ = true;
  bool done = false;
  try {
    done = begin().ok();
  } catch (const std::bad_alloc&) {  // it meets that again when it goes on
  }
  attempting_ = false;
  if (!done) unpin();  // whoever withdraws waits for readers, who must not themselves wait for anything
  return done;
}

// Looks for longer than it takes to wake up: ranks that woke each other would sleep again each time.
template <class Ready>
bool Exchange::look(Ready ready) const {
  constexpr std::chrono::microseconds kAlways{50};
  constexpr int kTurnsWithoutYielding = 30;
  if (ready()) return true;
  const auto end = std::chrono::steady_clock::now() + kAlways;
  do {
    for (int turn = 0; turn < kTurnsWithoutYielding; ++turn) {
      pause_core();
      if (ready()) return true;
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end && !board_.failed());
  return ready();
}

template <class Ready>
Status Exchange::wait(Ready ready, uint32_t peer) {
  using namespace std::chrono_literals;
  constexpr auto kLongestSpin = 300us;  // sleeping and waking takes long where cores are idle
  if (communicator_has_cores_ && look(ready)) return {};
  if (attempting_) return not_yet();
  start_clock();
  bool done = false;
  spin_until([&] { return (done = ready()) || board_.failed(); }, kLongestSpin);
  if (done) return {};
  const Sleeping sleeping(*this, peer);
  while (true) {
    const uint32_t seen = board_.changes();
    if (ready()) return {};
    TRY(interrupted(peer));
    sleep(seen);
  }
}

}  // namespace belay::comm
