// SPDX-License-Identifier: Apache-2.0
#include "comm/meeting/meeting.h"

#include <algorithm>
#include <future>

#include "base/text.h"
#include "hccl/hccl_types.h"

namespace belay::comm {
namespace {

struct Kept {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Meeting>> meetings;
};
Kept& kept() {
  static auto& kept = *new Kept;
  return kept;
}

}  // namespace

std::shared_ptr<Meeting> find_meeting(const std::string& identifier) {
  std::lock_guard lock(kept().mutex);
  std::erase_if(kept().meetings, [](const auto& row) { return row.second->over(); });
  const auto found = kept().meetings.find(identifier);
  return found == kept().meetings.end() ? nullptr : found->second;
}

void keep_meeting(const std::string& identifier, std::shared_ptr<Meeting> meeting) {
  std::lock_guard lock(kept().mutex);
  kept().meetings[identifier] = std::move(meeting);
}

std::shared_ptr<Meeting> find_or_open_meeting(const std::string& key) {
  std::lock_guard lock(kept().mutex);
  auto& meeting = kept().meetings[key];
  if (!meeting || meeting->over()) meeting = std::make_shared<Meeting>("the rank table");
  return meeting;
}

Status Meeting::check_member(const Member& member) {
  const std::string who = formatted("rank {} (process {}, device {})", member.rank, member.pid, member.device);
  if (member.rank >= size_)
    return {HCCL_E_PARA, formatted("{} came to a communicator of {} ranks", who, size_), "EI0015"};
  for (const Member& other : members_) {
    const std::string with = formatted("rank {} (process {}, device {})", other.rank, other.pid, other.device);
    if (other.rank == member.rank)
      return {HCCL_E_PARA, formatted("two claim rank {}: {} and {}", member.rank, with, who), "EI0015"};
    if (other.host == member.host && other.device == member.device)
      return {HCCL_E_PARA, formatted("{} and {} use the same device", with, who), "EI0015"};
  }
  return {};
}

Status Meeting::check(uint32_t rank, uint32_t size, uint32_t round, const std::string& text) {
  if (!failure_.ok()) return failure_;
  if (size_ == 0) size_ = size;
  if (size != size_)
    return {HCCL_E_PARA,
            formatted("rank {} gave nRanks {}, rank {} gave {}", rank, size, members_.empty() ? 0 : members_[0].rank,
                      size_),
            "EI0015"};
  if (round > 0) return {};
  const Member member = TRY(Member::parse(text));
  TRY(check_member(member));
  members_.push_back(member);
  return {};
}

void Meeting::post(uint32_t rank, uint32_t size, uint32_t round, std::string text, Reply reply) {
  std::unique_lock lock(mutex_);
  if (Status bad = check(rank, size, round, text); !bad.ok()) {
    bad.message = failure_.ok() ? formatted("the ranks of {} cannot meet: {}", name_, bad.message) : bad.message;
    fail(bad, std::move(lock));
    return reply(bad, {});
  }
  between_.erase(rank);
  Round& now = rounds_[round];
  now.texts[rank] = std::move(text);
  now.replies[rank] = std::move(reply);
  if (now.replies.size() < size_) return;
  Texts texts;
  for (auto& [which, one] : now.texts) texts.push_back(one);
  auto replies = std::exchange(now.replies, {});
  over_ = round == kLastRound;
  if (!over_) between_ = replies;
  lock.unlock();
  for (auto& [which, tell] : replies) tell({}, texts);
}

void Meeting::fail(Status status, std::unique_lock<std::mutex> lock) {
  if (failure_.ok()) failure_ = status;
  over_ = true;
  std::vector<Reply> replies;
  for (auto& [number, round] : rounds_)
    for (auto& [rank, reply] : std::exchange(round.replies, {})) replies.push_back(std::move(reply));
  for (auto& [rank, reply] : std::exchange(between_, {})) replies.push_back(std::move(reply));
  status = failure_;
  lock.unlock();
  for (auto& reply : replies) reply(status, {});
}

std::string Meeting::missing() const {
  std::string text;
  const auto& come = rounds_.rbegin()->second.texts;
  for (uint32_t rank = 0; rank < size_; ++rank)
    if (!come.contains(rank)) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

void Meeting::lose(uint32_t rank, const Status& why) {
  std::unique_lock lock(mutex_);
  if (over_) return;
  between_.erase(rank);
  fail({HCCL_E_INTERNAL,
        formatted("the ranks of {} cannot meet: rank {} {}", name_, rank,
                  why.ok() ? "ended before all had come" : "gave up: " + why.message),
        why.ok() ? "EI0015" : why.message_id},
       std::move(lock));
}

Status Meeting::failure() {
  std::lock_guard lock(mutex_);
  return failure_;
}

void Meeting::expire(std::chrono::seconds waited) {
  std::unique_lock lock(mutex_);
  if (over_ || rounds_.empty()) return;
  fail({HCCL_E_TIMEOUT,
        formatted("{} of the {} ranks of {} came within {} s; missing: rank {}", rounds_.rbegin()->second.texts.size(),
                  size_, name_, waited.count(), missing()),
        "EI0015"},
       std::move(lock));
}

Result<Meeting::Texts> post_and_wait(Meeting& meeting, uint32_t rank, uint32_t size, uint32_t round, std::string text,
                                     std::chrono::seconds patience) {
  struct Answer {
    Status status;
    Meeting::Texts texts;
  };
  struct Promise : std::promise<Answer> {
    std::atomic<bool> answered{false};
  };
  auto promise = std::make_shared<Promise>();
  auto answer = promise->get_future();
  meeting.post(rank, size, round, std::move(text), [promise](const Status& status, const Meeting::Texts& texts) {
    if (!promise->answered.exchange(true)) promise->set_value({status, texts});
  });
  if (answer.wait_for(patience) != std::future_status::ready) meeting.expire(patience);
  Answer got = answer.get();
  if (!got.status.ok()) return got.status;
  return std::move(got.texts);
}

}  // namespace belay::comm
