// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hwy/targets.h"

namespace belay::test {

// While it lives, vector code does not use the instruction sets in `without`.
class OlderProcessor {
 public:
  explicit OlderProcessor(int64_t without) {
    hwy::SetSupportedTargetsForTest(hwy::SupportedTargets() & ~without);
    hwy::GetChosenTarget().DeInit();
  }
  ~OlderProcessor() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
  }
  OlderProcessor(const OlderProcessor&) = delete;
  OlderProcessor& operator=(const OlderProcessor&) = delete;
};

constexpr int64_t avx512 = HWY_AVX3 | HWY_AVX3_DL;

}  // namespace belay::test
