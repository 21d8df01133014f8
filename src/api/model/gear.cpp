// SPDX-License-Identifier: Apache-2.0
#include "api/model/gear.h"

#include <algorithm>

#include "acl/acl_mdl.h"
#include "api/core/entry.h"
#include "api/model/desc.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/memory/blocks.h"

namespace belay::api {
namespace {

template <class T>
std::vector<int64_t> read_values(const void* data, size_t count) {
  std::vector<T> values(count);
  copy_memory(values.data(), data, count * sizeof(T));
  return {values.begin(), values.end()};
}

const char* setter_of(const graph::ModelInOut& in_out) {
  if (!in_out.dynamic_batch.empty()) return "aclmdlSetDynamicBatchSize";
  return in_out.dynamic_hw.empty() ? "aclmdlSetInputDynamicDims" : "aclmdlSetDynamicHWSize";
}

// The -1 axes become the values of the gear from `next` on.
void fill(graph::Shape& shape, const std::vector<int64_t>& values, size_t& next) {
  for (int64_t& dim : shape)
    if (dim == -1 && next < values.size()) dim = values[next++];
}

// An image that AIPP makes the input from has the gear's batch; its buffer has dimensions of its own.
graph::Shape image_in(const graph::InOutInfo& tensor, const std::vector<int64_t>& values) {
  graph::Shape shape = tensor.dims_v2;
  if (!tensor.dims.empty() && tensor.dims[0] == -1 && !shape.empty() && !values.empty()) shape[0] = values[0];
  return shape;
}

}  // namespace

Result<executor::Gear> read_gear(const executor::RegisteredModel& model, const aclDataBuffer& buffer) {
  const auto& gears = model.gears();
  const size_t count = gears.front().size();
  TRY(not_null(buffer.data, "the memory of the buffer of " ACL_DYNAMIC_TENSOR_NAME));
  if (buffer.size < count * sizeof(int32_t))
    return Status{ACL_ERROR_GE_FAILURE,
                  formatted("the buffer of {} has {} bytes; a gear of model \"{}\" needs {}", ACL_DYNAMIC_TENSOR_NAME,
                            buffer.size, model.name(), count * sizeof(int32_t)),
                  "E13025"};
  const bool wide = buffer.size >= count * sizeof(int64_t);  // then the values have 64 bits each
  TRY(blocks().check_range(buffer.data, count * (wide ? sizeof(int64_t) : sizeof(int32_t)),
                           "the buffer of " ACL_DYNAMIC_TENSOR_NAME));
  const auto found = [&](std::vector<int64_t> values) { return std::ranges::find(gears, values); };
  auto gear = wide ? found(read_values<int64_t>(buffer.data, count)) : gears.end();
  if (gear == gears.end()) gear = found(read_values<int32_t>(buffer.data, count));
  if (gear != gears.end()) return executor::Gear{*gear, static_cast<size_t>(gear - gears.begin())};
  return Status{ACL_ERROR_GE_FAILURE,
                formatted("no gear is set: {} of the dataset holds {}, model \"{}\" has {}; call {} with this dataset",
                          ACL_DYNAMIC_TENSOR_NAME, to_text({read_values<int32_t>(buffer.data, count)}), model.name(),
                          to_text(gears), setter_of(model.in_out())),
                "E13025"};
}

std::vector<graph::Shape> input_shapes_in(const graph::ModelInOut& in_out, const executor::Gear& gear) {
  std::vector<graph::Shape> shapes;
  for (const auto& tensor : in_out.inputs) shapes.push_back(tensor.dims);
  size_t next = 0;
  for (const auto* tensor : inputs_in_gear_order(in_out)) {
    const auto index = static_cast<size_t>(tensor - in_out.inputs.data());
    if (in_out.dynamic_dims.empty()) next = 0;  // each input has the same batch or image size
    if (!tensor->dims_v2.empty() && tensor->dims_v2 != tensor->dims)
      shapes[index] = image_in(*tensor, gear.values);
    else
      fill(shapes[index], gear.values, next);
  }
  return shapes;
}

// The outputs' dims of each gear are texts "gear,output,dim,dim,..." in the file.
Result<graph::Shape> output_shape_in(const graph::ModelInOut& in_out, const executor::Gear& gear, size_t output) {
  for (const std::string& text : in_out.dynamic_output_shapes) {
    std::vector<int64_t> numbers;
    for (size_t at = 0; at < text.size();) {
      size_t used = 0;
      numbers.push_back(std::stoll(text.substr(at), &used));
      at += used + 1;
    }
    if (numbers.size() >= 2 && numbers[0] == static_cast<int64_t>(gear.index) &&
        numbers[1] == static_cast<int64_t>(output))
      return graph::Shape(numbers.begin() + 2, numbers.end());
  }
  return Status{ACL_ERROR_INVALID_PARAM, "the model does not say the output dims of this gear"};
}

std::string to_text(const std::vector<std::vector<int64_t>>& gears) {
  std::string text;
  for (const auto& gear : gears) {
    text += text.empty() ? "" : "; ";
    for (size_t i = 0; i < gear.size(); ++i) text += (i ? "," : "") + std::to_string(gear[i]);
  }
  return text;
}

}  // namespace belay::api
