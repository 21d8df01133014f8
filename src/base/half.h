// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace belay {

// IEEE binary16 and bfloat16, as bits. To float is exact; from float rounds to nearest, ties to even; what is too large
// becomes infinity; a NaN stays a NaN of the same sign, quiet.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bf16_to_float(uint16_t bits);
uint16_t float_to_bf16(float value);

}  // namespace belay
