// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "executor/loaded_model.h"
#include "executor/program.h"

namespace belay::executor {

// A tensor that lives as long as somebody holds it.
struct LiveTensor {
  Tensor tensor;
  std::shared_ptr<void> memory;               // null: borrowed
  const graph::Constant* constant = nullptr;  // set for constants of the model
};

// Runs graphs node by node, deciding everything on the way: for shapes that depend on data, for loops, for branches
// that differ. Slower than a Program; kernels are kept for shapes and constants that come again. Used by one thread at
// a time.
class EagerRunner {
 public:
  EagerRunner(const graph::Model& model, ProgramOptions options) : model_(model), options_(std::move(options)) {}

  // Inputs by the index of the Data nodes (Main, Members) or by the parent's port (Subgraph).
  Result<std::vector<LiveTensor>> run(const graph::Graph& graph, GraphRole role, RunInfo info,
                                      const std::vector<LiveTensor>& inputs, Allocator& allocator);

 private:
  using Outputs = Result<std::vector<LiveTensor>>;
  // All that a kernel is made from, besides its node: a constant may be packed into it.
  struct KeyPart {
    graph::DataType type;
    graph::Shape shape;
    bool present;
    const graph::Constant* constant;  // which one it is, not what it holds
    bool operator==(const KeyPart&) const = default;
  };
  using KernelKey = std::vector<KeyPart>;
  struct CachedKernel {
    KernelKey key;
    std::unique_ptr<backend::Kernel> kernel;
    std::string_view how;  // its row
  };

  Outputs run_node(NodeKind kind, const graph::Node& node, RunInfo info, const std::vector<LiveTensor>& inputs,
                   Allocator& allocator);
  Outputs run_kernel(const graph::Node& node, RunInfo info, const std::vector<LiveTensor>& inputs,
                     Allocator& allocator);
  Status call(const graph::Node& node, const RunInfo& info, const CachedKernel& kernel, std::span<const Tensor> inputs,
              std::vector<Tensor>& outputs);
  // Whether the node is split, and somebody may want to see how.
  bool shows_steps(const graph::Node& node, const backend::Kernel& kernel, std::span<const LiveTensor> inputs,
                   size_t outputs) const;
  void show_step(const RunInfo& info, const graph::Node& node, NodeStep::Kind kind, size_t port,
                 std::span<const Tensor> inputs, std::span<const Tensor> outputs) const;
  Outputs run_fused(const graph::Node& node, RunInfo info, const std::vector<LiveTensor>& inputs, Allocator& allocator);
  Outputs run_choice(const graph::Node& node, RunInfo info, const std::vector<LiveTensor>& inputs,
                     Allocator& allocator);
  Outputs run_loop(const graph::Node& node, RunInfo info, std::vector<LiveTensor> inputs, Allocator& allocator);
  Outputs run_subgraph(const graph::Node& node, size_t index, RunInfo info, const std::vector<LiveTensor>& inputs,
                       Allocator& allocator);
  const Injection* injection_of(const graph::Node& node, int device);
  // After a node ran: what it overwrites of the values that are still there.
  void overwrite_others(const graph::Graph& graph, const graph::Node& node, int device,
                        const std::vector<std::vector<LiveTensor>>& values);
  static KernelKey key_of(std::span<const graph::TensorInfo> inputs, std::span<const graph::TensorInfo> outputs);
  Result<const CachedKernel*> find_kernel(const graph::Node& node, const std::vector<LiveTensor>& inputs,
                                          std::span<const graph::TensorInfo> infos,
                                          std::span<const graph::TensorInfo> outputs);

  const graph::Model& model_;
  const ProgramOptions options_;
  std::map<const graph::Node*, std::vector<CachedKernel>> kernels_;
  std::vector<LiveTensor> tried_;  // outputs of the kernel that failed
  std::string_view tried_how_;
  std::map<const graph::Node*, std::unique_ptr<Injection>> injections_;  // of the nodes that ran
  std::unique_ptr<EagerRunner> members_;                                 // runs what fused nodes are made of
  const graph::Node* fused_ = nullptr;                                   // whose members run
};

}  // namespace belay::executor
