// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "api/device/task_overflow.h"
#include "api/hccl/model_collectives.h"
#include "api/memory/stream_allocator.h"
#include "api/model/dataset.h"
#include "base/status.h"
#include "executor/model_registry.h"
#include "runtime/stream/stream.h"

namespace belay::api {

// One execution of a model, from the call to its end. It owns values: of the program's objects (datasets, data buffers,
// descriptors) nothing is looked at after the call; the memory that they named is used until the execution is over.
class ModelExecution {
 public:
  // `Now`: the call returns when it is over, so outputs without memory get some.
  enum class When { Now, Later };
  // Checks the datasets against the model, and takes from them what the execution needs.
  static Result<std::shared_ptr<ModelExecution>> make(uint32_t model_id, const aclmdlDataset& input,
                                                      const aclmdlDataset& output,
                                                      const std::shared_ptr<Stream>& stream, When when);

  // It runs on no stream of the program's: results are clipped when the device says so now.
  void follow_device(const Stream& stream);
  // With the stream's own allocator, where there is one and the model wants memory: a block that the program does not
  // give fails this call; those of models that run node by node, the run.
  Status take_memory(const Stream& stream);
  // Before it is launched: from now on it is over when the stream has run or dropped it.
  void boards(const Stream& stream);
  // For the task that runs it.
  ModelTicket ticket() const;

  // On the calling thread.
  Status run();
  // Whether a run got to its end.
  bool ran() const { return ran_; }
  // After a run: what an overflow means for who waits (TaskOverflow::settle).
  Status settle() const { return overflow_->settle(); }

  // Writes into the dataset of outputs what is known of them: after a run, or before one as far as it can be told; the
  // run itself tells the rest. Nothing for models whose shapes are fixed.
  void describe_outputs(aclmdlDataset& output);
  // After a run: the memory that was allocated for outputs becomes the program's, in its data buffers.
  void hand_memory_over(const aclmdlDataset& output);

 private:
  struct FreeDeviceMemory {
    void operator()(void* memory) const;
  };
  // An input whose buffer is shorter than its tensor: it is copied when the run starts, so that nobody reads past the
  // end of the program's memory.
  struct ShortInput {
    size_t index;
    size_t bytes;  // to copy
    size_t whole;  // bytes of the tensor
    std::unique_ptr<void, decltype(&std::free)> padded{nullptr, std::free};
  };
  // Where the program wants an output.
  struct Place {
    void* data;  // as the host sees it
    size_t size;
    size_t bytes = 0;        // that are computed
    size_t room = 0;         // that the run may write; 0: only the run can tell
    bool elsewhere = false;  // computed in `made`, then copied
    std::unique_ptr<void, decltype(&std::free)> made{nullptr, std::free};
    std::unique_ptr<void, FreeDeviceMemory> allocated = nullptr;  // for the program, which gave none
    std::shared_ptr<LateDesc> late = nullptr;                     // where the run tells the shape
  };
  // Where the call is, for who wants to wait for its end.
  struct Whereabouts;

  ModelExecution() = default;
  Status take_inputs(const aclmdlDataset& dataset);
  Status take_input(size_t index, const aclDataBuffer& buffer, const aclTensorDesc* desc);
  Status take_outputs(const aclmdlDataset& dataset, When when);
  Result<size_t> output_bytes(size_t index, const graph::Shape& shape) const;
  Status allocate(Place& place, size_t bytes) const;
  Status pad_inputs();
  Status make_room();
  Status copy_output(size_t index);
  std::unique_ptr<aclTensorDesc> description(size_t index) const;

  executor::Flights::Flight flight_;  // first, so that it is over when all else is gone
  std::shared_ptr<executor::RegisteredModel> model_;
  std::shared_ptr<Whereabouts> whereabouts_;
  std::shared_ptr<Stream> stream_;
  executor::RunInfo info_{};
  std::optional<executor::Gear> gear_;     // for a model with gears
  bool gear_set_ = false;                  // through the dataset, whose sizes are then those of the gear
  std::vector<int32_t> gear_values_;       // what the gear input holds, whatever the width of the program's buffer
  std::vector<graph::Shape> gear_shapes_;  // of the inputs
  std::vector<executor::Tensor> inputs_, outputs_;
  std::vector<ShortInput> short_inputs_;
  std::vector<Place> places_;  // of the outputs
  std::unique_ptr<StreamAllocator> allocator_;
  std::optional<TaskOverflow> overflow_;
  bool ran_ = false;
};

}  // namespace belay::api
