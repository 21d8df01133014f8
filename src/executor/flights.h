// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "base/status.h"

namespace belay::executor {

// The executions of one model that were called and are not over, so that whoever ends the model can wait for them. Safe
// from any thread.
class Flights {
 public:
  // Whether the calling thread may wait for an execution: if not, why that would never end. It is called under this
  // object's lock and begins or ends no execution of the model.
  using CanWait = std::function<Status()>;

  // One execution: over when this is destroyed.
  class Flight {
   public:
    Flight() = default;
    Flight(Flight&& other) noexcept : of_(std::move(other.of_)), place_(other.place_) {}
    Flight& operator=(Flight&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(place_, other.place_);
      return *this;
    }
    ~Flight();

   private:
    friend class Flights;
    Flight(std::shared_ptr<Flights> of, std::list<CanWait>::iterator place) : of_(std::move(of)), place_(place) {}
    std::shared_ptr<Flights> of_;  // null: none
    std::list<CanWait>::iterator place_;
  };

  // 145003 when the model is being unloaded.
  static Result<Flight> begin(std::shared_ptr<Flights> flights, CanWait can_wait);

  // From now on nothing begins. Refused, with nothing changed, when the calling thread cannot wait for one of those in
  // flight; 145003 when it was closed before.
  Status close();
  // Takes a close back.
  void reopen();
  // Until all are over.
  void wait();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  // Guarded by mutex_.
  std::list<CanWait> flying_;
  bool closed_ = false;
};

}  // namespace belay::executor
