// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl_base.h"
#include "graph/tensor/types.h"

// What a program says of a tensor: for single operators, and for the inputs and outputs of dynamic-shape models.
struct aclTensorDesc {
  aclDataType type = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  belay::graph::Shape dims;
  aclFormat storage_format = ACL_FORMAT_UNDEFINED;
  belay::graph::Shape storage_dims;
  aclFormat origin_format = ACL_FORMAT_UNDEFINED;
  belay::graph::Shape origin_dims;
  std::vector<std::pair<int64_t, int64_t>> shape_range, value_range;
  std::string name, dynamic_input;
  std::vector<std::byte> constant;  // the value of a constant input
  bool is_constant = false;
  aclMemType placement = ACL_MEMTYPE_DEVICE;
  void* address = nullptr;  // of an operator's tensor, in descriptors that a failed task left

  // The others of an array that one call handed out; only the first element has them.
  std::vector<aclTensorDesc> rest;

  // -1 and -2 dimensions make it 0.
  size_t element_count() const;
  size_t byte_size() const;
};

namespace belay::api {

// aclDataType and the graph's numbers differ in UNDEFINED only.
graph::DataType to_graph(aclDataType type);
aclDataType to_acl(graph::DataType type);
graph::Format to_graph(aclFormat format);
aclFormat to_acl(graph::Format format);

}  // namespace belay::api
