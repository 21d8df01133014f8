// SPDX-License-Identifier: Apache-2.0
// Describing models: how many inputs and outputs, and what they are.
#include "api/model/desc.h"

#include <algorithm>

#include "api/core/entry.h"
#include "api/model/file.h"
#include "api/operators/tensor_desc.h"
#include "executor/model_registry.h"

using namespace belay;
using namespace belay::api;

namespace {

using Tensors = std::vector<graph::InOutInfo> graph::ModelInOut::*;

const graph::InOutInfo* find(const aclmdlDesc* desc, Tensors which, size_t index) {
  if (!desc) return nullptr;
  const auto& tensors = desc->in_out.*which;
  return index < tensors.size() ? &tensors[index] : nullptr;
}

void refill(aclmdlDesc& desc, graph::ModelInOut in_out, uint32_t model_id) {
  desc = {};
  desc.in_out = std::move(in_out);
  desc.model_id = model_id;
}

Status refill(aclmdlDesc& desc, graph::OmFile file) {
  if (file.bundle) return {ACL_ERROR_INVALID_PARAM, "a bundle has no description of its own; ask for its models"};
  refill(desc, std::move(file.in_out[0]), 0);
  return {};
}

Status index_by_name(const aclmdlDesc* desc, Tensors which, const char* name, size_t* index) {
  TRY(not_null(desc, "modelDesc"));
  TRY(not_null(name, "name"));
  TRY(not_null(index, "index"));
  const auto& tensors = desc->in_out.*which;
  const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const auto& t) { return t.name == name; });
  if (found == tensors.end()) {
    std::string names;
    for (const auto& tensor : tensors) names += (names.empty() ? "" : ", ") + tensor.name;
    return {ACL_ERROR_INVALID_PARAM, "no tensor is called \"" + std::string(name) + "\"; there are: " + names,
            "EH0009"};
  }
  *index = static_cast<size_t>(found - tensors.begin());
  return {};
}

}  // namespace

std::string aclmdlDesc::short_name(const std::string& name, const char* kind, size_t index) {
  if (name.size() < ACL_MAX_TENSOR_NAME_LEN) return name;
  std::string alias = "acl_modelId_" + std::to_string(model_id) + "_" + kind + "_" + std::to_string(index);
  auto taken = [&](const std::string& text) {
    auto same = [&](const auto& tensor) { return tensor.name == text; };
    return std::any_of(in_out.inputs.begin(), in_out.inputs.end(), same) ||
           std::any_of(in_out.outputs.begin(), in_out.outputs.end(), same);
  };
  for (int attempt = 0; attempt < 3 && taken(alias); ++attempt) {
    char letter = 'a';
    while (letter < 'z' && taken(alias + "_" + letter)) ++letter;
    alias += std::string("_") + letter;
  }
  real_names[alias] = name;
  return alias;
}

namespace belay::api {

std::vector<const graph::InOutInfo*> inputs_in_gear_order(const graph::ModelInOut& in_out) {
  std::vector<const graph::InOutInfo*> ordered;
  for (const std::string& name : in_out.user_shape_order)
    for (const auto& tensor : in_out.inputs)
      if (tensor.name == name) ordered.push_back(&tensor);
  for (const auto& tensor : in_out.inputs)
    if (tensor.name != ACL_DYNAMIC_TENSOR_NAME && std::find(ordered.begin(), ordered.end(), &tensor) == ordered.end())
      ordered.push_back(&tensor);
  return ordered;
}

}  // namespace belay::api

aclmdlDesc* aclmdlCreateDesc() {
  return entry_value<aclmdlDesc*>(__func__, nullptr, [] { return new aclmdlDesc; });
}

aclError aclmdlDestroyDesc(aclmdlDesc* modelDesc) {
  return destroy(__func__, modelDesc, "modelDesc");
}

aclError aclmdlGetDesc(aclmdlDesc* modelDesc, uint32_t modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelDesc, "modelDesc"));
        TRY(require_model_executor());
        refill(*modelDesc, TRY(executor::model_registry().find(modelId))->in_out(), modelId);
        return {};
      },
      modelDesc, modelId);
}

aclError aclmdlGetDescFromFile(aclmdlDesc* modelDesc, const char* modelPath) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelDesc, "modelDesc"));
        TRY(not_null(modelPath, "modelPath"));
        TRY(require_model_executor());
        return refill(*modelDesc, TRY(open_model(std::filesystem::path(modelPath))));
      },
      modelDesc, modelPath);
}

aclError aclmdlGetDescFromMem(aclmdlDesc* modelDesc, const void* model, size_t modelSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelDesc, "modelDesc"));
        TRY(not_null(model, "model"));
        if (modelSize == 0) return {ACL_ERROR_INVALID_PARAM, "modelSize must be above 0", "EH0009"};
        return refill(*modelDesc, TRY(open_model(model, modelSize)));
      },
      modelDesc, model, modelSize);
}

size_t aclmdlGetNumInputs(aclmdlDesc* modelDesc) {
  return entry_value(
      __func__, size_t{0}, [&] { return modelDesc ? modelDesc->in_out.inputs.size() : 0; }, modelDesc);
}

size_t aclmdlGetNumOutputs(aclmdlDesc* modelDesc) {
  return entry_value(
      __func__, size_t{0}, [&] { return modelDesc ? modelDesc->in_out.outputs.size() : 0; }, modelDesc);
}

size_t aclmdlGetInputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
  return entry_value(
      __func__, size_t{0},
      [&]() -> size_t {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::inputs, index);
        return tensor ? tensor->size : 0;
      },
      modelDesc, index);
}

size_t aclmdlGetOutputSizeByIndex(aclmdlDesc* modelDesc, size_t index) {
  return entry_value(
      __func__, size_t{0},
      [&]() -> size_t {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::outputs, index);
        return tensor ? tensor->size : 0;
      },
      modelDesc, index);
}

const char* aclmdlGetInputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
  return entry_value<const char*>(
      __func__, "",
      [&] {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::inputs, index);
        return tensor ? tensor->name.c_str() : "";
      },
      modelDesc, index);
}

const char* aclmdlGetOutputNameByIndex(const aclmdlDesc* modelDesc, size_t index) {
  return entry_value<const char*>(
      __func__, "",
      [&] {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::outputs, index);
        return tensor ? tensor->name.c_str() : "";
      },
      modelDesc, index);
}

aclFormat aclmdlGetInputFormat(const aclmdlDesc* modelDesc, size_t index) {
  return entry_value(
      __func__, ACL_FORMAT_UNDEFINED,
      [&] {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::inputs, index);
        return tensor ? to_acl(tensor->format) : ACL_FORMAT_UNDEFINED;
      },
      modelDesc, index);
}

aclFormat aclmdlGetOutputFormat(const aclmdlDesc* modelDesc, size_t index) {
  return entry_value(
      __func__, ACL_FORMAT_UNDEFINED,
      [&] {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::outputs, index);
        return tensor ? to_acl(tensor->format) : ACL_FORMAT_UNDEFINED;
      },
      modelDesc, index);
}

aclDataType aclmdlGetInputDataType(const aclmdlDesc* modelDesc, size_t index) {
  return entry_value(
      __func__, ACL_DT_UNDEFINED,
      [&] {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::inputs, index);
        return tensor ? to_acl(tensor->type) : ACL_DT_UNDEFINED;
      },
      modelDesc, index);
}

aclDataType aclmdlGetOutputDataType(const aclmdlDesc* modelDesc, size_t index) {
  return entry_value(
      __func__, ACL_DT_UNDEFINED,
      [&] {
        const auto* tensor = find(modelDesc, &graph::ModelInOut::outputs, index);
        return tensor ? to_acl(tensor->type) : ACL_DT_UNDEFINED;
      },
      modelDesc, index);
}

aclError aclmdlGetInputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index) {
  return entry(
      __func__, [&] { return index_by_name(modelDesc, &graph::ModelInOut::inputs, name, index); }, modelDesc, name,
      index);
}

aclError aclmdlGetOutputIndexByName(const aclmdlDesc* modelDesc, const char* name, size_t* index) {
  return entry(
      __func__, [&] { return index_by_name(modelDesc, &graph::ModelInOut::outputs, name, index); }, modelDesc, name,
      index);
}

const char* aclmdlGetTensorRealName(const aclmdlDesc* modelDesc, const char* name) {
  return entry_value<const char*>(
      __func__, nullptr,
      [&]() -> const char* {
        if (!modelDesc || !name) return nullptr;
        if (const auto alias = modelDesc->real_names.find(name); alias != modelDesc->real_names.end())
          return alias->second.c_str();
        for (const auto* tensors : {&modelDesc->in_out.inputs, &modelDesc->in_out.outputs})
          for (const auto& tensor : *tensors)
            if (tensor.name == name) return tensor.name.c_str();
        return nullptr;
      },
      modelDesc, name);
}
