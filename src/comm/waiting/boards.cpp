// SPDX-License-Identifier: Apache-2.0
#include "comm/waiting/boards.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#include "base/text.h"

namespace belay::comm {
namespace {

struct Kept {
  std::mutex mutex;
  std::map<std::string, std::vector<std::weak_ptr<Board>>> boards;  // guarded by mutex; by key
};
Kept& kept() {
  static auto& kept = *new Kept;
  return kept;
}

constexpr char kPart = '/';

// The members stand at the end of a part's key.
std::pair<std::string, std::string> split_key(const std::string& key) {
  const size_t last = key.find_last_not_of(",0123456789");
  const size_t comma = last == std::string::npos ? std::string::npos : key.find(',', last);
  if (comma == std::string::npos) return {key, ""};
  return {key.substr(0, comma), key.substr(comma + 1)};
}

std::vector<std::string> names_in(const std::string& members) {
  std::vector<std::string> names;
  std::istringstream stream(members);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

// Whether the member of that name has its seat at one of the boards.
bool sits(const std::vector<std::weak_ptr<Board>>& boards, const std::vector<std::string>& names,
          const std::string& name) {
  const auto at = static_cast<uint32_t>(std::ranges::find(names, name) - names.begin());
  return at < names.size() && std::ranges::any_of(boards, [&](const auto& weak) {
           const auto board = weak.lock();
           return board && board->seat(at).taken;
         });
}

}  // namespace

std::shared_ptr<Board> take_seat(const std::string& key, const std::string& name, uint32_t size, uint32_t rank,
                                 int device, const std::vector<bool>& here) {
  auto& [mutex, boards] = kept();
  std::lock_guard lock(mutex);
  for (auto& [other, list] : boards) std::erase_if(list, [](const auto& board) { return board.expired(); });
  std::erase_if(boards, [](const auto& row) { return row.second.empty(); });
  auto& row = boards[key];
  for (const auto& weak : row)
    if (auto board = weak.lock(); board && board->size() == size && board->sit(rank, device)) return board;
  auto board = std::make_shared<Board>(name, size);
  for (uint32_t peer = 0; peer < here.size(); ++peer) board->seat(peer).here = here[peer];
  board->sit(rank, device);
  row.push_back(board);
  return board;
}

std::string key_of_part(const std::string& parent, const std::string& name, const std::vector<uint32_t>& ranks) {
  std::string key = parent + kPart + name;
  for (const uint32_t rank : ranks) key += formatted(",{}", rank);
  return key;
}

std::string not_seated(const std::string& key, uint32_t rank) {
  const std::string text = formatted("rank {} has not made this communicator", rank);
  if (key.find(kPart) == std::string::npos) return text;
  const auto [stem, members] = split_key(key);
  const std::vector<std::string> names = names_in(members);
  if (rank >= names.size()) return text;
  std::lock_guard lock(kept().mutex);
  for (const auto& [other, boards] : kept().boards) {
    const auto [other_stem, others] = split_key(other);
    if (other_stem == stem && others != members && sits(boards, names_in(others), names[rank]))
      return formatted("{} of the ranks {}, but one of the ranks {}", text, members, others);
  }
  return text;
}

std::vector<std::shared_ptr<Board>> boards_of(const std::string& key) {
  std::lock_guard lock(kept().mutex);
  std::vector<std::shared_ptr<Board>> live;
  for (const auto& weak : kept().boards[key])
    if (auto board = weak.lock()) live.push_back(std::move(board));
  return live;
}

}  // namespace belay::comm
