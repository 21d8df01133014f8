// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "compare/side.h"
#include "graph/model/graph.h"

namespace belay::golden {

// An input of a model. Shapes of inputs() may have unknown dimensions; they have no bytes.
struct Input {
  std::string name;
  graph::DataType type = graph::DataType::Undefined;
  graph::Shape shape;
  std::vector<std::byte> bytes;
};

// A model as a side: what each of its operators makes of given inputs. An .onnx is converted without fusions, so that
// every operator of the file has its own result; an .om is taken as it is.
class GoldenSide {
 public:
  // The errors of the reader or of the conversion.
  static Result<std::unique_ptr<GoldenSide>> open(const std::filesystem::path& model);

  std::vector<Input> inputs() const;
  // The outputs of the operators of the main graph, in their order. They can be opened after run(), where they were
  // wanted.
  const compare::Side& side() const { return side_; }

  // Runs the model once on all of its inputs, in their order. Of the outputs only those at these places of
  // side().tensors are kept, in a file without a name in $TMPDIR.
  Status run(const std::vector<Input>& inputs, const std::vector<size_t>& wanted);

 private:
  class Keeper;
  explicit GoldenSide(std::shared_ptr<const graph::Model> model);

  const std::shared_ptr<const graph::Model> model_;
  std::shared_ptr<Keeper> keeper_;
  compare::Side side_;
};

}  // namespace belay::golden
