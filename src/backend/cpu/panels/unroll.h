// SPDX-License-Identifier: Apache-2.0
#pragma once

// g++ keeps an array of vectors in registers only where every index is known.
#define BELAY_UNROLL _Pragma("GCC unroll 16")
