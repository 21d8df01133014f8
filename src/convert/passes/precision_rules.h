// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "convert/convert.h"
#include "graph/tensor/types.h"

namespace belay::convert {

// In which types a model computes what it says in float.
enum class Precision {
  Origin,        // as the model says; every operator here has float, so allow_fp32_to_fp16 is the same
  Half,          // everything in float16
  MixedHalf,     // matrix products and convolutions in float16, and what may follow its inputs
  MixedBrain,    // the same in bfloat16
  CubeFromHalf,  // matrix products and convolutions of float16 inputs with float results
};

// From --precision_mode or --precision_mode_v2, which exclude each other. E10001 with the values there are.
Result<Precision> parse_precision(const ConvertOptions& options);

// What mixed precision does with the operators of a type: lowers them, lowers them when their inputs are, leaves them.
enum class MixList { White, Gray, Black };

// Operators by their names and by their types, one a line; a type is written OpType::Conv2D.
struct OperatorNames {
  std::set<std::string, std::less<>> names, types;
};

// A line of --customize_dtypes: the types of the inputs and outputs of one operator, or of all of a type. Float inputs
// that the list does not reach get the first type in it that is a float.
struct CustomTypes {
  bool by_type = false;
  std::string name;
  std::vector<graph::DataType> inputs, outputs;
};

// What the options say about types. A name counts before a type; --customize_dtypes before --keep_dtype, and that
// before the mode and its lists.
struct PrecisionRules {
  Precision mode = Precision::Origin;
  OperatorNames kept;
  std::map<std::string, MixList, std::less<>> lists;  // where they differ from ours, by type
  std::vector<CustomTypes> custom;
  std::vector<std::string> half_inputs;  // --input_fp16_nodes

  bool mixed() const { return mode == Precision::MixedHalf || mode == Precision::MixedBrain; }
};

// Reads the files that the options name. E10001 with the line or key that is wrong.
Result<PrecisionRules> read_precision_rules(const ConvertOptions& options);

// The files' texts.
Result<OperatorNames> parse_keep_list(std::string_view text);
Result<std::map<std::string, MixList, std::less<>>> parse_mix_lists(std::string_view text);
Result<std::vector<CustomTypes>> parse_custom_types(std::string_view text);

// One sentence for each name or type in the lists that no operator of the model has, with the nearest that one has, and
// for a list that the mode makes idle. `source` are the names of the ONNX nodes, some of which left the graph.
std::vector<std::string> idle_rules(const PrecisionRules& rules, const graph::Model& model,
                                    const std::set<std::string>& source);

}  // namespace belay::convert
