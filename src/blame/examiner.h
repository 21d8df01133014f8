// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "blame/blame.h"
#include "blame/correction.h"
#include "blame/executions.h"
#include "blame/trial.h"
#include "blame/walk.h"

namespace belay::blame {

// Examines one execution: the last of those given; the earlier ones are where stale data may be from.
class Examiner {
 public:
  // All must outlive it. `truth` may be null.
  Examiner(const Question& question, std::span<const Execution> executions, Truth truth);

  Report examine();

 private:
  // The last time that a tensor was what its producer had made.
  struct LastSeen {
    uint64_t time = 0;  // who was recorded from then on may have changed it
    bool told = false;  // it was changed since then, and the report says so
  };

  void ran(const Ran& ran);
  // Compares what was read with what was made. The places in report_.changed that this adds.
  void find_changes(const Ran& ran);
  void check_given(const Walk& walk);
  // Notes what has a partner of another size on the other side.
  void check_partners(const Ran& ran);
  void find_change(const Ran& ran, size_t input);
  void absolve(const Ran& ran, Trial& trial, OperatorReport& report, size_t changes_before);
  // Keeps what a guilty operator gave and should have given.
  void remember(const Ran& ran, const Trial& trial, size_t place);
  void tell_shares(const Walk& walk, std::span<const Held> results);
  std::vector<std::string> who_ran(uint64_t from, uint64_t until) const;

  const Question& question_;
  const std::span<const Execution> executions_;
  const Truth truth_;
  Report report_;
  bool without_inputs_ = false;  // somebody is guilty whose inputs are not in the dump
  std::vector<Misdeed> misdeeds_;
  std::vector<size_t> culprits_;                               // by misdeed: the place of its operator in the report
  std::map<std::pair<std::string, uint64_t>, LastSeen> seen_;  // by tensor and the time when it was made
};

}  // namespace belay::blame
