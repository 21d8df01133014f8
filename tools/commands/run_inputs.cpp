// SPDX-License-Identifier: Apache-2.0
#include "commands/run_inputs.h"

#include <algorithm>
#include <stdexcept>

#include "commands/arguments.h"
#include "commands/tensor_io.h"

namespace belay::tools {
namespace {

void require_known(const std::string& option, const std::string& name, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string known;
  for (const std::string& one : names) known += (known.empty() ? "" : ", ") + one;
  throw std::runtime_error(option + ": the model has no input '" + name + "'; it has: " + known);
}

}  // namespace

GivenInputs::GivenInputs(const std::vector<std::string>& files, const std::vector<std::string>& shapes,
                         const std::vector<std::string>& names) {
  size_t position = 0;
  for (const std::string& text : files) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos && position == names.size())
      throw std::runtime_error("--input " + text + ": the model has only " + std::to_string(names.size()) +
                               (names.size() == 1 ? " input" : " inputs"));
    const std::string name = equals == std::string::npos ? names[position++] : text.substr(0, equals);
    require_known("--input " + text, name, names);
    const std::string file = equals == std::string::npos ? text : text.substr(equals + 1);
    if (file.empty()) throw UsageError("--input " + text + ": the name of a file is missing after the =");
    files_[name] = file;
  }
  for (const std::string& text : shapes) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos) throw UsageError("--shape " + text + ": it is written NAME:1,3,224,224");
    require_known("--shape " + text, text.substr(0, colon), names);
    shapes_[text.substr(0, colon)] = parse_dims(text.substr(colon + 1));
  }
}

std::string GivenInputs::file(const std::string& name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? "" : found->second;
}

std::optional<std::vector<int64_t>> GivenInputs::shape(const std::string& name) const {
  const auto found = shapes_.find(name);
  return found == shapes_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<int64_t> shape_for(const HostTensor& declared, const std::optional<std::vector<int64_t>>& given) {
  std::vector<int64_t> shape = declared.shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0) shape[i] = given && i < given->size() ? (*given)[i] : 1;
  if (given && shape != *given)
    throw std::runtime_error("--shape: input " + declared.name + " is " + dims_text(declared.shape) +
                             " (-1: any), which " + dims_text(*given) + " does not fit");
  return shape;
}

}  // namespace belay::tools
