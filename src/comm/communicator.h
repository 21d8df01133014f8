// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/engine/engine.h"
#include "comm/messages.h"
#include "comm/settings.h"
#include "comm/waiting/board.h"
#include "comm/windows.h"
#include "runtime/handle_table.h"
#include "runtime/stream/stream.h"

namespace belay::comm {

// 0, 1, 2 ...
std::vector<uint32_t> all_ranks(uint32_t size);

// One rank's end of a communicator: it numbers the operations that the program calls and puts them on streams. Safe
// from any thread.
class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  struct Place {
    uint32_t rank = 0;
    int device = 0;  // as the program counts
    int physical = 0;
  };
  Communicator(std::shared_ptr<Board> board, std::string key, Place place, Settings settings,
               std::shared_ptr<Engine> engine);
  // The same for one whose ranks still meet, in the background: its first operation waits for `meeting`.
  using Met = std::shared_future<Result<std::shared_ptr<Engine>>>;
  Communicator(std::shared_ptr<Board> board, std::string key, Place place, Settings settings, Met meeting);
  ~Communicator();

  const std::string& name() const { return name_; }
  HcclComm handle() const { return handle_; }
  void set_handle(HcclComm handle) { handle_ = handle; }  // once, before it is shown to anyone
  uint32_t rank() const { return place_.rank; }
  uint32_t size() const { return board_->size(); }
  int device() const { return place_.device; }
  int physical_device() const { return place_.physical; }
  const Settings& settings() const { return settings_; }
  std::chrono::milliseconds exec_timeout() const { return settings_.exec_timeout; }
  Board& board() { return *board_; }
  const std::string& key() const { return key_; }
  // Null when all ranks are of this process. Waits until the ranks have met.
  Engine* engine();
  std::shared_ptr<Engine> shared_engine();
  // Whether that rank is of this process. Waits until the ranks have met.
  bool here(uint32_t rank);
  // Whether this host has a core for each of its ranks, so that waiting may take one. Once they have met.
  bool has_cores() const { return has_cores_; }
  // Whether the ranks have met, or failed to.
  bool has_met() const { return met_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
  // What is wrong with the meeting of the ranks; waits for it.
  Status settle();

  // Queues a collective operation. E_SUSPENDING while suspended, the failure's code after one.
  Status launch(Work work, Stream& stream);
  // Queues sends and receives as one batch; their numbers are given here.
  Status launch(std::vector<Message> messages, Stream& stream);

  // A batch of messages was refused where no result code can tell: `stream` fails, and so do the ranks that wait for
  // it.
  void give_up(const Status& why, Stream& stream);

  // Runs this rank's part at once, on the calling thread, with a number that is given now: for operators of models
  // (for_models). What a task returns: 507048 when the communicator cannot be used.
  Status run(Work work, Stream& stream);
  Status run(Message message, Stream& stream);

  // While suspended, operations are refused; those that were queued before go on.
  void suspend() { suspended_ = true; }
  void go_on() { suspended_ = false; }
  bool suspended() const { return suspended_; }
  // 0, 21 (a rank or a link was lost) or 1 (ranks did not agree).
  HcclResult async_error() const;

  // The rank takes part in nothing more. Other ranks are not disturbed in what it has done already.
  void leave();
  static constexpr const char* kInModels = "_in_models";  // ends the name of the twin

  // The same ranks once more (for_models), which leave with this one. `make` is called when there are none yet, by one
  // thread at a time.
  Result<std::shared_ptr<Communicator>> twin(
      const std::function<Result<std::shared_ptr<Communicator>>(Communicator& of)>& make);

  // By rank: what it is in the communicator that this one was split from. Set before it is shown to anyone.
  std::vector<uint32_t> world_ranks;
  // How often this rank has made that part of it before: all ranks of a part make it equally often.
  uint64_t count_part(const std::string& key);
  // What the program has declared to it.
  std::shared_ptr<DeclaredMemory> memory = std::make_shared<DeclaredMemory>();
  // How many calls are at work on it; Destroy refuses meanwhile.
  std::atomic<int> visitors{0};
  // Whether one use of its device is given back when it is destroyed (HcclCommInitAll).
  bool holds_device = false;

  // How often it was made anew; its key tells.
  uint32_t epoch() const { return epoch_; }
  // Becomes what `old`, of the same rank, was to the program. Before it is shown to anyone.
  void inherit(const Communicator& old);

 private:
  Status check_usable() const;
  Status check_runnable() const;
  Status begin();
  bool worth_an_attempt(bool small);
  void attempted(bool done);
  void say_that_twin_is_gone() const;
  Traffic& traffic(const Message& message);
  void dropped(const Call& call, uint64_t number);
  struct Ticket;
  class Collective;
  class Messages;

  const std::shared_ptr<Board> board_;
  const Place place_;
  const Settings settings_;
  const std::string name_;
  std::atomic<HcclComm> handle_{nullptr};
  const std::string key_;  // under which other processes know it
  const Met met_;
  uint32_t epoch_ = 0;
  std::once_flag settled_;
  // Set once, when the ranks have met.
  std::shared_ptr<Engine> engine_;
  bool has_cores_ = false;
  std::atomic<bool> settled_well_{false};
  std::atomic<bool> suspended_{false};
  // Attempts that are not to be made, since the last ones came to nothing; how many there will be next time.
  std::atomic<int> skipped_attempts_{0}, next_skips_{1};

  std::mutex mutex_;                       // held while messages are given numbers
  std::mutex making_twin_;                 // a turn: held while it is made
  std::shared_ptr<Communicator> twin_;     // guarded by mutex_
  bool gone_ = false;                      // the same: it has left
  std::map<std::string, uint64_t> parts_;  // the same: how often each was made
};

// Live communicators, by handle.
using Communicators = HandleTable<Communicator>;
Communicators& communicators();
// The handle of the communicator with that name on a device; null when there is none.
HcclComm find_handle(const std::string& name, int device);

}  // namespace belay::comm
