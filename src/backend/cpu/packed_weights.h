// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/status.h"

namespace belay::backend::cpu {

// Weights in the order that a kernel wants. Kernels that want the same bytes in the same order share them: programs of
// one model for several input shapes pack once.
using PackedWeights = std::shared_ptr<const void>;

// Weights in a form of the caller's: `form` and the bytes given tell it from others. `fill` writes them. Of weights in
// a mapped file the pages are given back: nobody is expected to read them soon.
Result<PackedWeights> pack_as(const std::string& form, const void* data, size_t given, size_t wanted,
                              const std::function<Status(void*)>& fill);

// Memory for weights, 64-byte aligned.
Result<std::shared_ptr<void>> allocate_packed(size_t bytes);

}  // namespace belay::backend::cpu
