// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "exact/evaluate.h"
#include "executor/observer.h"

namespace belay::exact {

// What a model's double said of one output of an operator, over all runs.
struct ShadowRow {
  std::string name, type;  // of the operator
  size_t output = 0;
  std::string stored;  // the type of the output, "DT_FLOAT16"
  uint64_t runs = 0;
  // From the operator's own inputs: the largest difference, and the largest share of what is permitted that an element
  // used. Above 1 it is wrong.
  double own_error = 0, share = 0;
  int64_t worst = 0;  // the element with that share
  // Along the model in double, from its inputs on: the largest difference, and the root of the mean squared difference
  // in parts of the root of the mean square.
  double true_error = 0, relative = 0;
  // The relative error that this operator added: its own difference as `relative` measures it.
  double added = 0;
  std::string refusal;  // why the operator could not be judged; "": it was
};

// Runs a model in double beside itself: each operator is computed from its own inputs, and once more along the path in
// double. It keeps the doubles of what later operators read, and costs several times the memory of the model's largest
// layers and many times the time of a run.
class Shadow final : public executor::Observer {
 public:
  explicit Shadow(std::shared_ptr<const graph::Model> model);

  bool wants(const graph::Node& node) const override;
  void ran(const executor::RunInfo& run, const graph::Node& node, std::span<const executor::Tensor> inputs,
           std::span<const executor::Tensor> outputs) override;

  // In the order of the model.
  std::vector<ShadowRow> rows() const;
  uint64_t runs() const;

 private:
  struct Place {
    const graph::Graph* graph = nullptr;
    int index = 0;
    int last_reader = 0;  // behind it nobody reads the node's outputs, by way of views either
  };
  using Values = std::vector<Value>;

  void look_at(const executor::RunInfo& run, const graph::Node& node, std::span<const executor::Tensor> inputs,
               std::span<const executor::Tensor> outputs);
  Result<Values> own_inputs(const graph::Node& node, std::span<const executor::Tensor> inputs);
  // What an edge carries in double; `here` is what it carries in the model.
  Value path_value(const graph::Graph& graph, const graph::Edge& edge, const Value& here);
  Value constant_value(const graph::Node& node, const Value& here);
  void judge(const graph::Node& node, const std::vector<Output>& exact, const Values& path, const Values& given,
             std::span<const executor::Tensor> outputs);
  void refuse(const graph::Node& node, const std::string& why);
  void forget(const Place& place);
  ShadowRow& row(const graph::Node& node, size_t output);

  const std::shared_ptr<const graph::Model> model_;
  std::map<const graph::Node*, Place> places_;

  mutable std::mutex mutex_;  // guards all below
  uint64_t run_ = UINT64_MAX;
  uint64_t runs_ = 0;
  std::map<const graph::Node*, Values> path_;
  std::map<const graph::Node*, Value> constants_;
  std::map<const graph::Node*, std::vector<ShadowRow>> rows_;
};

}  // namespace belay::exact
