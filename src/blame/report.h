// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "exact/yardstick.h"

namespace belay::blame {

enum class Verdict : uint8_t {
  Clean,         // as near to its recomputation as its types permit
  Inherits,      // the same, but its inputs alone make it differ from the other side
  Guilty,        // its inputs are not to blame
  NotCheckable,  // see `why`
};
std::string_view name_of(Verdict verdict);  // "clean", "inherits", "guilty", "not checkable"

struct OutputReport {
  size_t index = 0;
  graph::DataType type = graph::DataType::Undefined;
  graph::Shape shape;
  exact::Numbers numbers;
};

struct InputReport {
  size_t index = 0;
  std::string origin;  // "output 0 of conv1", "weight w"
  graph::DataType type = graph::DataType::Undefined;
  graph::Shape shape;
};

// What is told of a guilty operator beside its numbers.
struct Evidence {
  size_t output = 0;  // the place in `outputs` of the one that is meant
  std::vector<InputReport> inputs;
  std::vector<std::string> terms;  // the largest that made the worst element, each a line
  std::string cause;               // a hypothesis under which every wrong element is right; "" when none was found
  std::optional<double> share;     // of the final outputs' error that vanishes when this operator alone is corrected
};

struct OperatorReport {
  std::string op, op_type;
  std::string recorded_as;            // its name in the dump, when another fusion gave it another
  std::vector<std::string> sources;   // nodes of the source model
  std::vector<std::string> together;  // operators before it without a record, which are judged with it
  uint64_t time = 0, task = 0;
  Verdict verdict = Verdict::Clean;
  std::string why;  // of NotCheckable, and of Guilty when a shape tells it
  std::vector<OutputReport> outputs;
  std::optional<Evidence> evidence;  // of Guilty, when elements are wrong
};

// A tensor that was not the same when it was read as when it was made: overwritten in between, or a weight that is not
// the model's.
struct Changed {
  bool weight = false;
  std::string tensor;  // "output 0 of conv1", "weight w"
  std::string reader;
  size_t input = 0;  // of the reader
  int64_t count = 0, different = 0, first = 0;
  double was = 0, is = 0;  // of the first different element
  graph::Shape shape;
  std::vector<std::string> suspects;  // the operators that ran in between
};

// One execution of a model, examined.
struct Report {
  std::filesystem::path place;
  std::vector<OperatorReport> operators;  // in the order in which they ran
  std::vector<Changed> changed;
  std::vector<std::string> mismatches;  // sentences: what cannot be of one model and one run
  std::vector<std::string> unrecorded;  // operators of the model that ran and are not in the dump
  std::vector<std::string> foreign;     // operators in the dump that the model does not have
  std::vector<std::string> notes;       // sentences about what else the reader should know

  size_t count(Verdict verdict) const;
  bool anyone_guilty() const { return count(Verdict::Guilty) > 0 || !changed.empty() || !mismatches.empty(); }
};

}  // namespace belay::blame
