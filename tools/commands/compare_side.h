// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compare/side.h"
#include "golden/golden_side.h"

namespace belay::tools {

// What the command line says of the inputs of a model that is a side.
struct ModelInputs {
  std::vector<std::string> files, shapes;
  uint64_t seed = 0;
};

// By its ending; a folder never is.
bool is_model(const std::filesystem::path& path);

// A side of belay compare: what lies in files, or a model that computes it.
class ComparedSide {
 public:
  // Throws std::runtime_error with the sentence to print.
  ComparedSide(const std::filesystem::path& path, const ModelInputs& inputs);

  const compare::Side& side() const { return model_ ? model_->side() : files_; }
  // A model runs, and keeps these of its tensors. Throws as the constructor.
  void compute(const std::vector<size_t>& wanted);

 private:
  compare::Side files_;
  std::unique_ptr<golden::GoldenSide> model_;
  std::vector<golden::Input> inputs_;
};

}  // namespace belay::tools
