// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "executor/flights.h"
#include "executor/loaded_model.h"
#include "graph/om/om.h"

namespace belay::executor {

// The gear that a program chose for a model with several: batch, height and width, or all dynamic dimensions.
struct Gear {
  std::vector<int64_t> values;
  size_t index = 0;  // among the model's gears
};

// A model as aclmdl* knows it: what it is called, what goes in and out, and what runs it.
class RegisteredModel {
 public:
  RegisteredModel(uint32_t id, std::string name, std::shared_ptr<const graph::Model> model, graph::ModelInOut in_out,
                  std::unique_ptr<LoadedModel> loaded);

  uint32_t id() const { return id_; }
  const std::string& name() const { return name_; }  // stem of the file, else the model's own name
  const graph::Model& model() const { return *model_; }
  const graph::ModelInOut& in_out() const { return in_out_; }
  // Of ranks, that its operators name.
  const std::vector<std::string>& groups() const { return groups_; }
  // Whether shapes come with each execution. Those of a model with gears come with the gear.
  bool dynamic() const { return dynamic_ && !has_gears(); }
  LoadedModel& loaded() { return *loaded_; }

  // All gears as lists of values; empty for a model without.
  const std::vector<std::vector<int64_t>>& gears() const { return gears_; }
  bool has_gears() const { return !gears_.empty(); }
  // The gear that a program set last, in whatever dataset; the largest before it set any. What an execution runs with
  // is in its own dataset.
  void set_gear(Gear gear);
  Gear gear() const;

  // An execution begins when it is called, and is over when the flight is destroyed. 145003 while the model is
  // unloaded.
  Result<Flights::Flight> begin(Flights::CanWait can_wait) const;
  // Runs on the calling thread, one execution after the other; counts them.
  Status run(RunInfo info, std::span<const Tensor> inputs, std::span<Tensor> outputs, Allocator* allocator);

  Flights& flights() const { return *flights_; }

  uint32_t bundle = 0;  // the bundle it came with; 0: none

 private:
  const uint32_t id_;
  const std::string name_;
  const std::shared_ptr<const graph::Model> model_;  // its constants are computed
  const graph::ModelInOut in_out_;
  const std::vector<std::string> groups_;
  const std::unique_ptr<LoadedModel> loaded_;
  const bool dynamic_;
  std::vector<std::vector<int64_t>> gears_;
  size_t largest_gear_ = 0;
  const std::shared_ptr<Flights> flights_ = std::make_shared<Flights>();  // outlives the model until they are over
  std::mutex running_;
  std::atomic<uint64_t> executions_{0};
  mutable std::mutex mutex_;
  std::optional<Gear> gear_;  // guarded by mutex_
};

// The loaded models of the process, by id. Static ones count from 1, dynamic ones and bundles from 2147483648; ids are
// never used again. Safe from any thread.
class ModelRegistry {
 public:
  using Observers = std::function<std::vector<std::shared_ptr<Observer>>(
      const std::string& name, const std::shared_ptr<const graph::Model>& model)>;
  // Asked at each load for who watches the model.
  void set_observers(Observers observers);

  Result<std::shared_ptr<RegisteredModel>> add(std::string name, std::shared_ptr<graph::Model> model,
                                               graph::ModelInOut in_out, LoadOptions options);
  // 145003 when there is none.
  Result<std::shared_ptr<RegisteredModel>> find(uint32_t id) const;
  // Ends models: from now on nobody finds them. Then waits until no execution of theirs is in flight; their memory is
  // the program's again. Refused, with nothing changed, where the calling thread cannot wait (Flights::CanWait).
  Status remove(std::span<const uint32_t> ids);
  Status remove(uint32_t id) { return remove({&id, 1}); }
  std::vector<std::shared_ptr<RegisteredModel>> all() const;

  uint32_t next_dynamic_id() { return next_dynamic_++; }

 private:
  mutable std::mutex mutex_;
  std::map<uint32_t, std::shared_ptr<RegisteredModel>> models_;
  Observers observers_;
  uint32_t next_static_ = 1;
  std::atomic<uint32_t> next_dynamic_{2147483648u};
};

ModelRegistry& model_registry();

}  // namespace belay::executor
