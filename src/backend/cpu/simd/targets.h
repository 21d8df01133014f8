// SPDX-License-Identifier: Apache-2.0
// Included before hwy/foreach_target.h, again and again: no guard.
// Two generations of x86 are enough; each costs a compilation of the file. Older machines run Highway's plain C++.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
