// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "executor/observer.h"

namespace belay::operators {

// Who watches operators that run outside models. Plans made from now on ask them which nodes they want; plans made
// before are not used again.
void set_observers(std::vector<std::shared_ptr<executor::Observer>> observers);
std::vector<std::shared_ptr<executor::Observer>> observers();
// Counts the calls of set_observers.
uint64_t observers_generation();

}  // namespace belay::operators
