// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "bisect/array.h"
#include "graph/model/graph.h"

namespace belay::convert {
struct ConvertOptions;
}

namespace belay::bisect {

enum class Narrow { Half, Brain };

// What a model takes and gives; shapes may have unknown dimensions.
struct Signature {
  std::vector<Array> inputs;         // without bytes
  std::vector<std::string> outputs;  // the tensors' names in the ONNX file
};

Result<Signature> signature_of(const std::filesystem::path& model);

// An operator that the narrow type would change, as the lists of atc name it.
struct Operator {
  std::string name;                // in the ONNX file
  std::vector<std::string> types;  // of the GE operators that it became, each once
  std::vector<std::string> nodes;  // their names
};

// One model with one set of inputs, converted and run again and again in memory as atc would convert it.
class Network {
 public:
  Network(std::filesystem::path model, std::vector<Array> inputs, Narrow narrow, int threads);

  // In the order in which they run.
  Result<std::vector<Operator>> operators() const;

  Result<std::vector<Array>> run_float() const;
  // All in the narrow type (force_fp16; for bfloat16 allow_mix_precision_bf16, as there is no other) but these.
  Result<std::vector<Array>> run_narrow(const std::vector<std::string>& kept) const;
  // Under mixed precision, with these types on the black list.
  Result<std::vector<Array>> run_mixed(const std::vector<std::string>& black) const;

  // For each operator, how much worse its results are when it alone is narrow and what it reads is not: the mean
  // absolute error in parts of the mean magnitude, infinite where a number becomes none. One run.
  Result<std::vector<double>> sensitivity(const std::vector<Operator>& operators) const;

  Narrow narrow() const { return narrow_; }

 private:
  convert::ConvertOptions options() const;
  convert::ConvertOptions narrow_options() const;
  Result<std::vector<Array>> run(std::shared_ptr<graph::Model> model) const;

  const std::filesystem::path model_;
  const std::vector<Array> inputs_;
  const Narrow narrow_;
  const int threads_;
};

}  // namespace belay::bisect
