// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dump/format/record_reader.h"
#include "graph/model/attribute.h"
#include "inspect/dump_tree.h"

namespace belay::replay {

// The files of tensors of a dump, by operator.
class DumpedTree {
 public:
  static Result<DumpedTree> open(const std::filesystem::path& path);

  // The files of an operator, the earliest first: by its name, as it is or as file names have it; else those whose
  // outputs came from an operator of that name, fused into them. 100006 when there are none, with the closest names, or
  // only statistics of it.
  Result<std::vector<inspect::FoundDump>> of(std::string_view name) const;
  // The file of an operator in the same folder, that is of the same execution: the last one before `time`.
  std::optional<inspect::FoundDump> beside(const inspect::FoundDump& file, std::string_view name) const;

  // What was passed over on the way, each with the reason.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<inspect::FoundDump> files_;
  std::vector<std::string> problems_;
  std::filesystem::path path_;
};

// The tensors of a dump file in logical order, by group and index. The values borrow from the file, or own their bytes.
struct DumpedTensors {
  std::string name, type;  // of the operator
  std::vector<graph::Constant> inputs, outputs;
};
Result<DumpedTensors> read_tensors(const inspect::FoundDump& file);

}  // namespace belay::replay
