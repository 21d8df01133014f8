// SPDX-License-Identifier: Apache-2.0
#include "executor/model_registry.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/threads/fork.h"
#include "base/timeline.h"
#include "graph/infer/constant_nodes.h"

namespace belay::executor {
namespace {

std::vector<std::vector<int64_t>> gears_of(const graph::ModelInOut& in_out) {
  std::vector<std::vector<int64_t>> gears;
  for (const int64_t batch : in_out.dynamic_batch) gears.push_back({batch});
  gears.insert(gears.end(), in_out.dynamic_hw.begin(), in_out.dynamic_hw.end());
  gears.insert(gears.end(), in_out.dynamic_dims.begin(), in_out.dynamic_dims.end());
  return gears;
}

int64_t product(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

// Also when the shapes were not known to who wrote the file, and are now that its constants are computed: programs have
// to ask for them.
bool shapes_come_late(const LoadedModel& loaded, const graph::ModelInOut& in_out) {
  return loaded.dynamic() ||
         std::ranges::any_of(in_out.outputs, [](const auto& output) { return !graph::is_known(output.dims); });
}

}  // namespace

RegisteredModel::RegisteredModel(uint32_t id, std::string name, std::shared_ptr<const graph::Model> model,
                                 graph::ModelInOut in_out, std::unique_ptr<LoadedModel> loaded)
    : id_(id),
      name_(std::move(name)),
      model_(std::move(model)),
      in_out_(std::move(in_out)),
      groups_(graph::groups_of(*model_)),
      loaded_(std::move(loaded)),
      dynamic_(shapes_come_late(*loaded_, in_out_)),
      gears_(gears_of(in_out_)) {
  const auto largest = std::max_element(gears_.begin(), gears_.end(),
                                        [](const auto& a, const auto& b) { return product(a) < product(b); });
  largest_gear_ = static_cast<size_t>(largest - gears_.begin());
}

void RegisteredModel::set_gear(Gear gear) {
  std::lock_guard lock(mutex_);
  gear_ = std::move(gear);
}

Gear RegisteredModel::gear() const {
  std::lock_guard lock(mutex_);
  if (gear_) return *gear_;
  return gears_.empty() ? Gear{} : Gear{gears_[largest_gear_], largest_gear_};
}

Result<Flights::Flight> RegisteredModel::begin(Flights::CanWait can_wait) const {
  auto flight = Flights::begin(flights_, std::move(can_wait));
  if (flight.ok()) return flight;
  return Status{flight.status().code, "model " + std::to_string(id_) + ": " + flight.status().message};
}

Status RegisteredModel::run(RunInfo info, std::span<const Tensor> inputs, std::span<Tensor> outputs,
                            Allocator* allocator) {
  std::lock_guard lock(running_);
  info.model_id = id_;
  info.data_index = executions_++;
  const timeline::Scope timed(timeline::Kind::Model, [&](timeline::Span& span) {
    span.name = std::string_view(name_);
    span.model = id_;
    span.run = info.data_index;
    span.stream = static_cast<int32_t>(info.stream_id);
  });
  return loaded_->run(info, inputs, outputs, allocator);
}

void ModelRegistry::set_observers(Observers observers) {
  std::lock_guard lock(mutex_);
  observers_ = std::move(observers);
}

Result<std::shared_ptr<RegisteredModel>> ModelRegistry::add(std::string name, std::shared_ptr<graph::Model> model,
                                                            graph::ModelInOut in_out, LoadOptions options) {
  Observers observers;
  {
    std::lock_guard lock(mutex_);
    observers = observers_;
  }
  std::shared_ptr<const graph::Model> computed = compute_constants(std::move(model), options);
  if (observers) options.observers = observers(name, computed);
  auto loaded = TRY(load(computed, options));
  std::lock_guard lock(mutex_);
  const bool dynamic = shapes_come_late(*loaded, in_out) && gears_of(in_out).empty();
  const uint32_t id = dynamic ? next_dynamic_++ : next_static_++;
  auto made =
      std::make_shared<RegisteredModel>(id, std::move(name), std::move(computed), std::move(in_out), std::move(loaded));
  models_[id] = made;
  return made;
}

Result<std::shared_ptr<RegisteredModel>> ModelRegistry::find(uint32_t id) const {
  const Status none{static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID),
                    "there is no loaded model with id " + std::to_string(id)};
  if (orphaned()) return none;
  std::lock_guard lock(mutex_);
  if (const auto found = models_.find(id); found != models_.end()) return found->second;
  return none;
}

Status ModelRegistry::remove(std::span<const uint32_t> ids) {
  std::vector<std::shared_ptr<RegisteredModel>> ended;
  for (const uint32_t id : ids) {
    const auto found = find(id);
    const Status status = found.ok() ? (*found)->flights().close() : found.status();
    if (status.ok()) {
      ended.push_back(*found);
      continue;
    }
    for (const auto& model : ended) model->flights().reopen();
    return {status.code, "model " + std::to_string(id) + " cannot be unloaded: " + status.message};
  }
  {
    std::lock_guard lock(mutex_);
    for (const uint32_t id : ids) models_.erase(id);
  }
  for (const auto& model : ended) model->flights().wait();
  return {};
}

std::vector<std::shared_ptr<RegisteredModel>> ModelRegistry::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<RegisteredModel>> models;
  for (const auto& [id, model] : models_) models.push_back(model);
  return models;
}

ModelRegistry& model_registry() {
  static auto& registry = *new ModelRegistry;
  return registry;
}

}  // namespace belay::executor
