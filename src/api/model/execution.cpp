// SPDX-License-Identifier: Apache-2.0
#include "api/model/execution.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "api/core/entry.h"
#include "api/model/gear.h"
#include "base/device_memory.h"
#include "base/text.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/memory/heap.h"
#include "runtime/stream/write_gate.h"

namespace belay::api {
namespace {

using executor::RegisteredModel;
using executor::Tensor;

// A program may pass a buffer that is this much shorter than the tensor (runtime.md 6.7).
constexpr size_t kSizeTolerance = 64;

Status input_error(const std::string& why) { return {ACL_ERROR_GE_FAILURE, why, "E13025"}; }
Status wrong(const std::string& why) { return {ACL_ERROR_INVALID_PARAM, why, "EH0012"}; }

Status check_counts(const RegisteredModel& model, const aclmdlDataset& input, const aclmdlDataset& output) {
  const size_t inputs = model.in_out().inputs.size(), outputs = model.in_out().outputs.size();
  const auto said = [&](const char* what, size_t given, size_t wanted) {
    return formatted("the dataset has {} {}, but model \"{}\" has {}", given, what, model.name(), wanted);
  };
  if (model.dynamic()) {
    if (input.entries.size() < inputs) return wrong(said("inputs", input.entries.size(), inputs));
  } else if (input.entries.size() != inputs) {
    return input_error(said("inputs", input.entries.size(), inputs));
  }
  if (output.entries.size() < outputs || (!model.dynamic() && output.entries.size() != outputs))
    return input_error(said("outputs", output.entries.size(), outputs));
  return {};
}

// The shape of an input of a dynamic-shape model: what the program set, inside what the model allows.
Result<graph::Shape> dynamic_shape(const graph::InOutInfo& tensor, const aclTensorDesc* desc) {
  if (!desc) {
    if (graph::is_known(tensor.dims)) return tensor.dims;
    return wrong(formatted("input \"{}\" has shape {}; say which with aclmdlSetDatasetTensorDesc", tensor.name,
                           graph::to_text(tensor.dims)));
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
  if (fits) return desc->dims;
  return wrong(formatted("input \"{}\" cannot have shape {}; the model was converted for {}", tensor.name,
                         graph::to_text(desc->dims), graph::to_text(tensor.dims)));
}

Status cannot_wait(const std::string& why) { return {ACL_ERROR_RT_PARAM_INVALID, why, "EE1018"}; }

}  // namespace

struct ModelExecution::Whereabouts {
  const std::thread::id caller = std::this_thread::get_id();
  // Written before `boarded` is set.
  std::weak_ptr<const Stream> stream;
  Stream::Place place;
  std::atomic<bool> boarded{false};

  Status can_wait() const {
    if (!boarded) {
      if (caller != std::this_thread::get_id()) return {};
      return cannot_wait("this thread is executing it: waiting for that here would never end");
    }
    const auto queue = stream.lock();
    if (!queue) return {};
    if (queue->stopped())
      return cannot_wait(
          formatted("an execution of it waits in stream {}, which was stopped; abort the stream first", queue->id()));
    if (const Status status = queue->check_can_wait(place); !status.ok())
      return cannot_wait("an execution of it is in flight, and " + status.message);
    return {};
  }
};

void ModelExecution::FreeDeviceMemory::operator()(void* memory) const { (void)free_device_memory(memory); }

Result<std::shared_ptr<ModelExecution>> ModelExecution::make(uint32_t model_id, const aclmdlDataset& input,
                                                             const aclmdlDataset& output,
                                                             const std::shared_ptr<Stream>& stream, When when) {
  std::shared_ptr<ModelExecution> made(new ModelExecution);
  made->model_ = TRY(executor::model_registry().find(model_id));
  made->whereabouts_ = std::make_shared<Whereabouts>();
  made->whereabouts_->stream = stream;
  made->flight_ = TRY(made->model_->begin([where = made->whereabouts_] { return where->can_wait(); }));
  made->stream_ = stream;
  made->info_.stream_id = static_cast<uint32_t>(stream->id());
  made->info_.device_id = stream->context()->device().id();
  made->overflow_.emplace(*stream);
  TRY(check_counts(*made->model_, input, output));
  TRY(made->take_inputs(input));
  TRY(made->take_outputs(output, when));
  return made;
}

Status ModelExecution::take_inputs(const aclmdlDataset& dataset) {
  const auto& in_out = model_->in_out();
  for (size_t i = 0; i < in_out.inputs.size(); ++i) {
    TRY(not_null(dataset.entries[i].buffer, "a data buffer of the input dataset"));
    if (!model_->has_gears() || in_out.inputs[i].name != ACL_DYNAMIC_TENSOR_NAME) continue;
    gear_ = TRY(read_gear(*model_, *dataset.entries[i].buffer));
    gear_set_ = dataset.gear_set;
    gear_values_.assign(gear_->values.begin(), gear_->values.end());
    gear_shapes_ = input_shapes_in(in_out, *gear_);
  }
  for (size_t i = 0; i < in_out.inputs.size(); ++i)
    TRY(take_input(i, *dataset.entries[i].buffer, dataset.entries[i].desc()));
  return {};
}

Status ModelExecution::take_input(size_t index, const aclDataBuffer& buffer, const aclTensorDesc* desc) {
  const auto& tensor = model_->in_out().inputs[index];
  Tensor taken{tensor.type, tensor.dims, backend::Layout::Plain, host_view(buffer.data)};
  if (gear_ && tensor.name == ACL_DYNAMIC_TENSOR_NAME) {
    taken.data = gear_values_.data();
  } else if (model_->dynamic()) {
    taken.shape = TRY(dynamic_shape(tensor, desc));
    if (const size_t bytes = graph::bytes_of(taken.type, taken.count()); buffer.size < bytes)
      return wrong(formatted("input \"{}\" of shape {} needs {} bytes, its buffer has {}", tensor.name,
                             graph::to_text(taken.shape), bytes, buffer.size));
  } else {
    size_t bytes = tensor.size;
    if (gear_) taken.shape = gear_shapes_[index];
    if (gear_ && graph::is_known(taken.shape)) bytes = graph::bytes_of(taken.type, taken.count());
    const size_t demanded = gear_set_ ? bytes : static_cast<size_t>(tensor.size);  // else the largest gear's
    if (buffer.size + kSizeTolerance < demanded)
      return input_error(formatted("input \"{}\" has {} bytes{}, but its buffer only {}", tensor.name, demanded,
                                   gear_ ? (gear_set_ ? " in this gear" : " in the largest gear; none was set") : "",
                                   buffer.size));
    if (buffer.size < tensor.size) short_inputs_.push_back({index, std::min(buffer.size, bytes), tensor.size});
  }
  if (!taken.data && taken.count() != 0)
    return wrong(formatted("the buffer of input \"{}\" has no memory", tensor.name));
  inputs_.push_back(std::move(taken));
  return {};
}

// Of an output in this execution; 0 when only the run can tell.
Result<size_t> ModelExecution::output_bytes(size_t index, const graph::Shape& shape) const {
  const auto& tensor = model_->in_out().outputs[index];
  const auto bytes_of = [&](const graph::Shape& known) {
    return graph::is_known(known) ? graph::bytes_of(tensor.type, graph::element_count(known)) : 0;
  };
  if (!gear_) return bytes_of(shape);
  const auto told = output_shape_in(model_->in_out(), *gear_, index);
  return told.ok() ? bytes_of(*told) : static_cast<size_t>(tensor.size);
}

// Memory for an output that the program left to us: it frees it with aclrtFree.
Status ModelExecution::allocate(Place& place, size_t bytes) const {
  const size_t size = std::max<size_t>(bytes, 1);
  const auto charged = padded_size(size);
  if (!charged)
    return {ACL_ERROR_RT_MEMORY_ALLOCATION, formatted("an output of {} bytes is larger than any memory", bytes)};
  place.allocated.reset(TRY(device_heap(info_.device_id).allocate(size, *charged, "aclmdlExecute")));
  place.data = host_view(place.allocated.get());
  place.size = bytes;
  return {};
}

Status ModelExecution::take_outputs(const aclmdlDataset& dataset, When when) {
  const auto& in_out = model_->in_out();
  std::vector<graph::TensorInfo> known, inferred;
  for (const Tensor& input : inputs_) known.push_back({input.type, input.shape});
  if (model_->dynamic()) inferred = TRY(model_->loaded().infer_outputs(known));
  for (size_t i = 0; i < in_out.outputs.size(); ++i) {
    const auto& tensor = in_out.outputs[i];
    const aclDataBuffer* buffer = dataset.entries[i].buffer;
    TRY(not_null(buffer, "a data buffer of the output dataset"));
    Tensor taken{tensor.type, model_->dynamic() ? inferred[i].shape : tensor.dims, backend::Layout::Plain};
    Place place{.data = host_view(buffer->data), .size = buffer->size};
    place.bytes = TRY(output_bytes(i, taken.shape));
    const bool told = model_->dynamic() ? graph::is_known(taken.shape) : place.bytes > 0 || tensor.size == 0;
    if (!buffer->data && buffer->size > 0)
      return wrong(formatted("the buffer of output \"{}\" has {} bytes but no memory", tensor.name, buffer->size));
    if (!buffer->data) {
      if (when == When::Later)
        return wrong(formatted("output \"{}\" has no memory; only synchronous executions allocate it", tensor.name));
      if (told) TRY(allocate(place, std::max(place.bytes, static_cast<size_t>(tensor.size))));
    } else if (model_->dynamic()) {
      if (told && place.size < place.bytes)
        return input_error(
            formatted("output \"{}\" needs {} bytes, its buffer has {}", tensor.name, place.bytes, place.size));
    } else {
      const size_t demanded = gear_set_ && told ? place.bytes : static_cast<size_t>(tensor.size);
      if (place.size + kSizeTolerance < demanded)
        return input_error(formatted("output \"{}\" has {} bytes{}, but its buffer only {}", tensor.name, demanded,
                                     gear_ ? (gear_set_ ? " in this gear" : " in the largest gear; none was set") : "",
                                     place.size));
    }
    // What is known to fit is written where it belongs; the rest is copied there when it was computed. In any gear, the
    // memory of an output is as large as in the largest.
    place.room = gear_ ? std::max(place.bytes, static_cast<size_t>(tensor.size)) : place.bytes;
    if (!told)
      place.room = 0;
    else if (place.size >= place.room)
      taken.data = place.data;
    outputs_.push_back(std::move(taken));
    places_.push_back(std::move(place));
  }
  return {};
}

void ModelExecution::follow_device(const Stream& stream) {
  overflow_.emplace(stream, stream.context()->device().saturation_mode == ACL_RT_OVERFLOW_MODE_SATURATION);
}

Status ModelExecution::take_memory(const Stream& stream) {
  const auto user = model_->dynamic() ? find_allocator(stream.handle()) : nullptr;
  if (!user) return {};
  allocator_ = std::make_unique<StreamAllocator>(user);
  const size_t bytes = TRY(model_->loaded().prepare(inputs_));
  return bytes > 0 ? allocator_->take_ahead(bytes) : Status{};
}

void ModelExecution::boards(const Stream& stream) {
  whereabouts_->place = stream.place();
  whereabouts_->boarded = true;
}

Status ModelExecution::pad_inputs() {
  for (ShortInput& input : short_inputs_) {
    input.padded.reset(std::calloc(input.whole, 1));  // what is not touched costs nothing
    if (!input.padded)
      return {static_cast<aclError>(ACL_ERROR_GE_MEMORY_ALLOCATION),
              formatted("there is no host memory for an input of {} bytes", input.whole)};
    if (input.bytes > 0) std::memcpy(input.padded.get(), inputs_[input.index].data, input.bytes);
    inputs_[input.index].data = input.padded.get();
  }
  return {};
}

// Where the program's memory is too short for the largest gear, the gear's own part is copied from here.
Status ModelExecution::make_room() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i].data) continue;
    places_[i].elsewhere = true;
    if (!gear_ || places_[i].room == 0) continue;
    places_[i].made.reset(std::calloc(places_[i].room, 1));
    if (!places_[i].made)
      return {static_cast<aclError>(ACL_ERROR_GE_MEMORY_ALLOCATION),
              formatted("there is no host memory for an output of {} bytes", places_[i].room)};
    outputs_[i].data = places_[i].made.get();
  }
  return {};
}

// Copies what is not in the program's memory, because that was short or the size not known.
Status ModelExecution::copy_output(size_t index) {
  Place& place = places_[index];
  Tensor& output = outputs_[index];
  const size_t bytes = gear_ && place.room > 0 ? place.bytes : graph::bytes_of(output.type, output.count());
  if (!place.data) TRY(allocate(place, bytes));
  if (place.size + (model_->dynamic() ? 0 : kSizeTolerance) < bytes)
    return input_error(formatted("the buffer of output \"{}\" has {} bytes; the model computed {}",
                                 model_->in_out().outputs[index].name, place.size, bytes));
  if (bytes > 0) std::memcpy(place.data, place.made.get(), std::min(bytes, place.size));
  output.data = place.data;
  return {};
}

ModelTicket ModelExecution::ticket() const { return {model_->groups(), info_.device_id, *stream_}; }

Status ModelExecution::run() {
  TRY(pad_inputs());
  TRY(make_room());
  info_.guard = overflow_->guard();
  const WriteGate::Writing writing;
  ModelCollectives groups(info_.device_id, *stream_);
  const backend::CollectivesScope scope(groups);
  if (Status status = model_->run(info_, inputs_, outputs_, allocator_.get()); !status.ok()) {
    groups.give_up(model_->groups(), status);
    return status;
  }
  for (size_t i = 0; i < places_.size(); ++i)  // whatever fails from here on, it is freed
    if (places_[i].elsewhere && !places_[i].made) places_[i].made.reset(outputs_[i].data);
  for (size_t i = 0; i < places_.size(); ++i)
    if (places_[i].elsewhere) TRY(copy_output(i));
  for (size_t i = 0; i < places_.size(); ++i)
    if (places_[i].late) places_[i].late->leave(description(i));
  ran_ = true;
  return {};
}

std::unique_ptr<aclTensorDesc> ModelExecution::description(size_t index) const {
  auto desc = std::make_unique<aclTensorDesc>();
  desc->type = to_acl(outputs_[index].type);
  desc->format = to_acl(model_->in_out().outputs[index].format);
  desc->dims = outputs_[index].shape;
  desc->name = model_->in_out().outputs[index].name;
  return desc;
}

void ModelExecution::describe_outputs(aclmdlDataset& output) {
  if (!model_->dynamic()) return;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!graph::is_known(outputs_[i].shape)) places_[i].late = std::make_shared<LateDesc>();
    output.entries[i].set_desc(description(i), places_[i].late);
  }
}

void ModelExecution::hand_memory_over(const aclmdlDataset& output) {
  for (size_t i = 0; i < places_.size(); ++i)
    if (places_[i].allocated) *output.entries[i].buffer = {places_[i].allocated.release(), places_[i].size};
}

}  // namespace belay::api
