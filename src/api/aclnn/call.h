// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "aclnn/acl_meta.h"
#include "api/aclnn/objects.h"
#include "base/status.h"
#include "operators/composition.h"
#include "operators/plan.h"

namespace belay::api {

// One argument of an aclnn call, whatever its type. The generated entry points make these.
struct AclnnArgument {
  enum class Kind : uint8_t { Tensor, Tensors, Scalar, Ints, Floats, Bools, Scalars, Integer, Flag, Real, Text };
  Kind kind;
  union {
    const void* object;
    const aclTensor* tensor;
    int64_t integer;
    double real;
  };

  AclnnArgument(const aclTensor* given) : kind(Kind::Tensor), tensor(given) {}
  AclnnArgument(const aclTensorList* given) : kind(Kind::Tensors), object(given) {}
  AclnnArgument(const aclScalar* given) : kind(Kind::Scalar), object(given) {}
  AclnnArgument(const aclIntArray* given) : kind(Kind::Ints), object(given) {}
  AclnnArgument(const aclFloatArray* given) : kind(Kind::Floats), object(given) {}
  AclnnArgument(const aclBoolArray* given) : kind(Kind::Bools), object(given) {}
  AclnnArgument(const aclScalarList* given) : kind(Kind::Scalars), object(given) {}
  AclnnArgument(const char* given) : kind(Kind::Text), object(given) {}
  AclnnArgument(bool given) : kind(Kind::Flag), integer(given) {}
  AclnnArgument(double given) : kind(Kind::Real), real(given) {}
  AclnnArgument(float given) : kind(Kind::Real), real(given) {}
  AclnnArgument(int64_t given) : kind(Kind::Integer), integer(given) {}
  AclnnArgument(uint64_t given) : kind(Kind::Integer), integer(static_cast<int64_t>(given)) {}
  AclnnArgument(uint32_t given) : kind(Kind::Integer), integer(given) {}
  AclnnArgument(int32_t given) : kind(Kind::Integer), integer(given) {}
  AclnnArgument(int8_t given) : kind(Kind::Integer), integer(given) {}
  AclnnArgument(aclDataType given) : kind(Kind::Integer), integer(given) {}
};

// The first phase of every aclnn call: checks everything, and makes an executor. 161001 and 161002 as documented.
aclnnStatus prepare(const char* function, const operators::RecipeRow& row, std::span<const AclnnArgument> arguments,
                    uint64_t* workspace_size, aclOpExecutor** executor) noexcept;
// The second phase: queues it.
aclnnStatus execute(const char* function, void* workspace, uint64_t workspace_size, aclOpExecutor* executor,
                    aclrtStream stream) noexcept;

}  // namespace belay::api
