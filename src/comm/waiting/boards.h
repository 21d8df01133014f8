// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/waiting/board.h"

namespace belay::comm {

// The board on which ranks of this process meet that give the same key and size, with this rank's seat taken. A rank
// that comes again begins a new board, on which the others meet it when they come again too.
std::shared_ptr<Board> take_seat(const std::string& key, const std::string& name, uint32_t size, uint32_t rank,
                                 int device, const std::vector<bool>& here);

// Those of this process that still live.
std::vector<std::shared_ptr<Board>> boards_of(const std::string& key);

// The key of a communicator that was made out of that one. Ranks that name other members make another one.
std::string key_of_part(const std::string& parent, const std::string& name, const std::vector<uint32_t>& ranks);

// Why a rank of this process has no seat at the board of that key: "rank 1 has not made this communicator".
std::string not_seated(const std::string& key, uint32_t rank);

}  // namespace belay::comm
