// SPDX-License-Identifier: Apache-2.0
#include "commands/compare_side.h"

#include <stdexcept>

#include "commands/run_inputs.h"
#include "commands/tensor_io.h"

namespace belay::tools {
namespace {

template <class T>
T needed(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.status().message);
  return std::move(result).value();
}

std::vector<golden::Input> filled(std::vector<golden::Input> inputs, const ModelInputs& said) {
  std::vector<std::string> names;
  for (const golden::Input& input : inputs) names.push_back(input.name);
  const GivenInputs given(said.files, said.shapes, names);
  std::mt19937_64 random(said.seed);
  for (golden::Input& input : inputs) {
    const HostTensor declared{input.name, static_cast<aclDataType>(input.type), input.shape, {}};
    HostTensor tensor = declared;
    tensor.shape = shape_for(declared, given.shape(input.name));
    if (const std::string file = given.file(input.name); !file.empty()) {
      tensor = read_tensor(file, tensor);
      shape_for(declared, tensor.shape);
    } else {
      fill_random(tensor, random);
    }
    input.shape = std::move(tensor.shape);
    input.bytes = std::move(tensor.bytes);
  }
  return inputs;
}

}  // namespace

bool is_model(const std::filesystem::path& path) {
  std::error_code ignored;
  return (path.extension() == ".onnx" || path.extension() == ".om") && !std::filesystem::is_directory(path, ignored);
}

ComparedSide::ComparedSide(const std::filesystem::path& path, const ModelInputs& inputs) {
  if (!is_model(path)) {
    files_ = needed(compare::open_side(path));
    return;
  }
  model_ = needed(golden::GoldenSide::open(path));
  inputs_ = filled(model_->inputs(), inputs);
}

void ComparedSide::compute(const std::vector<size_t>& wanted) {
  if (!model_) return;
  if (const Status ran = model_->run(inputs_, wanted); !ran.ok()) throw std::runtime_error(ran.message);
}

}  // namespace belay::tools
