// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "exact/evaluate.h"
#include "exact/yardstick.h"
#include "replay/operator.h"

namespace belay::replay {

// Two tensors of one type and shape, element by element.
struct Distance {
  int64_t count = 0;
  int64_t unequal = 0;  // elements whose bits differ
  int64_t worst = -1;   // of those the one that differs most; -1: there is none
  double a = 0, b = 0;  // its values
};
// 100006 when type or number of elements differ.
Result<Distance> distance(const graph::Constant& a, const graph::Constant& b);

// The outputs of the operator in double precision from its own inputs. Refuses as exact::evaluate does.
Result<std::vector<exact::Output>> recompute(const Operator& op);
// How far an output is from that. 100006 when the numbers of elements differ.
Result<exact::Numbers> judge(const graph::Constant& output, const exact::Output& expected);

// "[0,2,1]": the place of an element.
std::string place_text(const graph::Constant& tensor, int64_t element);

}  // namespace belay::replay
