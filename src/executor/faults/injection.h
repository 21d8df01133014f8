// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/kernel.h"
#include "base/faults.h"
#include "graph/model/graph.h"

namespace belay::executor {

// Whether a fault that says `op` means this node: by its name, by that of an operator it was made of, or, outside of
// models, by its type.
bool is_meant(const std::string& op, const graph::Node& node, bool single);

// Warns of faults that hit no operator of the model, with the names they may have meant.
void say_what_hits_nothing(const graph::Model& model);

// A notice about a fault that cannot do what it was asked for; each text once in the process.
void say_fault_is_idle(const OpFault& fault, const std::string& why);

// The faults that hit one node. Used by the thread that runs the node.
class Injection {
 public:
  // Null: none does.
  static std::unique_ptr<Injection> make(const graph::Node& node, bool single);

  // Before the kernel: waits, and may fail in its place.
  Status before() const;
  // Whether crash() is to be called in the kernel's place.
  bool crashes() const { return crashes_; }
  void crash(std::span<const backend::Tensor> inputs, std::span<backend::Tensor> outputs) const;
  // After the kernel: spoils its first output, and others' where overwrites aim. `own`: the output has memory of its
  // own, and is not a constant or an input seen otherwise.
  void after(std::span<const backend::Tensor> outputs, bool own) const;

  // The overwrites among the faults; what they hit must be told them.
  std::vector<const OpFault*> overwrites() const;
  // `victim` is looked at when after() is called; its memory may then be elsewhere.
  void aim(const OpFault& overwrite, const backend::Tensor& victim) { aims_.push_back({&overwrite, &victim}); }

 private:
  struct Aim {
    const OpFault* fault;
    const backend::Tensor* victim;
  };
  void first_result_again(const OpFault& fault, const backend::Tensor& output) const;

  std::vector<const OpFault*> faults_;
  std::vector<Aim> aims_;
  bool crashes_ = false;
  mutable std::vector<std::byte> first_;  // the output of the first run, for a stale one
};

}  // namespace belay::executor
