// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::graph {

// A file of weights that lies in the directory `weight` beside an .om.
struct WeightFile {
  std::string name;
  std::vector<Constant> pieces;  // one after the other, each at a multiple of 512
};

// Turns the constants of a model into FileConstant nodes, and says which files they are to be found in: one for each
// constant, named after its SHA-256, or, when `combined` is not empty, all in a file of that name.
std::vector<WeightFile> take_out_weights(Model& model, const std::string& combined);
// The content of a file, as it is written; borrowed from it.
Pieces pieces_of(const WeightFile& file);

bool has_external_weights(const Model& model);
// Turns FileConstant nodes into constants again that borrow from the mapped files. 545003, naming node and file, when
// one is missing or too short.
Status bring_in_weights(Model& model, const std::filesystem::path& directory);

}  // namespace belay::graph
