// SPDX-License-Identifier: Apache-2.0
#include "comm/waits.h"

#include <algorithm>

#include "base/text.h"

namespace belay::comm {

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
  return waits_.insert(waits_.end(), std::move(wait));
}

void Waits::remove(Entry entry) {
  std::lock_guard lock(mutex_);
  waits_.erase(entry);
}

// Whether what `from` waits for comes only after `to` has ended.
bool Waits::blocks(const Wait& from, const Wait& to, std::chrono::steady_clock::time_point before) {
  Seat& seat = from.board->seat(from.peer);
  if (!from.board->here(from.peer) || seat.device != to.board->seat(to.rank).device) return false;
  if (from.board == to.board && to.number == from.number) return false;
  const bool queued_behind = from.number != 0 && seat.issued >= from.number && seat.stream == to.stream;
  return queued_behind || (from.since < before && to.since < before && to.stream->waited_for());
}

bool Waits::leads_back(const Wait& from, Path& path, std::chrono::steady_clock::time_point before) const {
  for (const Wait& to : waits_) {
    if (!blocks(from, to, before)) continue;
    if (&to == path.front()) return true;
    if (std::ranges::find(path, &to) != path.end()) continue;
    path.push_back(&to);
    if (leads_back(to, path, before)) return true;
    path.pop_back();
  }
  return false;
}

std::string Waits::circle(const Board& board, uint32_t rank, std::chrono::seconds patience) const {
  std::lock_guard lock(mutex_);
  const auto mine =
      std::ranges::find_if(waits_, [&](const Wait& wait) { return wait.board == &board && wait.rank == rank; });
  if (mine == waits_.end()) return {};
  Path path{&*mine};
  if (!leads_back(*mine, path, std::chrono::steady_clock::now() - patience)) return {};
  std::string text;
  for (const Wait* wait : path) text += (text.empty() ? "" : "; ") + wait->text();
  return text;
}

std::string Waits::absence(Board& board, uint32_t rank, uint64_t number) const {
  if (!board.here(rank)) return formatted("rank {} is in another process", rank);
  Seat& seat = board.seat(rank);
  const uint64_t issued = seat.issued, arrived = seat.arrived / 4;
  std::string text = formatted("rank {} (device {}) ", rank, seat.device);
  if (number == 0)
    text += "has not come to the matching call";
  else if (issued < number)
    text += formatted("has not called operation {} of this communicator", number);
  else
    text += formatted("has called operation {}, but its stream has not come to it", number);
  if (number != 0) text += arrived ? formatted("; it last ran its operation {}", arrived) : "; it has run none yet";
  std::lock_guard lock(mutex_);
  for (const Wait& wait : waits_)
    if (wait.board->seat(wait.rank).device == seat.device && wait.board != &board) text += "; now " + wait.text();
  return text;
}

}  // namespace belay::comm
