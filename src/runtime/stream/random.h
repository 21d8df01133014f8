// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "acl/acl_base.h"
#include "base/status.h"

namespace belay {

// Random bits by number: each (seed, counter, index, draw) has its own, whoever asks and in whatever order.
class RandomBits {
 public:
  RandomBits(uint64_t seed, uint64_t counter) : seed_(seed), counter_(counter) {}

  // Two independent 64-bit words. `draw` tells repeated tries for one index apart.
  std::array<uint64_t, 2> at(uint64_t index, uint32_t draw = 0) const;
  // A number from [0, 1), with 53 bits.
  double uniform(uint64_t index, uint32_t draw = 0) const;
  // A number of the standard normal distribution.
  double normal(uint64_t index, uint32_t draw = 0) const;

 private:
  const uint64_t seed_, counter_;
};

// A number in one of the types that random tasks know.
struct RandomParameter {
  double real = 0;
  int64_t integer = 0;  // signed types
  uint64_t whole = 0;   // unsigned types
};
// Reads `bytes` of an element of that type; 107000 for types that random tasks do not know.
Result<RandomParameter> read_random_parameter(const void* element, aclDataType type);
// Bytes of one result; 0 for types that random tasks do not know.
size_t random_element_size(aclDataType type);

// Each fills `count` elements of `type` at `out`. 107000 for a type or parameters that make no sense.
// Real types: from min to max; integers: from min up to, not including, max (min itself when they are equal).
Status fill_uniform(const RandomBits& bits, void* out, uint64_t count, aclDataType type, RandomParameter min,
                    RandomParameter max);
Status fill_normal(const RandomBits& bits, void* out, uint64_t count, aclDataType type, double mean, double deviation);
// Values more than two deviations from the mean are drawn again.
Status fill_truncated_normal(const RandomBits& bits, void* out, uint64_t count, aclDataType type, double mean,
                             double deviation);
// `count` bits, lowest first; a bit is 0 (dropped) with the probability `ratio`. The rest of the last byte is 0.
Status fill_dropout_mask(const RandomBits& bits, void* out, uint64_t count, double ratio);

}  // namespace belay
