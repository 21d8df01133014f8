// SPDX-License-Identifier: Apache-2.0
// Dimensions and gears of a model's inputs and outputs.
#include <algorithm>
#include <cstring>

#include "acl/acl_mdl.h"
#include "api/core/entry.h"
#include "api/model/desc.h"
#include "api/model/gear.h"
#include "executor/model_registry.h"

using namespace belay;
using namespace belay::api;

namespace {

// The getters take a const description but keep aliases of long names in it.
aclmdlDesc& writable(const aclmdlDesc* desc) { return const_cast<aclmdlDesc&>(*desc); }

Status check(const aclmdlDesc* desc, const void* out, const char* out_name, size_t count, size_t index) {
  TRY(not_null(desc, "modelDesc"));
  TRY(not_null(out, out_name));
  if (index < count) return {};
  return {ACL_ERROR_INVALID_PARAM, "index is " + std::to_string(index) + ", but there are " + std::to_string(count),
          "EH0009"};
}

Status write_dims(const graph::Shape& shape, const std::string& name, aclmdlIODims& dims) {
  if (shape.size() > ACL_MAX_DIM_CNT)
    return {ACL_ERROR_STORAGE_OVER_LIMIT, "the tensor has " + std::to_string(shape.size()) +
                                              " dimensions; aclmdlIODims holds " + std::to_string(ACL_MAX_DIM_CNT)};
  std::memset(dims.name, 0, sizeof(dims.name));
  std::memcpy(dims.name, name.data(), std::min(name.size(), sizeof(dims.name) - 1));
  dims.dimCount = shape.size();
  std::copy(shape.begin(), shape.end(), dims.dims);
  return {};
}

}  // namespace

aclError aclmdlGetInputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(modelDesc, dims, "dims", modelDesc ? modelDesc->in_out.inputs.size() : 0, index));
        const auto& tensor = modelDesc->in_out.inputs[index];
        return write_dims(tensor.dims, writable(modelDesc).short_name(tensor.name, "input", index), *dims);
      },
      modelDesc, index, dims);
}

aclError aclmdlGetInputDimsV2(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(modelDesc, dims, "dims", modelDesc ? modelDesc->in_out.inputs.size() : 0, index));
        const auto& tensor = modelDesc->in_out.inputs[index];
        const auto& shape = tensor.dims_v2.empty() ? tensor.dims : tensor.dims_v2;
        return write_dims(shape, writable(modelDesc).short_name(tensor.name, "input", index), *dims);
      },
      modelDesc, index, dims);
}

aclError aclmdlGetOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(modelDesc, dims, "dims", modelDesc ? modelDesc->in_out.outputs.size() : 0, index));
        const auto& tensor = modelDesc->in_out.outputs[index];
        return write_dims(tensor.dims, writable(modelDesc).short_name(tensor.name, "output", index), *dims);
      },
      modelDesc, index, dims);
}

aclError aclmdlGetCurOutputDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(modelDesc, dims, "dims", modelDesc ? modelDesc->in_out.outputs.size() : 0, index));
        const auto model = TRY(executor::model_registry().find(modelDesc->model_id));
        if (model->dynamic())
          return {ACL_ERROR_API_NOT_SUPPORT,
                  "a dynamic-shape model has no current dims; read the output dataset's tensor descriptors", "EH0011"};
        const auto& tensor = modelDesc->in_out.outputs[index];
        graph::Shape shape = tensor.dims;
        if (model->has_gears()) shape = TRY(output_shape_in(model->in_out(), model->gear(), index));
        return write_dims(shape, writable(modelDesc).short_name(tensor.name, "output", index), *dims);
      },
      modelDesc, index, dims);
}

aclError aclmdlGetInputDimsRange(const aclmdlDesc* modelDesc, size_t index, aclmdlIODimsRange* dimsRange) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(modelDesc, dimsRange, "dimsRange", modelDesc ? modelDesc->in_out.inputs.size() : 0, index));
        const auto& tensor = modelDesc->in_out.inputs[index];
        const bool unknown_rank = tensor.dims.size() == 1 && tensor.dims[0] == -2;
        dimsRange->rangeCount = unknown_rank ? 0 : tensor.dims.size();
        if (dimsRange->rangeCount > ACL_MAX_DIM_CNT)
          return {ACL_ERROR_INTERNAL_ERROR, "the tensor has more dimensions than aclmdlIODimsRange holds"};
        for (size_t i = 0; i < dimsRange->rangeCount; ++i) {
          const int64_t dim = tensor.dims[i];
          const auto range = i < tensor.range.size() ? tensor.range[i]
                             : dim < 0               ? std::pair<int64_t, int64_t>{1, -1}
                                                     : std::pair<int64_t, int64_t>{dim, dim};
          dimsRange->range[i][0] = range.first;
          dimsRange->range[i][1] = range.second;
        }
        return {};
      },
      modelDesc, index, dimsRange);
}

aclError aclmdlGetDynamicBatch(const aclmdlDesc* modelDesc, aclmdlBatch* batch) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelDesc, "modelDesc"));
        TRY(not_null(batch, "batch"));
        const auto& gears = modelDesc->in_out.dynamic_batch;
        if (gears.size() > ACL_MAX_BATCH_NUM)
          return {ACL_ERROR_STORAGE_OVER_LIMIT, "the model has more batch sizes than aclmdlBatch holds"};
        batch->batchCount = gears.size();
        std::copy(gears.begin(), gears.end(), batch->batch);
        return {};
      },
      modelDesc, batch);
}

aclError aclmdlGetDynamicHW(const aclmdlDesc* modelDesc, size_t index, aclmdlHW* hw) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelDesc, "modelDesc"));
        TRY(not_null(hw, "hw"));
        const auto& gears = modelDesc->in_out.dynamic_hw;
        if (gears.size() > ACL_MAX_HW_NUM)
          return {ACL_ERROR_STORAGE_OVER_LIMIT, "the model has more image sizes than aclmdlHW holds"};
        hw->hwCount = gears.size();
        for (size_t i = 0; i < gears.size(); ++i) {
          hw->hw[i][0] = static_cast<uint64_t>(gears[i][0]);
          hw->hw[i][1] = static_cast<uint64_t>(gears[i][1]);
        }
        return {};
      },
      modelDesc, index, hw);
}

namespace {

constexpr size_t kAllInputs = static_cast<size_t>(-1);

Status check_all_inputs(size_t index) {
  if (index == kAllInputs) return {};
  return {ACL_ERROR_INVALID_PARAM, "index must be -1: gears are for all inputs together", "EH0009"};
}

}  // namespace

aclError aclmdlGetInputDynamicGearCount(const aclmdlDesc* modelDesc, size_t index, size_t* gearCount) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelDesc, "modelDesc"));
        TRY(not_null(gearCount, "gearCount"));
        TRY(check_all_inputs(index));
        const auto& gears = modelDesc->in_out.dynamic_dims;
        if (gears.size() > ACL_MAX_SHAPE_COUNT)
          return {ACL_ERROR_STORAGE_OVER_LIMIT, "the model has more than 128 gears"};
        *gearCount = gears.size();
        return {};
      },
      modelDesc, index, gearCount);
}

aclError aclmdlGetInputDynamicDims(const aclmdlDesc* modelDesc, size_t index, aclmdlIODims* dims, size_t gearCount) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelDesc, "modelDesc"));
        TRY(not_null(dims, "dims"));
        TRY(check_all_inputs(index));
        const auto& gears = modelDesc->in_out.dynamic_dims;
        if (gearCount < gears.size())
          return {ACL_ERROR_INVALID_PARAM,
                  "gearCount is " + std::to_string(gearCount) + ", but the model has " + std::to_string(gears.size()) +
                      " gears",
                  "EH0009"};
        for (size_t gear = 0; gear < gears.size(); ++gear) {
          const auto& values = gears[gear];
          size_t at = 0, next = 0;
          for (const auto* tensor : inputs_in_gear_order(modelDesc->in_out)) {
            for (const int64_t dim : tensor->dims) {
              if (at == ACL_MAX_DIM_CNT)
                return {ACL_ERROR_FAILURE, "the inputs together have more dimensions than aclmdlIODims holds"};
              dims[gear].dims[at++] = dim >= 0 ? dim : next < values.size() ? values[next++] : -1;
            }
          }
          dims[gear].dimCount = at;
        }
        return {};
      },
      modelDesc, index, dims, gearCount);
}

const char* aclmdlGetOpAttr(aclmdlDesc* modelDesc, const char* opName, const char* attr) {
  return entry_value<const char*>(
      __func__, nullptr,
      [&]() -> const char* {
        if (!modelDesc || !opName || !attr) return nullptr;
        if (std::strcmp(attr, ACL_ATTR_NAME_DATA_DUMP_ORIGIN_OP_NAMES) != 0) return nullptr;
        const auto model = executor::model_registry().find(modelDesc->model_id);
        if (!model.ok()) {
          report("aclmdlGetOpAttr", model.status());
          return nullptr;
        }
        std::string text;
        for (const auto& graph : (*model)->model().graphs)
          if (const int node = graph.find(opName); node >= 0)
            if (const auto* names = graph::get_if<std::vector<std::string>>(graph.nodes[node].attributes, attr))
              for (const std::string& name : *names) text += "[" + std::to_string(name.size()) + "]" + name;
        return (modelDesc->op_attributes[opName] = text).c_str();
      },
      modelDesc, opName, attr);
}
