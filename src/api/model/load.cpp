// SPDX-License-Identifier: Apache-2.0
// Loading, unloading and sizing models. The forms that take a configuration handle are in model_config.cpp.
#include "api/model/load.h"

#include "acl/acl_mdl.h"
#include "api/core/entry.h"
#include "api/model/file.h"
#include "base/device_memory.h"
#include "executor/compile/memory_estimate.h"
#include "executor/model_registry.h"
#include "runtime/device/current.h"

using namespace belay;
using namespace belay::api;

namespace belay::api {

Result<uint32_t> load_model(const ModelSource& source, const ModelMemory& memory) {
  TRY(require_model_executor());
  TRY(current_context());
  auto file =
      source.path ? TRY(open_model(std::filesystem::path(source.path))) : TRY(open_model(source.image, source.size));
  if (file.bundle)
    return Status{ACL_ERROR_INVALID_PARAM, "the file is a bundle of models; load it with aclmdlBundleLoadFromFile"};
  std::string name = source.path ? std::filesystem::path(source.path).stem().string() : file.models[0]->name;
  const auto made = TRY(load_model(std::move(name), std::move(file.models[0]), std::move(file.in_out[0]), memory));
  return made->id();
}

Result<std::shared_ptr<executor::RegisteredModel>> load_model(std::string name, std::shared_ptr<graph::Model> model,
                                                              graph::ModelInOut in_out, const ModelMemory& memory) {
  executor::LoadOptions options;
  options.work_memory = host_view(memory.work);
  options.work_bytes = memory.work_bytes;
  auto made = TRY(executor::model_registry().add(std::move(name), std::move(model), std::move(in_out), options));
  if (memory.weight && memory.weight_bytes < made->loaded().weight_bytes()) {
    (void)executor::model_registry().remove(made->id());
    return Status{static_cast<aclError>(ACL_ERROR_GE_PARAM_INVALID),
                  "weightSize is " + std::to_string(memory.weight_bytes) + ", but the model's weights have " +
                      std::to_string(made->loaded().weight_bytes()) + " bytes; ask aclmdlQuerySize"};
  }
  return made;
}

Status query_size(graph::OmFile file, size_t* work, size_t* weight) {
  if (file.bundle) return {ACL_ERROR_INVALID_PARAM, "the file is a bundle; ask for its models one by one"};
  const auto estimate = TRY(executor::estimate_memory(*file.models[0]));
  // A program hands these sizes straight to aclrtMalloc, which refuses 0.
  const size_t least = estimate.dynamic ? 0 : 512;
  *work = std::max(estimate.work_bytes, least);
  *weight = std::max(estimate.weight_bytes, least);
  return {};
}

}  // namespace belay::api

aclError aclmdlLoadFromFile(const char* modelPath, uint32_t* modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelPath, "modelPath"));
        TRY(not_null(modelId, "modelId"));
        *modelId = TRY(load_model({modelPath}, {}));
        return {};
      },
      modelPath, modelId);
}

aclError aclmdlLoadFromFileWithMem(const char* modelPath, uint32_t* modelId, void* workPtr, size_t workSize,
                                   void* weightPtr, size_t weightSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelPath, "modelPath"));
        TRY(not_null(modelId, "modelId"));
        *modelId = TRY(load_model({modelPath}, {workPtr, workSize, weightPtr, weightSize}));
        return {};
      },
      modelPath, modelId, workPtr, workSize, weightPtr, weightSize);
}

aclError aclmdlLoadFromMem(const void* model, size_t modelSize, uint32_t* modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_image(model, modelSize));
        TRY(not_null(modelId, "modelId"));
        *modelId = TRY(load_model({nullptr, model, modelSize}, {}));
        return {};
      },
      model, modelSize, modelId);
}

aclError aclmdlLoadFromMemWithMem(const void* model, size_t modelSize, uint32_t* modelId, void* workPtr,
                                  size_t workSize, void* weightPtr, size_t weightSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_image(model, modelSize));
        TRY(not_null(modelId, "modelId"));
        *modelId = TRY(load_model({nullptr, model, modelSize}, {workPtr, workSize, weightPtr, weightSize}));
        return {};
      },
      model, modelSize, modelId, workPtr, workSize, weightPtr, weightSize);
}

aclError aclmdlUnload(uint32_t modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        if (const auto model = executor::model_registry().find(modelId); model.ok() && (*model)->bundle != 0)
          return {ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " belongs to bundle " +
                                               std::to_string((*model)->bundle) +
                                               "; unload it with aclmdlBundleUnload or aclmdlBundleUnloadModel"};
        return executor::model_registry().remove(modelId);
      },
      modelId);
}

aclError aclmdlQuerySize(const char* fileName, size_t* workSize, size_t* weightSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(fileName, "fileName"));
        TRY(not_null(workSize, "workSize"));
        TRY(not_null(weightSize, "weightSize"));
        TRY(require_model_executor());
        return query_size(TRY(open_model(std::filesystem::path(fileName))), workSize, weightSize);
      },
      fileName, workSize, weightSize);
}

aclError aclmdlQuerySizeFromMem(const void* model, size_t modelSize, size_t* workSize, size_t* weightSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_image(model, modelSize));
        TRY(not_null(workSize, "workSize"));
        TRY(not_null(weightSize, "weightSize"));
        TRY(require_model_executor());
        return query_size(TRY(open_model(model, modelSize)), workSize, weightSize);
      },
      model, modelSize, workSize, weightSize);
}
