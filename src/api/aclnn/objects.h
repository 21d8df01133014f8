// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "aclnn/acl_meta.h"
#include "graph/tensor/types.h"

namespace belay::api {

// A view of memory: element (i, j...) lies at data + (offset + i * strides[0] + j * strides[1]...) elements.
struct TensorView {
  aclDataType type = ACL_DT_UNDEFINED;
  graph::Shape shape, strides, storage_shape;
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  void* data = nullptr;

  int64_t count() const { return graph::element_count(shape); }
  size_t element_bytes() const;
  size_t bytes() const;
  bool contiguous() const;
  // Whether kernels may take its elements as what they are.
  bool aligned() const;
  // Has this shape from now on, without gaps where there were none.
  void become(const graph::Shape& real);
  // The first element.
  std::byte* first() const;
  // The bytes between the first and the last element that the view reaches, as addresses [first, second).
  std::pair<const std::byte*, const std::byte*> reach() const;
};

// A value as wide as any type.
struct Scalar {
  aclDataType type = ACL_DT_UNDEFINED;
  alignas(16) std::byte bytes[16] = {};

  bool whole() const;  // bool or integer
  int64_t integer() const;
  double real() const;
};

}  // namespace belay::api

// Executors read the view when they run, so that an address set meanwhile holds; they keep it when the tensor is gone.
struct aclTensor {
  std::shared_ptr<belay::api::TensorView> view;
};
struct aclScalar {
  belay::api::Scalar value;
};
struct aclIntArray {
  std::vector<int64_t> values;
};
struct aclFloatArray {
  std::vector<float> values;
};
struct aclBoolArray {
  std::vector<uint8_t> values;
};
// Lists own their members.
struct aclTensorList {
  std::vector<const aclTensor*> members;
};
struct aclScalarList {
  std::vector<const aclScalar*> members;
};
