// SPDX-License-Identifier: Apache-2.0
// Choosing the gear of a model that was converted for several batch sizes, image sizes or dims.
#include <algorithm>

#include "acl/acl_mdl.h"
#include "api/core/entry.h"
#include "api/model/dataset.h"
#include "api/model/desc.h"
#include "api/model/file.h"
#include "api/model/gear.h"
#include "base/device_memory.h"
#include "executor/model_registry.h"
#include "runtime/device/current.h"
#include "runtime/memory/blocks.h"
#include "runtime/stream/write_gate.h"

using namespace belay;
using namespace belay::api;

namespace {

Status bad_length(const std::string& why) {
  return {static_cast<aclError>(ACL_ERROR_GE_DYNAMIC_INPUT_LENGTH_INVALID), why};
}

// The gear input's buffer takes 64-bit values when it has room for them, else 32-bit ones.
template <class T>
Status write_values(const aclDataBuffer& buffer, const std::vector<int64_t>& values) {
  const std::vector<T> written(values.begin(), values.end());
  const size_t bytes = written.size() * sizeof(T);
  TRY(current_context());
  TRY(blocks().check_range(blocks().locate(buffer.data), buffer.data, bytes, "the buffer of " ACL_DYNAMIC_TENSOR_NAME,
                           Use::Write));
  const WriteGate::Writing writing;
  copy_memory(buffer.data, written.data(), bytes);
  return {};
}

Result<aclDataBuffer*> gear_buffer(const aclmdlDataset* dataset, size_t index, size_t values) {
  if (index >= dataset->entries.size())
    return Status{ACL_ERROR_INVALID_PARAM,
                  "index is " + std::to_string(index) + ", but the dataset has " +
                      std::to_string(dataset->entries.size()) + " buffers; use the index of " ACL_DYNAMIC_TENSOR_NAME,
                  "EH0009"};
  aclDataBuffer* buffer = dataset->entries[index].buffer;
  TRY(not_null(buffer, "the dataset's buffer"));
  TRY(not_null(buffer->data, "the memory of the dataset's buffer"));
  if (buffer->size < values * sizeof(int32_t))
    return bad_length("the buffer of " ACL_DYNAMIC_TENSOR_NAME " has " + std::to_string(buffer->size) +
                      " bytes; the gear needs " + std::to_string(values * sizeof(int32_t)));
  return buffer;
}

Status set_gear(uint32_t model_id, aclmdlDataset* dataset, size_t index, const std::vector<int64_t>& values,
                const std::vector<std::vector<int64_t>>& gears, executor::RegisteredModel& model) {
  aclDataBuffer* buffer = TRY(gear_buffer(dataset, index, values.size()));
  const auto found = std::find(gears.begin(), gears.end(), values);
  if (found == gears.end())
    return {static_cast<aclError>(ACL_ERROR_GE_DYNAMIC_BATCH_SIZE_INVALID),
            "model " + std::to_string(model_id) + " was not converted for this gear; it has: " + to_text(gears)};
  TRY(buffer->size >= values.size() * sizeof(uint64_t) ? write_values<uint64_t>(*buffer, values)
                                                       : write_values<int32_t>(*buffer, values));
  model.set_gear({values, static_cast<size_t>(found - gears.begin())});
  dataset->gear_set = true;
  return {};
}

// The values of the -1 axes among the concatenated dims of all inputs; fixed ones must be as they are.
Result<std::vector<int64_t>> dynamic_values(const graph::ModelInOut& in_out, const aclmdlIODims& dims) {
  std::vector<int64_t> fixed;
  for (const auto* tensor : inputs_in_gear_order(in_out))
    fixed.insert(fixed.end(), tensor->dims.begin(), tensor->dims.end());
  if (dims.dimCount != fixed.size())
    return bad_length("dims has " + std::to_string(dims.dimCount) + " dimensions; all inputs together have " +
                      std::to_string(fixed.size()));
  std::vector<int64_t> values;
  for (size_t i = 0; i < fixed.size(); ++i) {
    if (fixed[i] < 0)
      values.push_back(dims.dims[i]);
    else if (fixed[i] != dims.dims[i])
      return bad_length("dimension " + std::to_string(i) + " is " + std::to_string(dims.dims[i]) + "; it is fixed to " +
                        std::to_string(fixed[i]));
  }
  return values;
}

Status above_zero(uint64_t value, const char* parameter) {
  if (value > 0) return {};
  return {ACL_ERROR_INVALID_PARAM, std::string(parameter) + " must be above 0", "EH0009"};
}

}  // namespace

aclError aclmdlSetDynamicBatchSize(uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t batchSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(dataset, "dataset"));
        TRY(above_zero(batchSize, "batchSize"));
        auto model = TRY(executor::model_registry().find(modelId));
        std::vector<std::vector<int64_t>> gears;
        for (const int64_t batch : model->in_out().dynamic_batch) gears.push_back({batch});
        return set_gear(modelId, dataset, index, {static_cast<int64_t>(batchSize)}, gears, *model);
      },
      modelId, dataset, index, batchSize);
}

aclError aclmdlSetDynamicHWSize(uint32_t modelId, aclmdlDataset* dataset, size_t index, uint64_t height,
                                uint64_t width) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(dataset, "dataset"));
        TRY(above_zero(height, "height"));
        TRY(above_zero(width, "width"));
        auto model = TRY(executor::model_registry().find(modelId));
        return set_gear(modelId, dataset, index, {static_cast<int64_t>(height), static_cast<int64_t>(width)},
                        model->in_out().dynamic_hw, *model);
      },
      modelId, dataset, index, height, width);
}

aclError aclmdlSetInputDynamicDims(uint32_t modelId, aclmdlDataset* dataset, size_t index, const aclmdlIODims* dims) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(dataset, "dataset"));
        TRY(not_null(dims, "dims"));
        TRY(above_zero(dims->dimCount, "dims->dimCount"));
        auto model = TRY(executor::model_registry().find(modelId));
        const auto values = TRY(dynamic_values(model->in_out(), *dims));
        return set_gear(modelId, dataset, index, values, model->in_out().dynamic_dims, *model);
      },
      modelId, dataset, index, dims);
}
