// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "inspect/tensor.h"

namespace belay::inspect {

// One element of a tensor.
struct Element {
  std::string tensor, index, value;  // "input 1", "[0,2]", "12"
};

// Why an operator overflowed, as far as its tensors tell.
struct Cause {
  Element result;                 // the first element in memory that is not finite, or at the limit of its type
  std::vector<Element> operands;  // what it was computed from; the first is to blame
  std::string why;                // "exp(12) = 162754.8, beyond 65504"; empty when only the largest operand is known
};

// Of operators whose elements are computed one by one the operands are those of the element; of matrix products the
// largest of its terms; of all others the largest element of all inputs. Nothing when the outputs have no such element.
std::optional<Cause> find_cause(const std::string& op_type, const std::vector<DumpedTensor>& tensors);

}  // namespace belay::inspect
