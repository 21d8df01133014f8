// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "comm/meeting/sockets.h"
#include "comm/waiting/board.h"
#include "comm/waiting/waits.h"

namespace belay::comm {

// Sockets to the other processes of our communicators, one each: through them the end of a process is seen at once, and
// a failure on one side is told to the other. Safe from any thread.
class Links {
 public:
  static Links& get();

  // Where others reach this process: "<ip> <port>", or "@<name>" for processes of this host. Empty when it cannot
  // listen.
  std::string address();

  // Connects this process with that one; both call it. E_TIMEOUT, EI0006 when the other does not; what `check` says
  // when it has a reason to wait no longer.
  Status connect(const std::string& own, const std::string& process, const std::string& address, Deadline deadline,
                 const Check& check);

  // From now on `board`, which the process knows by `key`, hears of that process.
  void join(const std::string& process, const std::string& key, const std::shared_ptr<Board>& board,
            std::vector<uint32_t> ranks, bool is_part = false);
  // The same for a board made out of another one: `ranks[i]` there is its rank i.
  void join_as(const std::string& parent, const std::string& key, const std::shared_ptr<Board>& board,
               const std::vector<uint32_t>& ranks);
  // This rank has destroyed its communicator: its end is no failure any more. All processes of `among` hear of it.
  void say_goodbye(const std::string& among, const std::string& key, uint32_t rank);
  // All processes of the communicator hear that it failed.
  void tell_failure(const std::string& key, const Failure& failure);
  // Sends each to the process of the rank that it leads to.
  void send_trails(const std::vector<Trail>& trails);
  // What a rank of another process says it does; empty when it does not answer soon.
  std::string ask(const std::string& key, uint32_t rank, uint64_t number);
  // The count arrays that a rank of another process gave to an operation; empty when it has gone on, or does not
  // answer.
  std::vector<uint64_t> ask_for_arrays(const std::string& key, uint32_t rank, uint64_t number);
  // Waits until the other processes of the communicator are quiet (Board::wait_until_quiet), or `board`, which is ours,
  // has failed; a failure of theirs is known here then. E_TIMEOUT says which rank is not quiet in time, E_REMOTE which
  // one is gone.
  Status wait_until_quiet(const std::string& key, const Board& board, std::chrono::milliseconds patience);
  // The process of a rank that is elsewhere; empty when it is gone.
  std::string process_of(const std::string& key, uint32_t rank);
  // Tells the other processes how this rank is reached from now on; waits until that rank has told it.
  void announce(const std::string& key, uint32_t rank, const std::string& address);
  Result<std::string> announced(const std::string& key, uint32_t rank, const Board& board, Deadline deadline);

 private:
  struct Member {
    std::weak_ptr<Board> board;
    std::string process;
    std::vector<uint32_t> ranks;  // that live there and have not said goodbye
    bool is_part = false;         // of another communicator
  };
  struct Link {
    int socket = -1;
    FrameReader reader;
  };
  void listen();
  Status wait_for_caller(const std::string& process, Deadline deadline, const Check& check);
  void greet(int socket);
  void add(const std::string& process, int socket);
  void hear(const std::string& process);
  void handle(const std::string& process, const std::string& text);
  void lost(const std::string& process);
  void send(const std::string& process, const std::string& text);
  std::vector<std::string> processes_of(const std::string& key);
  // By process: the ranks that live there and have not said goodbye.
  std::map<std::string, std::vector<uint32_t>> ranks_elsewhere(const std::string& key);
  class Question;
  void answer(const std::string& process, const nlohmann::json& said, const std::string& text, bool whole = true);

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::string address_;
  bool listening_ = false;
  std::map<std::string, std::shared_ptr<Link>> links_;  // by process
  std::string cannot_accept_;                           // why nobody who calls is let in
  std::multimap<std::string, Member> members_;          // by key
  struct Answer {
    std::string text;  // empty: none yet
    bool whole = false;
  };
  std::map<std::string, Answer> answers_;  // by question that is asked
  uint64_t questions_ = 0;
  std::map<std::string, std::string> announced_;  // by key and rank
};

}  // namespace belay::comm
