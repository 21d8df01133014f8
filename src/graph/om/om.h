// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/atomic_file.h"
#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::graph {

// One tensor of MODEL_INOUT_INFO: what the description calls of aclmdl* answer from.
struct InOutInfo {
  std::string name;
  uint64_t size = 0;
  Format format = Format::ND;
  DataType type = DataType::Undefined;
  Shape dims, dims_v2;
  std::vector<std::pair<int64_t, int64_t>> range;
};

// The whole MODEL_INOUT_INFO partition (model.md 1.3).
struct ModelInOut {
  std::vector<InOutInfo> inputs, outputs;
  std::vector<int64_t> dynamic_batch;
  std::vector<std::vector<int64_t>> dynamic_hw, dynamic_dims;
  std::vector<std::string> dynamic_output_shapes, user_shape_order;
};

// What an .om file holds. The models borrow the file's bytes: weights are never copied.
struct OmFile {
  std::vector<std::shared_ptr<Model>> models;  // several in a bundle; else one
  std::vector<ModelInOut> in_out;              // one for each model; made from the graph when the file has none
  bool bundle = false;
  uint64_t variable_bytes = 0;                                    // of a bundle
  std::vector<std::pair<std::string, uint64_t>> partition_sizes;  // for --mode=6
};

// Maps and reads a file: 145002 when it cannot be opened, 145006 when it is not a whole .om, 545002... by partition.
Result<OmFile> read_om(const std::filesystem::path& path);
// Reads an image in memory; `owner` keeps it alive.
Result<OmFile> read_om(std::span<const std::byte> image, std::shared_ptr<const void> owner);

struct OmWriteOptions {
  bool compress_attributes = true;
  bool wide_table = true;  // false: the tiny one, with the length in the old field
};
// An .om file that is to be written. The weights are borrowed from the model, which must outlive this.
struct OmImage {
  Pieces pieces;                      // that follow one another
  std::shared_ptr<const void> owner;  // of those that are not weights
};
Result<OmImage> make_om(const Model& model, const OmWriteOptions& options = {});
// The image of a file with one model; a bundle of several.
Result<std::vector<std::byte>> write_om(const Model& model, const OmWriteOptions& options = {});
Result<std::vector<std::byte>> write_bundle(std::span<const Model* const> models, uint64_t variable_bytes);

// Derived from the graph by the rules of model.md 1.3.
ModelInOut describe(const Model& model);

}  // namespace belay::graph
