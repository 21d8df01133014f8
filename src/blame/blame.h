// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "blame/held.h"
#include "blame/report.h"
#include "compare/side.h"
#include "graph/model/graph.h"

namespace belay::blame {

struct Question {
  const compare::Side* side = nullptr;        // whose operators are examined
  const compare::Side* truth = nullptr;       // what they are compared with; null: one side is enough
  std::shared_ptr<const graph::Model> model;  // that the side came from
  GivenTensors given;                         // inputs of the model that the side does not hold
  std::optional<int64_t>
      step;  // the execution; none: the first with somebody guilty, else the first that differs, else the first
  std::function<void(size_t)> plans;  // told how many runs of operators an execution has
  std::function<void()> advances;     // after each of them
};

// The model of a file, for this side: an .onnx is converted with the usual fusions, or without any when the side was
// made with others and tells the operators before fusion.
Result<std::shared_ptr<const graph::Model>> read_model_of(const compare::Side& side, const std::filesystem::path& path);

// Computes every operator of an execution again, in double precision, from what the side says it read. 100006 when the
// side has no execution of this model, with what it has.
Result<Report> examine(const Question& question);

}  // namespace belay::blame
