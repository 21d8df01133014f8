// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend/cpu/whole_call.h"

namespace belay::backend::cpu {

// A rotation of components by pairs: y[i] = x[first[i]] * cos[i] + sign[i] * x[second[i]] * sin[i].
struct Pairs {
  std::vector<int64_t> first, second;
  std::vector<float> sign;

  // 0: halves; 1: neighbours; 2: the halves of both halves; 3: as 0, of the even components and the odd ones.
  static Result<Pairs> of(int64_t mode, int64_t size);
  static Result<int64_t> mode_named(const std::string& name);
};

}  // namespace belay::backend::cpu
