// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "aclnnop/aclnn_set_pytorch_random.h"
#include "api/core/entry.h"

using namespace belay::api;

// Kept for the process. It changes nothing here: random numbers are the same ones with it and without it.
aclnnStatus aclnnSetPytorchRandom(int32_t pytorchRandom) {
  static std::atomic<int32_t> kept{0};
  return entry(
      __func__,
      [&] {
        kept = pytorchRandom;
        return belay::Status{};
      },
      pytorchRandom);
}
