// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/meeting/hall.h"

namespace belay::comm {

// Ranks that have met: the board of those in this process, with this rank's seat taken, and the engine to the others
// (null when there are none).
struct Introduction {
  std::shared_ptr<Board> board;
  std::shared_ptr<Engine> engine;
};

// Lets a rank meet all others at `attendance`: who they are, then how they are reached. `extra` is compared over the
// ranks: E_INTERNAL, EI0005 where it differs. The board is `seat`, or found by `key`.
struct Newcomer {
  std::string key, name, extra;
  uint32_t size = 0;
  Communicator::Place place;
  std::shared_ptr<Board> seat;
};
Result<Introduction> introduce(Attendance& attendance, const Newcomer& newcomer, Deadline deadline);

}  // namespace belay::comm
