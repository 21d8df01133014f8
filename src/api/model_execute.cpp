// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "acl/acl_mdl.h"
#include "api/dataset.h"
#include "api/entry.h"
#include "api/exception.h"
#include "api/exec_config.h"
#include "api/model_file.h"
#include "api/stream_allocator.h"
#include "api/task_overflow.h"
#include "executor/model_registry.h"
#include "runtime/current.h"
#include "runtime/device.h"
#include "runtime/heap.h"

using namespace belay;
using namespace belay::api;

namespace {

using executor::RegisteredModel;
using executor::Tensor;

// A program may pass a buffer that is this much shorter than the tensor (runtime.md 6.7).
constexpr size_t kSizeTolerance = 64;

// An input whose buffer is a little shorter than its tensor: it is copied when the run starts, so that no kernel reads
// past the end of the program's memory.
struct ShortInput {
  size_t index;
  size_t bytes;
  std::vector<std::byte> padded;
};

// One execution: the model, and its tensors as the datasets described them when the call was made.
struct Execution {
  std::shared_ptr<RegisteredModel> model;
  executor::RunInfo info{};
  std::vector<Tensor> inputs, outputs;
  std::vector<aclDataBuffer*> buffers;  // of the outputs
  std::unique_ptr<StreamAllocator> allocator;
  std::vector<ShortInput> short_inputs;
  std::vector<int32_t> gear;  // what the gear input holds, whatever the width of the program's buffer
  std::optional<TaskOverflow> overflow;
  aclmdlDataset* described_late = nullptr;  // the outputs, when only the run can tell their shapes

  Status run();
  // The same as a task of a stream, which also tells of an overflow.
  Status run_task();
};

Status input_error(const std::string& why) { return {ACL_ERROR_GE_FAILURE, why, "E13025"}; }

Status check_counts(const RegisteredModel& model, const aclmdlDataset& input, const aclmdlDataset& output) {
  const size_t inputs = model.in_out().inputs.size(), outputs = model.in_out().outputs.size();
  const bool few_inputs = input.entries.size() < inputs;
  const auto said = [&](const char* what, size_t given, size_t wanted) {
    return "the dataset has " + std::to_string(given) + " " + what + ", but model \"" + model.name() + "\" has " +
           std::to_string(wanted);
  };
  if (model.dynamic()) {
    if (few_inputs) return {ACL_ERROR_INVALID_PARAM, said("inputs", input.entries.size(), inputs), "EH0012"};
  } else if (input.entries.size() != inputs) {
    return input_error(said("inputs", input.entries.size(), inputs));
  }
  if (output.entries.size() < outputs || (!model.dynamic() && output.entries.size() != outputs))
    return input_error(said("outputs", output.entries.size(), outputs));
  return {};
}

Status check_size(const graph::InOutInfo& tensor, const aclDataBuffer& buffer, const char* what) {
  if (buffer.size + kSizeTolerance >= tensor.size) return {};
  return input_error(std::string(what) + " \"" + tensor.name + "\" has " + std::to_string(tensor.size) +
                     " bytes, but its buffer only " + std::to_string(buffer.size));
}

// The shape of an input of a dynamic-shape model: what the program set, inside what the model allows.
Result<graph::Shape> dynamic_shape(const graph::InOutInfo& tensor, const aclTensorDesc* desc) {
  if (!desc) {
    if (graph::is_known(tensor.dims)) return tensor.dims;
    return Status{ACL_ERROR_INVALID_PARAM,
                  "input \"" + tensor.name + "\" has shape " + graph::to_text(tensor.dims) +
                      "; say which with aclmdlSetDatasetTensorDesc",
                  "EH0012"};
  }
  const bool unknown_rank = tensor.dims.size() == 1 && tensor.dims[0] == -2;
  bool fits = unknown_rank || desc->dims.size() == tensor.dims.size();
  for (size_t i = 0; fits && !unknown_rank && i < desc->dims.size(); ++i) {
    const int64_t dim = desc->dims[i];
    if (tensor.dims[i] >= 0)
      fits = dim == tensor.dims[i];
    else if (i < tensor.range.size())
      fits = dim >= tensor.range[i].first && (tensor.range[i].second < 0 || dim <= tensor.range[i].second);
  }
  if (!fits)
    return Status{ACL_ERROR_INVALID_PARAM,
                  "input \"" + tensor.name + "\" cannot have shape " + graph::to_text(desc->dims) +
                      "; the model was converted for " + graph::to_text(tensor.dims),
                  "EH0012"};
  return desc->dims;
}

Status take_inputs(Execution& execution, const aclmdlDataset& dataset) {
  const auto& in_out = execution.model->in_out();
  for (size_t i = 0; i < in_out.inputs.size(); ++i) {
    const auto& tensor = in_out.inputs[i];
    const auto& entry = dataset.entries[i];
    TRY(not_null(entry.buffer, "a data buffer of the input dataset"));
    Tensor taken{tensor.type, tensor.dims, backend::Layout::Plain, entry.buffer->data};
    if (execution.model->has_gears() && tensor.name == ACL_DYNAMIC_TENSOR_NAME) {
      const auto gear = execution.model->gear();
      execution.gear.assign(gear.values.begin(), gear.values.end());
      taken.data = execution.gear.data();
    } else if (execution.model->dynamic()) {
      taken.shape = TRY(dynamic_shape(tensor, entry.desc.get()));
      if (entry.buffer->size < graph::bytes_of(taken.type, taken.count()))
        return {ACL_ERROR_INVALID_PARAM,
                "input \"" + tensor.name + "\" of shape " + graph::to_text(taken.shape) + " needs " +
                    std::to_string(graph::bytes_of(taken.type, taken.count())) + " bytes, its buffer has " +
                    std::to_string(entry.buffer->size),
                "EH0012"};
    } else if (!dataset.gear_set) {
      TRY(check_size(tensor, *entry.buffer, "input"));
      if (entry.buffer->size < tensor.size)
        execution.short_inputs.push_back({i, entry.buffer->size, std::vector<std::byte>(tensor.size)});
    }
    if (!taken.data && taken.count() != 0)
      return {ACL_ERROR_INVALID_PARAM, "the buffer of input \"" + tensor.name + "\" has no memory", "EH0012"};
    execution.inputs.push_back(std::move(taken));
  }
  return {};
}

// Memory for an output that the program left to us: it frees it with aclrtFree.
Status allocate(int device, aclDataBuffer& buffer, size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 1);
  const auto charged = padded_size(size);
  if (!charged)
    return {ACL_ERROR_RT_MEMORY_ALLOCATION,
            "an output of " + std::to_string(bytes) + " bytes is larger than any memory"};
  buffer.data = TRY(device_heap(device).allocate(size, *charged, "aclmdlExecute"));
  buffer.size = bytes;
  return {};
}

Status take_outputs(Execution& execution, const aclmdlDataset& dataset, bool may_allocate) {
  const auto& in_out = execution.model->in_out();
  std::vector<graph::TensorInfo> known;
  for (const Tensor& input : execution.inputs) known.push_back({input.type, input.shape});
  std::vector<graph::TensorInfo> inferred;
  if (execution.model->dynamic()) inferred = TRY(execution.model->loaded().infer_outputs(known));
  for (size_t i = 0; i < in_out.outputs.size(); ++i) {
    const auto& tensor = in_out.outputs[i];
    aclDataBuffer* buffer = dataset.entries[i].buffer;
    TRY(not_null(buffer, "a data buffer of the output dataset"));
    Tensor taken{tensor.type, execution.model->dynamic() ? inferred[i].shape : tensor.dims, backend::Layout::Plain,
                 buffer->data};
    const bool known_shape = graph::is_known(taken.shape);
    const size_t bytes = known_shape ? graph::bytes_of(taken.type, taken.count()) : 0;
    if (!known_shape) taken.data = nullptr;  // the model allocates it, hand_over copies it
    if (!buffer->data && buffer->size == 0) {
      if (!may_allocate)
        return {ACL_ERROR_INVALID_PARAM,
                "output \"" + tensor.name + "\" has no memory; only synchronous executions allocate it", "EH0012"};
      if (known_shape)
        TRY(allocate(execution.info.device_id, *buffer, std::max(bytes, static_cast<size_t>(tensor.size))));
      taken.data = buffer->data;
    } else if (execution.model->dynamic() && known_shape && buffer->size < bytes) {
      return input_error("output \"" + tensor.name + "\" needs " + std::to_string(bytes) + " bytes, its buffer has " +
                         std::to_string(buffer->size));
    } else if (!execution.model->dynamic() && !dataset.gear_set && !execution.model->has_gears()) {
      TRY(check_size(tensor, *buffer, "output"));
      if (buffer->size < bytes) taken.data = nullptr;  // hand_over copies what there is room for
    }
    execution.outputs.push_back(std::move(taken));
    execution.buffers.push_back(buffer);
  }
  return {};
}

// After a run of a dynamic-shape model: what came out, for aclmdlGetDatasetTensorDesc.
void describe_outputs(const RegisteredModel& model, const std::vector<Tensor>& outputs, aclmdlDataset& dataset) {
  if (!model.dynamic()) return;
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto desc = std::make_unique<aclTensorDesc>();
    desc->type = to_acl(outputs[i].type);
    desc->format = to_acl(model.in_out().outputs[i].format);
    desc->dims = outputs[i].shape;
    desc->name = model.in_out().outputs[i].name;
    dataset.entries[i].desc = std::move(desc);
  }
}

Result<std::shared_ptr<Execution>> prepare(uint32_t model_id, const aclmdlDataset* input, aclmdlDataset* output,
                                           const Stream& stream, bool synchronous) {
  auto execution = std::make_shared<Execution>();
  execution->model = TRY(executor::model_registry().find(model_id));
  execution->info.stream_id = static_cast<uint32_t>(stream.id());
  execution->info.device_id = stream.context()->device().id();
  execution->overflow.emplace(stream);
  TRY(check_counts(*execution->model, *input, *output));
  TRY(take_inputs(*execution, *input));
  TRY(take_outputs(*execution, *output, synchronous));
  return execution;
}

// Copies what the model allocated itself (a shape that only the run could tell) into device memory of the program's.
Status hand_over(Execution& execution) {
  for (size_t i = 0; i < execution.outputs.size(); ++i) {
    aclDataBuffer& buffer = *execution.buffers[i];
    Tensor& output = execution.outputs[i];
    if (buffer.data == output.data) continue;
    const std::unique_ptr<void, decltype(&std::free)> made(output.data, std::free);
    const size_t bytes = graph::bytes_of(output.type, output.count());
    if (!buffer.data) TRY(allocate(execution.info.device_id, buffer, bytes));
    if (buffer.size + (execution.model->dynamic() ? 0 : kSizeTolerance) < bytes)
      return input_error("an output's buffer has " + std::to_string(buffer.size) + " bytes; the model computed " +
                         std::to_string(bytes));
    std::memcpy(buffer.data, output.data, std::min(bytes, buffer.size));
    output.data = buffer.data;
  }
  return {};
}

Status Execution::run() {
  for (ShortInput& input : short_inputs) {
    std::memcpy(input.padded.data(), inputs[input.index].data, input.bytes);
    inputs[input.index].data = input.padded.data();
  }
  info.guard = overflow->guard();
  TRY(model->run(info, inputs, outputs, allocator.get()));
  return hand_over(*this);
}

Status Execution::run_task() {
  TRY(run());
  if (described_late) describe_outputs(*model, outputs, *described_late);
  return overflow->settle();
}

Status execute(uint32_t model_id, const aclmdlDataset* input, aclmdlDataset* output, const Stream& stream) {
  auto execution = TRY(prepare(model_id, input, output, stream, true));
  // It runs on no stream of the program's, so the mode that the device has now counts.
  execution->overflow.emplace(stream, stream.context()->device().saturation_mode == ACL_RT_OVERFLOW_MODE_SATURATION);
  if (Status status = execution->run(); !status.ok()) {
    raise_operator_failure(stream, status);
    return status;
  }
  describe_outputs(*execution->model, execution->outputs, *output);
  return execution->overflow->settle();
}

Status check(const aclmdlDataset* input, const aclmdlDataset* output) {
  TRY(not_null(input, "input"));
  TRY(not_null(output, "output"));
  return require_model_executor();
}

Status execute_async(uint32_t model_id, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
  TRY(check(input, output));
  auto target = TRY(find_stream(stream));
  auto execution = TRY(prepare(model_id, input, output, *target, false));
  describe_outputs(*execution->model, execution->outputs, *output);
  if (!std::ranges::all_of(execution->outputs, [](const Tensor& each) { return graph::is_known(each.shape); }))
    execution->described_late = output;
  if (const auto user = find_allocator(target->handle()); user && execution->model->dynamic()) {
    execution->allocator = std::make_unique<StreamAllocator>(user);
    // A block that the program does not give fails this call; those of models that run node by node, synchronize.
    if (const size_t bytes = TRY(execution->model->prepare(execution->inputs)); bytes > 0)
      TRY(execution->allocator->take_ahead(bytes));
  }
  return target->launch([execution] { return execution->run_task(); });
}

}  // namespace

aclError aclmdlExecute(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(input, output));
        return execute(modelId, input, output, *TRY(find_stream(nullptr)));
      },
      modelId, input, output);
}

aclError aclmdlExecuteV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                         const aclmdlExecConfigHandle* handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check(input, output));
        TRY(not_null(handle, "handle"));
        auto target = TRY(find_stream(stream));
        auto execution = TRY(prepare(modelId, input, output, *target, true));
        TRY(target->launch([execution] { return execution->run(); }));
        TRY(target->synchronize(handle->stream_timeout));
        describe_outputs(*execution->model, execution->outputs, *output);
        return execution->overflow->settle();
      },
      modelId, input, output, stream, handle);
}

aclError aclmdlExecuteAsync(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream) {
  return entry(
      __func__, [&] { return execute_async(modelId, input, output, stream); }, modelId, input, output, stream);
}

aclError aclmdlExecuteAsyncV2(uint32_t modelId, const aclmdlDataset* input, aclmdlDataset* output, aclrtStream stream,
                              const aclmdlExecConfigHandle* handle) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        return execute_async(modelId, input, output, stream);
      },
      modelId, input, output, stream, handle);
}
