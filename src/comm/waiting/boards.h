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

}  // namespace belay::comm
