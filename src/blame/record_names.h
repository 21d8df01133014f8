// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "blame/executions.h"
#include "graph/model/graph.h"

namespace belay::blame {

// Which operator of a model a record is of.
class RecordNames {
 public:
  // Borrows nothing.
  explicit RecordNames(const graph::Model& model);

  // By its own name, mangled or not, when its results are that operator's. Empty: it is of another fusion, or of none.
  std::string by_name(const Record& record) const;
  // By the operator before fusion whose output this one is. Empty for what a compiler inserts.
  std::string by_origin(const Record& record, const compare::SideTensor& output) const;
  // Whether one of the two gives a name.
  bool knows(const Record& record) const;

 private:
  std::map<std::string, std::string> names_;    // also mangled
  std::map<std::string, std::string> origins_;  // the last operator that came of each one of the source
  std::map<std::string, std::string> last_of_;  // the source of an operator's result
};

}  // namespace belay::blame
