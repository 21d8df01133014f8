// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blame/held.h"
#include "exact/value.h"
#include "graph/model/graph.h"

namespace belay::blame {

// A guilty operator: what it gave and what it should have given, by output, in its own types. Null: not recorded.
struct Misdeed {
  const graph::Node* node = nullptr;
  std::vector<Source> got, expected;
};

// How much of the error of the model's final outputs vanishes when one operator alone is corrected. The model is run
// again in its own types, from the inputs that the side had; the others' misdeeds stay.
class Correction {
 public:
  // `results` are the final outputs as the side has them, `inputs` those of the model by name. All are borrowed.
  Correction(std::shared_ptr<const graph::Model> model, const std::map<std::string, Held>& inputs,
             std::span<const Held> results, std::span<const Misdeed> misdeeds);

  // Nothing, with the reason, when the model cannot be run again or its results are not known.
  Status prepare();
  // Of misdeed `index`: 1 when all of the error vanishes; below 0 when it grows.
  Result<double> share(size_t index) const;

 private:
  using Values = std::vector<exact::Value>;
  graph::Model corrected(size_t index) const;
  Result<Values> run(std::shared_ptr<const graph::Model> model) const;
  double distance(const Values& from) const;

  const std::shared_ptr<const graph::Model> model_;
  const std::map<std::string, Held>& inputs_;
  const std::span<const Held> results_;
  const std::span<const Misdeed> misdeeds_;
  Values clean_;      // the results without any misdeed
  double error_ = 0;  // of the side's results
};

}  // namespace belay::blame
