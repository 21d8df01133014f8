// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "blame/executions.h"
#include "blame/held.h"
#include "blame/report.h"
#include "compare/side.h"
#include "graph/model/graph.h"

namespace belay::blame {

class OtherRanks;

struct Question {
  const compare::Side* side = nullptr;        // whose operators are examined
  const compare::Side* truth = nullptr;       // what they are compared with; null: one side is enough
  std::shared_ptr<const graph::Model> model;  // that the side came from
  GivenTensors given;                         // inputs of the model that the side does not hold
  std::optional<int64_t>
      step;  // the execution; none: the first with somebody guilty, else the first that differs, else the first
  const OtherRanks* others = nullptr;  // null: collective operators are not checkable
  std::function<void(size_t)> plans;   // told how many runs of operators an execution has
  std::function<void()> advances;      // after each of them
};

// The model of a file, for this side: an .onnx is converted with the usual fusions, or without any when the side was
// made with others and tells the operators before fusion.
Result<std::shared_ptr<const graph::Model>> read_model_of(const compare::Side& side, const std::filesystem::path& path);

// The executions of the model that the side has, in the order of their steps. 100006 when there is none, with what the
// side has. They borrow from the side.
Result<std::vector<Execution>> executions_of(const Question& question);

// Computes every operator of an execution again, in double precision, from what the side says it read. 100006 when the
// side has no execution of this model, with what it has.
Result<Report> examine(const Question& question);

}  // namespace belay::blame
