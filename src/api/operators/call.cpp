// SPDX-License-Identifier: Apache-2.0
#include "api/operators/call.h"

#include <algorithm>
#include <cstring>

#include "api/core/entry.h"
#include "api/device/task_overflow.h"
#include "api/device/waited_stream.h"
#include "api/memory/stream_allocator.h"
#include "api/model/data_buffer.h"
#include "api/operators/attr.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "dump/observers/recorder.h"
#include "executor/compile/host_allocator.h"
#include "graph/tensor/private_format.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"

namespace belay::api {
namespace {

Status bad(std::string why) { return {ACL_ERROR_INVALID_PARAM, std::move(why), "EH0009"}; }

Status check_descs(int count, const aclTensorDesc* const* descs, const char* counted, const char* named,
                   bool dims_known) {
  if (count < 0) return bad(formatted("{} must not be negative", counted));
  if (count > 0) TRY(not_null(descs, named));
  for (int i = 0; i < count; ++i) {
    TRY(not_null(descs[i], named));
    for (const aclFormat format : {descs[i]->format, descs[i]->storage_format})
      if (graph::is_private(to_graph(format)))
        return {ACL_ERROR_OP_NOT_FOUND,
                formatted("{}[{}] is stored as {}; single operators run on tensors in the order of their dimensions",
                          named, i, graph::name_of(to_graph(format)))};
    if (dims_known && !graph::is_known(descs[i]->dims))
      return bad(formatted("{}[{}] has shape {}; a single operator runs with known dimensions", named, i,
                           graph::to_text(descs[i]->dims)));
  }
  return {};
}

template <class Buffers>
Status check_buffers(int count, Buffers buffers, const char* named) {
  if (count > 0) TRY(not_null(buffers, named));
  for (int i = 0; i < count; ++i) TRY(not_null(buffers[i], named));
  return {};
}

graph::TensorDesc desc_of(const aclTensorDesc& given) {
  graph::TensorDesc desc;
  desc.name = given.name;
  desc.type = to_graph(given.type);
  desc.shape = desc.origin_shape = given.dims;
  desc.format = desc.origin_format = given.format == ACL_FORMAT_UNDEFINED ? graph::Format::ND : to_graph(given.format);
  return desc;
}

std::optional<graph::Constant> copy_of(const graph::TensorDesc& desc, std::span<const std::byte> bytes) {
  auto owner = std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end());
  return graph::Constant{desc.type, desc.shape, desc.format, *owner, owner};
}

std::optional<graph::Constant> value_of(const aclTensorDesc& given, const graph::TensorDesc& desc,
                                        const aclDataBuffer* buffer) {
  if (given.is_constant) return copy_of(desc, given.constant);
  const bool on_host = given.placement == ACL_MEMTYPE_HOST || given.placement == ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT;
  if (!on_host || !buffer || !buffer->data) return std::nullopt;
  const size_t bytes = std::min(buffer->size, given.byte_size());
  return copy_of(desc, {static_cast<const std::byte*>(buffer->data), bytes});
}

Result<backend::Tensor> tensor_at(const graph::TensorDesc& desc, const aclDataBuffer& buffer, const char* what,
                                  size_t index) {
  backend::Tensor tensor{desc.type, desc.shape, backend::Layout::Plain, host_view(buffer.data)};
  const size_t bytes = graph::bytes_of(desc.type, tensor.count());
  if (buffer.size < bytes)
    return bad(formatted("{} {} of shape {} needs {} bytes, its buffer has {}", what, index, graph::to_text(desc.shape),
                         bytes, buffer.size));
  if (bytes > 0 && !buffer.data) return bad(formatted("the buffer of {} {} has no memory", what, index));
  return tensor;
}

// Workspace that goes back to where it came from when the last holder is gone.
Result<std::shared_ptr<void>> take_workspace(size_t bytes, std::shared_ptr<executor::Allocator> from) {
  if (bytes == 0) return std::shared_ptr<void>();
  void* memory = TRY(from->allocate(bytes));
  return std::shared_ptr<void>(memory, [from](void* address) { from->free(address); });
}

std::shared_ptr<executor::Allocator> allocator_of(const Stream& stream) {
  if (auto user = find_allocator(stream.handle())) return std::make_shared<StreamAllocator>(std::move(user));
  return {std::shared_ptr<void>(), &executor::host_allocator()};  // which lives for ever
}

}  // namespace

Status check(const OpDescs& descs, bool dims_known) {
  TRY(not_null(descs.type, "opType"));
  TRY(check_descs(descs.input_count, descs.inputs, "numInputs", "inputDesc", dims_known));
  return check_descs(descs.output_count, descs.outputs, "numOutputs", "outputDesc", dims_known);
}

Status check(const OpDescs& descs, const OpBuffers& buffers) {
  TRY(check_buffers(descs.input_count, buffers.inputs, "inputs"));
  return check_buffers(descs.output_count, buffers.outputs, "outputs");
}

operators::OperatorRequest request_of(const OpDescs& descs, const aclDataBuffer* const* host_inputs) {
  operators::OperatorRequest request{.type = descs.type};
  for (int i = 0; i < descs.input_count; ++i) {
    request.inputs.push_back(desc_of(*descs.inputs[i]));
    request.values.push_back(value_of(*descs.inputs[i], request.inputs.back(), host_inputs ? host_inputs[i] : nullptr));
  }
  for (int i = 0; i < descs.output_count; ++i) request.outputs.push_back(desc_of(*descs.outputs[i]));
  if (descs.attributes) request.attributes = descs.attributes->values;
  return request;
}

Result<OpExecution> place(operators::SingleOperator op, const operators::OperatorRequest& request,
                          const OpBuffers& buffers) {
  OpExecution execution;
  for (const size_t i : op.inputs)
    execution.inputs.push_back(TRY(tensor_at(request.inputs[i], *buffers.inputs[i], "input", i)));
  for (size_t i = 0; i < request.outputs.size(); ++i)
    execution.outputs.push_back(TRY(tensor_at(request.outputs[i], *buffers.outputs[i], "output", i)));
  execution.op = std::move(op);
  return execution;
}

Status launch(OpExecution execution, const std::shared_ptr<Stream>& stream, std::vector<graph::Shape>* results) {
  const bool nothing = std::ranges::all_of(execution.outputs, [](const auto& t) { return t.count() == 0; });
  if (nothing && !execution.outputs.empty()) return {};
  auto watcher = dump::recorder().watch_operator(dump::OperatorLevel::Operator);
  operators::RunInfo info{.task_id = stream->next_operator_id(),
                          .stream_id = static_cast<uint32_t>(stream->id()),
                          .device_id = stream->context()->device().id()};
  const auto watch = watcher ? std::make_shared<operators::Watch>(operators::Watch{std::move(watcher)}) : nullptr;
  auto allocator = allocator_of(*stream);
  TaskOverflow overflow(*stream);
  if (execution.op.plan->fixed()) {
    auto work = TRY(take_workspace(execution.op.plan->work_bytes(), std::move(allocator)));
    auto held = std::make_unique<OpExecution>(std::move(execution));
    return stream->launch([held = std::move(held), work = std::move(work), info, watch, overflow]() mutable -> Status {
      info.guard = overflow.guard();
      TRY(held->op.plan->run(info, held->inputs, held->outputs, work.get(), watch.get()));
      return overflow.settle();
    });
  }
  auto held = std::make_shared<OpExecution>(std::move(execution));
  Task task = [held, allocator, info, watch, overflow]() mutable -> Status {
    info.guard = overflow.guard();
    TRY(held->op.plan->run_nodes(info, held->inputs, held->outputs, *allocator, watch.get()));
    held->ran = true;
    return overflow.settle();
  };
  if (!results) return stream->launch(std::move(task));
  TRY(check_is_waited_for(*stream, "a call that does not tell the shapes of outputs"));
  TRY(stream->launch_and_synchronize([&] { return std::move(task); }));
  if (!held->ran) return {ACL_ERROR_RT_INVALID_HANDLE, "the stream was destroyed before the operator ran"};
  for (const auto& output : held->outputs) results->push_back(output.shape);
  return {};
}

}  // namespace belay::api
