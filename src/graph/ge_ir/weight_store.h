// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/files/atomic_file.h"

namespace belay::graph {

// The WEIGHTS_DATA partition while it is made: every constant starts at a multiple of 512, the first at 512; equal ones
// share their place. Borrows the bytes until they are written.
class WeightStore {
 public:
  // Where these bytes lie; 0 for none.
  uint64_t add(std::span<const std::byte> bytes);

  // 0 when there are no weights.
  size_t size() const { return pieces_.empty() ? 0 : size_; }
  // The whole partition: zeros and borrowed bytes that follow one another.
  Pieces pieces() const;

 private:
  struct Piece {
    uint64_t offset;
    std::span<const std::byte> bytes;
  };
  const Piece* find(std::span<const std::byte> bytes, size_t hash) const;

  std::vector<Piece> pieces_;
  std::unordered_multimap<size_t, size_t> by_hash_;  // to pieces_
  uint64_t size_ = 512;
};

}  // namespace belay::graph
