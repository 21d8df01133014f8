// SPDX-License-Identifier: Apache-2.0
#include "comm/waiting/waits.h"

#include <algorithm>

#include "base/text.h"
#include "comm/waiting/whereabouts.h"

namespace belay::comm {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{5};
constexpr size_t kLongestTrail = 8192;

}  // namespace

Waits& waits() {
  static auto& waits = *new Waits;
  return waits;
}

std::string Waits::Wait::text() const {
  const std::string which = number ? formatted(", its operation {},", number) : "";
  return formatted("rank {} of communicator {} waits in {}{} for rank {}", rank, board->name(), describe(call), which,
                   peer);
}

Waits::Entry Waits::add(Wait wait) {
  std::lock_guard lock(mutex_);
  wait.id = ++last_id_;
  return waits_.insert(waits_.end(), std::move(wait));
}

void Waits::remove(Entry entry) {
  std::lock_guard lock(mutex_);
  waits_.erase(entry);
}

void Waits::set_peer(Entry entry, uint32_t peer) {
  std::lock_guard lock(mutex_);
  entry->peer = peer;
}

// Whether what `from` waits for comes only after `to` has ended.
bool Waits::blocks(const Wait& from, const Wait& to) {
  const Seat& seat = from.board->seat(from.peer);
  if (!seat.taken || seat.device != to.board->seat(to.rank).device) return false;
  bool queued_behind = false;
  if (from.message) {
    const Traffic& theirs = (from.call.op == Op::Send ? seat.received : seat.sent)[from.rank];
    if (theirs.begun >= from.message) return false;
    queued_behind = theirs.issued.behind(from.message, to.stream);
  } else {
    if (from.board == to.board && to.number == from.number) return false;
    // It has done all that is waited for, which only has not come yet.
    if (seat.finished >= from.number) return false;
    queued_behind = seat.issued.behind(from.number, to.stream);
  }
  const auto before = Clock::now() - kPatience;
  return queued_behind || (from.since < before && to.since < before && to.stream->waited_for());
}

bool Waits::leads_back(const Wait& from, Path& path) const {
  for (const Wait& to : waits_) {
    if (!blocks(from, to)) continue;
    if (&to == path.front()) return true;
    if (std::ranges::find(path, &to) != path.end()) continue;
    path.push_back(&to);
    if (leads_back(to, path)) return true;
    path.pop_back();
  }
  return false;
}

Circle Waits::circle(Entry entry) const {
  std::lock_guard lock(mutex_);
  if (!entry->circle.text.empty()) return entry->circle;
  Path path{&*entry};
  if (!leads_back(*entry, path)) return {};
  Circle found;
  for (const Wait* wait : path) add_to(found, *wait);
  return found;
}

void Waits::add_to(Circle& path, const Wait& wait) {
  path.text += (path.text.empty() ? "" : "; ") + wait.text();
  path.keys.push_back(*wait.key);
}

Trail Waits::onto(Trail trail, const Wait& wait) {
  add_to(trail.path, wait);
  trail.key = *wait.key;
  trail.peer = wait.peer;
  trail.number = wait.number;
  trail.rank = wait.rank;
  trail.sends = wait.call.op == Op::Send;
  trail.message = wait.message;
  trail.age = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - wait.since);
  return trail;
}

std::vector<Trail> Waits::begin_trail(Entry entry, const std::string& own_process) const {
  std::lock_guard lock(mutex_);
  return {onto({own_process, entry->id}, *entry)};
}

std::vector<Trail> Waits::follow_trail(Board& board, const Trail& trail, const std::string& own_process) {
  std::lock_guard lock(mutex_);
  std::vector<Trail> onward;
  const Call call{trail.sends ? Op::Send : Op::Receive};
  const Wait from{&board, nullptr, nullptr,      trail.rank, trail.peer, call, trail.number, Clock::now() - trail.age,
                  0,      {},      trail.message};
  walk(from, trail, own_process, onward);
  return onward;
}

void Waits::walk(const Wait& from, const Trail& trail, const std::string& own_process, std::vector<Trail>& onward) {
  for (Wait& to : waits_) {
    if (!blocks(from, to)) continue;
    if (trail.origin == own_process && trail.wait == to.id) {
      to.circle = trail.path;
    } else if (trail.path.text.find(to.text()) == std::string::npos && trail.path.text.size() < kLongestTrail) {
      const Trail longer = onto(trail, to);
      if (to.board->here(to.peer))
        walk(to, longer, own_process, onward);
      else
        onward.push_back(longer);
    }
  }
}

std::string Waits::absence(Board& board, uint32_t rank, uint64_t number, bool with_stack) const {
  if (!board.here(rank)) return formatted("rank {} is in another process", rank);
  Seat& seat = board.seat(rank);
  const uint64_t issued = seat.issued.last, arrived = seat.arrived / 4;
  std::string text = formatted("rank {} (device {}) ", rank, seat.device);
  if (number == 0)
    text += "has not come to the matching call";
  else if (issued < number)
    text += formatted("has not called operation {} of this communicator", number);
  else
    text += formatted("has called operation {}, but its stream has not come to it", number);
  if (number != 0) text += arrived ? formatted("; it last ran its operation {}", arrived) : "; it has run none yet";
  {
    std::lock_guard lock(mutex_);
    for (const Wait& wait : waits_)
      if (wait.board->seat(wait.rank).device == seat.device &&
          (wait.board != &board || wait.number != number || !number))
        text += "; now " + wait.text();
  }
  const std::string where = with_stack ? whereabouts(seat.thread) : "";
  return where.empty() ? text : text + "; its thread is in " + where;
}

}  // namespace belay::comm
