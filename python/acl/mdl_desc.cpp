// SPDX-License-Identifier: Apache-2.0
// acl.mdl: what a model looks like, and choosing its shapes.
#include "bind.h"

namespace belay::python {
namespace {

constexpr size_t kMostGears = 4096;

aclError input_dynamic_dims(const aclmdlDesc* desc, size_t index, size_t count, Gears* gears) {
  gears->refused = count > kMostGears;
  if (gears->refused) return ACL_ERROR_INVALID_PARAM;
  gears->dims.resize(count);
  return aclmdlGetInputDynamicDims(desc, index, gears->dims.data(), count);
}

}  // namespace

PyMethodDef* mdl_desc_methods() {
  static PyMethodDef methods[] = {row<"create_desc", aclmdlCreateDesc>(),
                                  row<"destroy_desc", aclmdlDestroyDesc>(),
                                  row<"get_desc", aclmdlGetDesc>(),
                                  row<"get_desc_from_file", aclmdlGetDescFromFile>(),
                                  row<"get_desc_from_mem", aclmdlGetDescFromMem>(),
                                  row<"get_num_inputs", aclmdlGetNumInputs>(),
                                  row<"get_num_outputs", aclmdlGetNumOutputs>(),
                                  row<"get_input_size_by_index", aclmdlGetInputSizeByIndex>(),
                                  row<"get_output_size_by_index", aclmdlGetOutputSizeByIndex>(),
                                  row<"get_input_name_by_index", aclmdlGetInputNameByIndex>(),
                                  row<"get_output_name_by_index", aclmdlGetOutputNameByIndex>(),
                                  row<"get_input_index_by_name", aclmdlGetInputIndexByName>(),
                                  row<"get_output_index_by_name", aclmdlGetOutputIndexByName>(),
                                  row<"get_input_format", aclmdlGetInputFormat>(),
                                  row<"get_output_format", aclmdlGetOutputFormat>(),
                                  row<"get_input_data_type", aclmdlGetInputDataType>(),
                                  row<"get_output_data_type", aclmdlGetOutputDataType>(),
                                  row<"get_input_dims", aclmdlGetInputDims>(),
                                  row<"get_input_dims_v2", aclmdlGetInputDimsV2>(),
                                  row<"get_input_dims_range", aclmdlGetInputDimsRange>(),
                                  row<"get_output_dims", aclmdlGetOutputDims>(),
                                  row<"get_cur_output_dims", aclmdlGetCurOutputDims>(),
                                  row<"get_op_attr", aclmdlGetOpAttr>(),
                                  row<"get_tensor_real_name", aclmdlGetTensorRealName>(),

                                  row<"get_dynamic_batch", aclmdlGetDynamicBatch>(),
                                  row<"get_dynamic_hw", aclmdlGetDynamicHW>(),
                                  row<"get_input_dynamic_gear_count", aclmdlGetInputDynamicGearCount>(),
                                  row<"get_input_dynamic_dims", input_dynamic_dims>(),
                                  row<"set_dynamic_batch_size", aclmdlSetDynamicBatchSize>(),
                                  row<"set_dynamic_hw_size", aclmdlSetDynamicHWSize>(),
                                  row<"set_input_dynamic_dims", aclmdlSetInputDynamicDims>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
