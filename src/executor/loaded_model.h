// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "executor/observer.h"
#include "graph/model/graph.h"

namespace belay::executor {

// Where the memory of a dynamic-shape execution comes from; the default takes it from the host's heap.
class Allocator {
 public:
  virtual ~Allocator() = default;
  virtual Result<void*> allocate(size_t bytes) = 0;
  virtual void free(void* address) = 0;
};

struct LoadOptions {
  int threads = 0;              // 0: BELAY_NUM_THREADS, else all cores
  void* work_memory = nullptr;  // the caller's arena, at least work_bytes long; null: our own
  size_t work_bytes = 0;
  std::vector<std::shared_ptr<Observer>> observers;
  std::string only_kernels;  // "reference" makes every node use the plain kernels
  uint32_t model_id = 0;
};

// A model made ready to run: order, kernels, one arena. Executions of one loaded model follow one another.
class LoadedModel {
 public:
  virtual ~LoadedModel() = default;

  // A model whose input shapes are all fixed (or gears) is static: kernels and arena are made at load.
  virtual bool dynamic() const = 0;
  virtual size_t work_bytes() const = 0;
  virtual size_t weight_bytes() const = 0;

  // Shapes of the outputs for these input shapes, as far as they can be told without computing.
  virtual Result<std::vector<graph::TensorInfo>> infer_outputs(std::span<const graph::TensorInfo> inputs) = 0;

  // Makes ready what a run with these inputs needs; also while another run goes on, which it does not wait for. Bytes
  // of the one block that it takes from its allocator; 0 when it takes none, or several while it runs.
  virtual Result<size_t> prepare(std::span<const Tensor> inputs) = 0;

  // Runs on the calling thread. Outputs with data null are allocated by malloc, and the caller's to free; others must
  // be large enough. On return the outputs have their real shapes; when the run failed, what was null is null again.
  virtual Status run(const RunInfo& info, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                     Allocator* allocator = nullptr) = 0;
};

// The model with every subgraph of constants computed (executor/compile/computed_constants.h), as load() does it. For
// who shows the model to observers before it is loaded.
std::shared_ptr<const graph::Model> compute_constants(std::shared_ptr<const graph::Model> model,
                                                      const LoadOptions& options);

// Refuses with the names of all nodes that cannot run, each with its reason.
Result<std::unique_ptr<LoadedModel>> load(std::shared_ptr<const graph::Model> model, const LoadOptions& options);

}  // namespace belay::executor
