// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"

namespace belay::convert {

// What atc's options ask of a conversion; the texts are the options' values as typed.
struct ConvertOptions {
  std::string name;  // of the model: the base name of --output
  std::string input_format = "NCHW", input_shape, input_shape_range;
  std::string dynamic_batch_size, dynamic_image_size, dynamic_dims;
  std::string out_nodes, output_type, precision_mode = "must_keep_origin_dtype", precision_mode_v2;
  std::string input_fp16_nodes, keep_dtype, modify_mixlist, customize_dtypes;
  std::vector<std::string> keep_names, black_types;  // more of the files of --keep_dtype and --modify_mixlist
  std::string fusion_switch_file, insert_op_conf, command_line, soc_version = "Ascend910B3";
  bool fold_constants = true, fuse = true;
  bool group = true;  // also make one node of several that one kernel computes
};

// How often each pass matched and had an effect, for fusion_result.json.
struct PassCount {
  std::string pass;
  bool ub = false;
  int matched = 0, effective = 0;
};

struct Converted {
  std::shared_ptr<graph::Model> model;  // borrows the weights of the ONNX file, which it keeps mapped
  std::vector<PassCount> passes;
  std::vector<std::string> warnings;
};

// ONNX file to GE model. The error lists every node that cannot be converted, each with its reason.
Result<Converted> convert_onnx(const std::filesystem::path& path, const ConvertOptions& options);
// The same from memory; relative external data is looked for in `directory`.
Result<Converted> convert_onnx(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                               const std::filesystem::path& directory, const ConvertOptions& options);

}  // namespace belay::convert
