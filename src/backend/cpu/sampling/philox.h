// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace belay::backend::cpu {

// Philox4x32-10: numbers that depend on a seed, an offset and their place alone, so that any may be drawn by itself.
class Philox {
 public:
  Philox(uint64_t seed, uint64_t offset) : seed_(seed), offset_(offset) {}

  using Words = std::array<uint32_t, 4>;
  // Four words; the counter is the block in its low half and the offset in its high half.
  Words block(uint64_t index) const {
    Words c{low(index), high(index), low(offset_), high(offset_)};
    uint32_t k0 = low(seed_), k1 = high(seed_);
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c[0], b = uint64_t{0xCD9E8D57} * c[2];
      c = {high(b) ^ c[1] ^ k0, low(b), high(a) ^ c[3] ^ k1, low(a)};
      k0 += 0x9E3779B9, k1 += 0xBB67AE85;
    }
    return c;
  }
  uint32_t word(uint64_t i) const { return block(i / 4)[i % 4]; }
  uint64_t wide(uint64_t i) const {
    const Words words = block(i / 2);
    return words[i % 2 * 2] | uint64_t{words[i % 2 * 2 + 1]} << 32;
  }
  // Between 0 and 1, never one of them.
  double uniform(uint64_t i) const { return (word(i) + 0.5) * 0x1p-32; }
  // Box and Muller's, two from two.
  double normal(uint64_t i) const {
    const uint64_t pair = i / 2 * 2;
    const double radius = std::sqrt(-2 * std::log(uniform(pair))), angle = 2 * M_PI * uniform(pair + 1);
    return radius * (i % 2 ? std::sin(angle) : std::cos(angle));
  }

 private:
  static uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
  const uint64_t seed_, offset_;
};

}  // namespace belay::backend::cpu
