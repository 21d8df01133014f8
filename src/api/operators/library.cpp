// SPDX-License-Identifier: Apache-2.0
// The single-operator models that a program brings along: aclopSetModelDir, aclopLoad.
#include "api/operators/library.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "acl/acl_op.h"
#include "api/core/entry.h"
#include "base/log/log.h"
#include "base/strict.h"
#include "base/text.h"
#include "graph/om/om.h"

using namespace belay;
using namespace belay::api;

namespace {

namespace fs = std::filesystem;
using operators::OperatorRequest;

constexpr int kLevels = 3;  // of directories that are searched

struct Library {
  std::mutex mutex;
  std::vector<graph::Node> operators;  // with input_descs and outputs as the models have them
  std::set<std::string> compiled;
  bool directory_set = false;
};

Library& library() {
  static auto& only = *new Library;
  return only;
}

bool is_operator(const graph::Node& node) {
  return !graph::is_graph_input(node) && !graph::is_constant(node) && node.type != "NetOutput";
}

// The one operator of a model, its inputs described as the model's own.
Result<graph::Node> only_operator(const graph::Model& model) {
  const auto& nodes = model.main().nodes;
  if (std::ranges::count_if(nodes, is_operator) != 1)
    return Status{ACL_ERROR_OP_LOAD_FAILED, formatted("model \"{}\" has {} operators; a single-operator model has one",
                                                      model.name, std::ranges::count_if(nodes, is_operator))};
  graph::Node node = *std::ranges::find_if(nodes, is_operator);
  node.input_descs.resize(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const graph::Edge edge = node.inputs[i];
    if (edge.connected())
      node.input_descs[i] = nodes[static_cast<size_t>(edge.node)].outputs[0];
    else
      node.input_descs[i].type = graph::DataType::Undefined;
  }
  return node;
}

Status add(Result<graph::OmFile> file) {
  const auto opened = TRY(std::move(file));
  for (const auto& model : opened.models) {
    graph::Node node = TRY(only_operator(*model));
    std::lock_guard lock(library().mutex);
    library().operators.push_back(std::move(node));
  }
  return {};
}

Status add_directory(const fs::path& directory, int levels) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_directory(error) && levels > 1) {
      TRY(add_directory(entry.path(), levels - 1));
    } else if (entry.path().extension() == ".om") {
      if (Status status = add(graph::read_om(entry.path())); !status.ok())
        return {ACL_ERROR_OP_LOAD_FAILED, entry.path().string() + ": " + status.message};
    }
  }
  if (error) return {ACL_ERROR_READ_MODEL_FAILURE, directory.string() + " cannot be read: " + error.message()};
  return {};
}

Status set_directory(const char* path) {
  TRY(not_null(path, "modelDir"));
  {
    std::lock_guard lock(library().mutex);
    if (library().directory_set)
      return {ACL_ERROR_REPEAT_INITIALIZE, "the directory of single-operator models is set already"};
  }
  std::error_code error;
  if (!fs::is_directory(path, error))
    return {ACL_ERROR_READ_MODEL_FAILURE, std::string("modelDir \"") + path + "\" is not a directory"};
  TRY(add_directory(path, kLevels));
  std::lock_guard lock(library().mutex);
  library().directory_set = true;
  return {};
}

Status load(const void* model, size_t size) {
  TRY(not_null(model, "model"));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "modelSize must be above 0", "EH0009"};
  const auto* bytes = static_cast<const std::byte*>(model);
  auto copy = std::make_shared<const std::vector<std::byte>>(bytes, bytes + size);
  return add(graph::read_om(std::span(*copy), copy));
}

bool fits(const graph::TensorDesc& has, const graph::TensorDesc& wanted) {
  if (has.type != wanted.type || has.type == graph::DataType::Undefined) return has.type == wanted.type;
  const graph::Shape& shape = has.origin_shape.empty() ? has.shape : has.origin_shape;
  if (shape == graph::Shape{-2}) return true;
  if (shape.size() != wanted.shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i] >= 0 && shape[i] != wanted.shape[i]) return false;
  return true;
}

bool fits(const std::vector<graph::TensorDesc>& has, const std::vector<graph::TensorDesc>& wanted) {
  return std::ranges::equal(has, wanted, [](const auto& a, const auto& b) { return fits(a, b); });
}

// Whether two requests differ in attributes only; the text of a request holds them all.
std::string attributes_text(const graph::Attributes& attributes) {
  return operators::key_of(OperatorRequest{.type = "", .attributes = attributes});
}

bool fits(const graph::Node& node, const OperatorRequest& request) {
  if (node.type != request.type || !fits(node.input_descs, request.inputs) || !fits(node.outputs, request.outputs))
    return false;
  graph::Attributes same;
  for (const auto& [name, value] : request.attributes)
    if (const auto found = node.attributes.find(name); found != node.attributes.end()) same[name] = found->second;
  return attributes_text(same) == attributes_text(request.attributes);
}

}  // namespace

namespace belay::api {

Result<operators::SingleOperator> find_for_execution(OperatorRequest request) {
  {
    std::lock_guard lock(library().mutex);
    const auto found = std::ranges::find_if(library().operators, [&](const auto& node) { return fits(node, request); });
    if (found != library().operators.end()) {
      request.name = found->name;
      for (const auto& [name, value] : found->attributes) request.attributes.try_emplace(name, value);
    } else if (strict_mode() && !library().compiled.contains(operators::key_of(request))) {
      return Status{ACL_ERROR_OP_NOT_FOUND,
                    formatted("no single-operator model of {} fits; compile it with aclopCompile "
                              "or give its directory to aclopSetModelDir",
                              request.type)};
    }
  }
  return operators::find_operator(request);
}

void remember_compiled(const OperatorRequest& request) {
  std::lock_guard lock(library().mutex);
  if (strict_mode()) library().compiled.insert(operators::key_of(request));
}

}  // namespace belay::api

aclError aclopSetModelDir(const char* modelDir) {
  return entry(
      __func__, [&] { return set_directory(modelDir); }, modelDir);
}

aclError aclopLoad(const void* model, size_t modelSize) {
  return entry(
      __func__, [&] { return load(model, modelSize); }, model, modelSize);
}
