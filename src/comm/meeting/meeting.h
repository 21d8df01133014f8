// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"

namespace belay::comm {

// Who a rank is: what it tells the others when they meet.
struct Member {
  uint32_t rank = 0, size = 0;
  int device = 0;  // physical
  int64_t pid = 0;
  std::string process;  // tells processes apart, on all hosts
  std::string host;     // tells hosts apart
  std::string place;    // host, namespaces and user: those who share it reach each other's memory
  std::string link;     // where its process listens for the others
  uint64_t mark = 0;    // where `process` lies in its memory: whoever can read it there can read all of it

  std::string text() const;
  static Result<Member> parse(const std::string& text);
};

// What tells this process apart; it stays where it is.
const std::string& process_name();
// This process, without a rank: process, host, place, pid, mark.
Member this_process();
// Whether this process may read the memory of that one, of the same place (process_vm_readv; Yama, a process that is
// not dumpable or another user's may forbid it).
bool can_read(const Member& member);

// Where the ranks of one communicator come together: each gives a text, and gets those of all, in the order of the
// ranks, when the last has come; in several rounds. The first round's texts are Members and are compared. Safe from any
// thread.
class Meeting {
 public:
  using Texts = std::vector<std::string>;
  // Called on whatever thread: with the texts of the round when all have come to it, or with why the meeting has
  // failed. Once it has the texts, a rank that is between two rounds is told of a failure in the same way.
  using Reply = std::function<void(const Status& status, const Texts& texts)>;

  explicit Meeting(std::string name) : name_(std::move(name)) {}

  void post(uint32_t rank, uint32_t size, uint32_t round, std::string text, Reply reply);
  // A rank that has posted comes no more, for that reason (a success: it ended): the others hear of it. Nothing when
  // the meeting is over.
  void lose(uint32_t rank, const Status& why = {});
  // Why it has failed.
  Status failure();
  // Ends the meeting for all who wait: which ranks are missing.
  void expire(std::chrono::seconds waited);
  // Whether all rounds are done, or it has failed: nobody can come any more.
  bool over() const { return over_; }
  static constexpr uint32_t kLastRound = 3;

 private:
  struct Round {
    std::map<uint32_t, std::string> texts;
    std::map<uint32_t, Reply> replies;
  };
  Status check(uint32_t rank, uint32_t size, uint32_t round, const std::string& text);
  Status check_member(const Member& member);
  void fail(Status status, std::unique_lock<std::mutex> lock);
  std::string missing() const;

  const std::string name_;
  std::atomic<bool> over_{false};
  std::mutex mutex_;
  // Guarded by mutex_.
  uint32_t size_ = 0;
  std::vector<Member> members_;
  std::map<uint32_t, Round> rounds_;
  std::map<uint32_t, Reply> between_;  // of ranks that have their texts, and have not come to the next round
  Status failure_;
};

// The meetings that this process answers, by the identifier of their token; null when there is none that is not over.
std::shared_ptr<Meeting> find_meeting(const std::string& identifier);
void keep_meeting(const std::string& identifier, std::shared_ptr<Meeting> meeting);
// The ranks of a table have no token: the first that comes opens their meeting.
constexpr const char* kTableKey = "table-";
std::shared_ptr<Meeting> find_or_open_meeting(const std::string& key);

// Posts in a meeting of this process and waits for the others. E_TIMEOUT, with who is missing, when the time is over.
Result<Meeting::Texts> post_and_wait(Meeting& meeting, uint32_t rank, uint32_t size, uint32_t round, std::string text,
                                     std::chrono::seconds patience);

}  // namespace belay::comm
