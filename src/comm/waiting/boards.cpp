// SPDX-License-Identifier: Apache-2.0
#include "comm/waiting/boards.h"

#include <map>
#include <mutex>

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

std::vector<std::shared_ptr<Board>> boards_of(const std::string& key) {
  std::lock_guard lock(kept().mutex);
  std::vector<std::shared_ptr<Board>> live;
  for (const auto& weak : kept().boards[key])
    if (auto board = weak.lock()) live.push_back(std::move(board));
  return live;
}

}  // namespace belay::comm
