// SPDX-License-Identifier: Apache-2.0
#include "executor/flights.h"

namespace belay::executor {
namespace {

Status being_unloaded() {
  return {static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID), "another thread is unloading it"};
}

}  // namespace

Flights::Flight::~Flight() {
  if (!of_) return;
  std::lock_guard lock(of_->mutex_);
  of_->flying_.erase(place_);
  if (of_->flying_.empty()) of_->ended_.notify_all();
}

Result<Flights::Flight> Flights::begin(std::shared_ptr<Flights> flights, CanWait can_wait) {
  std::lock_guard lock(flights->mutex_);
  if (flights->closed_) return being_unloaded();
  const auto place = flights->flying_.insert(flights->flying_.end(), std::move(can_wait));
  return Flight(flights, place);
}

Status Flights::close() {
  std::lock_guard lock(mutex_);
  if (closed_) return being_unloaded();
  for (const CanWait& can_wait : flying_) TRY(can_wait());
  closed_ = true;
  return {};
}

void Flights::reopen() {
  std::lock_guard lock(mutex_);
  closed_ = false;
}

void Flights::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return flying_.empty(); });
}

}  // namespace belay::executor
