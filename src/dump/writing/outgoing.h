// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dump/format/names.h"

namespace belay::dump {

// Bytes of a file, kept alive by their owner; without one, by somebody who waits until they are written.
struct Piece {
  const void* data = nullptr;
  size_t bytes = 0;
  std::shared_ptr<const void> owner;
};

// One file's worth of dump on its way out: `head`, then the pieces.
struct Outgoing {
  Place place;
  std::string head;
  std::vector<Piece> pieces;
  bool grows = false;             // lines at the end of a file that may be there already
  std::shared_ptr<void> counted;  // its share of the bounded memory, besides the pieces'
  std::string target;             // the directory where its file goes; Files::prepare() makes it

  uint64_t bytes() const {
    uint64_t sum = head.size();
    for (const Piece& piece : pieces) sum += piece.bytes;
    return sum;
  }
};

}  // namespace belay::dump
