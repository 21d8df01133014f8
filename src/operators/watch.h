// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "executor/observer.h"

namespace belay::operators {

// Somebody who watches one run of a plan, and the names under which the nodes are shown.
struct Watch {
  std::shared_ptr<executor::Observer> observer;
  std::string type;         // of every node; empty: its own, with its own name
  std::string name_suffix;  // after the node's own type, when `type` is set
};

// Stands in a plan for whoever watches a run: the one place where observers of single operators are called.
class Relay : public executor::Observer {
 public:
  // For the run that begins now; null: nobody watches.
  void set(const Watch* watch) { watch_ = watch; }

  bool wants(const graph::Node& node) const override;
  void starts(const executor::RunInfo& run, const graph::Node& node, std::span<const backend::Tensor> inputs) override;
  void ran(const executor::RunInfo& run, const graph::Node& node, std::span<const backend::Tensor> inputs,
           std::span<const backend::Tensor> outputs) override;

 private:
  graph::Node shown(const graph::Node& node) const;

  const Watch* watch_ = nullptr;
};

}  // namespace belay::operators
