// SPDX-License-Identifier: Apache-2.0
// acl.*: tensor descriptors.
#include "bind.h"

namespace belay::python {
namespace {

int length(const List<int64_t>& dims) { return static_cast<int>(dims.size()); }

aclTensorDesc* create(aclDataType type, const List<int64_t>& dims, aclFormat format) {
  return aclCreateTensorDesc(type, length(dims), dims.data(), format);
}

template <aclError (*set)(aclTensorDesc*, int, const int64_t*)>
aclError set_dims(aclTensorDesc* desc, const List<int64_t>& dims) {
  return set(desc, length(dims), dims.data());
}

template <aclError (*set)(aclTensorDesc*, size_t, int64_t (*)[2])>
aclError set_ranges(aclTensorDesc* desc, const List<Pair>& ranges) {
  List<Pair> copy = ranges;  // C's parameter is not const
  return set(desc, copy.size(), reinterpret_cast<int64_t(*)[2]>(copy.data()));
}

aclError dim_range(const aclTensorDesc* desc, size_t index, size_t count, Range* range) {
  return aclGetTensorDescDimRange(desc, index, count, range->ends);
}

}  // namespace

PyMethodDef* tensor_methods() {
  static PyMethodDef methods[] = {row<"create_tensor_desc", create>(),
                                  row<"destroy_tensor_desc", aclDestroyTensorDesc>(),
                                  row<"get_tensor_desc_by_index", aclGetTensorDescByIndex>(),
                                  row<"get_tensor_desc_address", aclGetTensorDescAddress>(),
                                  row<"get_tensor_desc_type", aclGetTensorDescType>(),
                                  row<"get_tensor_desc_format", aclGetTensorDescFormat>(),
                                  row<"get_tensor_desc_size", aclGetTensorDescSize>(),
                                  row<"get_tensor_desc_element_count", aclGetTensorDescElementCount>(),
                                  row<"get_tensor_desc_num_dims", aclGetTensorDescNumDims>(),
                                  row<"get_tensor_desc_dim", aclGetTensorDescDim>(),
                                  row<"get_tensor_desc_dim_v2", aclGetTensorDescDimV2>(),
                                  row<"get_tensor_desc_dim_range", dim_range>(),
                                  row<"get_tensor_desc_name", aclGetTensorDescName>(),
                                  row<"set_tensor_desc_name", aclSetTensorDescName>(),
                                  row<"set_tensor_const", aclSetTensorConst>(),
                                  row<"set_tensor_place_ment", aclSetTensorPlaceMent>(),
                                  row<"set_tensor_shape_range", set_ranges<aclSetTensorShapeRange>>(),
                                  row<"set_tensor_value_range", set_ranges<aclSetTensorValueRange>>(),
                                  row<"set_tensor_origin_shape", set_dims<aclSetTensorOriginShape>>(),
                                  row<"set_tensor_origin_format", aclSetTensorOriginFormat>(),
                                  row<"set_tensor_storage_shape", set_dims<aclSetTensorStorageShape>>(),
                                  row<"set_tensor_storage_format", aclSetTensorStorageFormat>(),
                                  row<"set_tensor_shape", set_dims<aclSetTensorShape>>(),
                                  row<"set_tensor_format", aclSetTensorFormat>(),
                                  row<"set_tensor_dynamic_input", aclSetTensorDynamicInput>(),
                                  row<"trans_tensor_desc_format", aclTransTensorDescFormat>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
