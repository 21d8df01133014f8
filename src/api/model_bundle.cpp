// SPDX-License-Identifier: Apache-2.0
// Bundles: several models in one file.
#include <map>
#include <mutex>

#include "acl/acl_mdl.h"
#include "api/model_file.h"
#include "api/model_load.h"
#include "runtime/current.h"

using namespace belay;
using namespace belay::api;

// Sizes of a bundle's models, asked before loading any of them.
struct aclmdlBundleQueryInfo {
  struct Sizes {
    size_t work = 0, weight = 0;
  };
  size_t variable_bytes = 0;
  std::vector<Sizes> models;
};

namespace {

struct Bundle {
  graph::OmFile file;
  std::string name;
  bool loaded_at_once = false;     // by BundleLoad; else by BundleInit, one model at a time
  std::map<size_t, uint32_t> ids;  // of the models that are loaded, by their place in the bundle
};

struct Bundles {
  std::mutex mutex;
  std::map<uint32_t, std::shared_ptr<Bundle>> by_id;
};

Bundles& bundles() {
  static auto& all = *new Bundles;
  return all;
}

Result<std::shared_ptr<Bundle>> find_bundle(uint32_t id) {
  std::lock_guard lock(bundles().mutex);
  const auto found = bundles().by_id.find(id);
  if (found != bundles().by_id.end()) return found->second;
  return Status{ACL_ERROR_INVALID_BUNDLE_MODEL_ID, "there is no bundle with id " + std::to_string(id)};
}

Result<graph::OmFile> check_bundle(graph::OmFile file) {
  if (file.bundle) return file;
  return Status{ACL_ERROR_INVALID_PARAM, "the file is not a bundle; load it with aclmdlLoadFromFile", "EH0012"};
}

Result<uint32_t> load_one(uint32_t bundle_id, Bundle& bundle, size_t index, const ModelMemory& memory) {
  if (index >= bundle.file.models.size())
    return Status{ACL_ERROR_INVALID_PARAM,
                  "index is " + std::to_string(index) + ", but the bundle has " +
                      std::to_string(bundle.file.models.size()) + " models",
                  "EH0009"};
  const auto made =
      TRY(load_model(bundle.file.models[index]->name, bundle.file.models[index], bundle.file.in_out[index], memory));
  made->bundle = bundle_id;
  bundle.ids[index] = made->id();
  return made->id();
}

void unload_all(Bundle& bundle) {
  for (const auto& [index, id] : bundle.ids) (void)executor::model_registry().remove(id);
  bundle.ids.clear();
}

uint32_t keep(std::shared_ptr<Bundle> bundle, uint32_t id) {
  std::lock_guard lock(bundles().mutex);
  bundles().by_id[id] = std::move(bundle);
  return id;
}

Result<uint32_t> load_bundle(graph::OmFile file) {
  auto bundle = std::make_shared<Bundle>();
  bundle->file = std::move(file);
  bundle->loaded_at_once = true;
  const uint32_t id = executor::model_registry().next_dynamic_id();
  for (size_t i = 0; i < bundle->file.models.size(); ++i) {
    if (auto made = load_one(id, *bundle, i, {}); !made.ok()) {
      unload_all(*bundle);
      return made.status();
    }
  }
  return keep(std::move(bundle), id);
}

Result<uint32_t> init_bundle(graph::OmFile file, void* variables, size_t bytes) {
  if (variables && bytes < file.variable_bytes)
    return Status{
        ACL_ERROR_INVALID_PARAM,
        "varWeightSize is " + std::to_string(bytes) + "; the bundle needs " + std::to_string(file.variable_bytes),
        "EH0009"};
  auto bundle = std::make_shared<Bundle>();
  bundle->file = std::move(file);
  return keep(std::move(bundle), executor::model_registry().next_dynamic_id());
}

Status ready_to_load() {
  TRY(require_model_executor());
  TRY(current_context());
  return {};
}

Status fill_query(graph::OmFile file, aclmdlBundleQueryInfo& info) {
  info = {};
  info.variable_bytes = file.variable_bytes;
  for (size_t i = 0; i < file.models.size(); ++i) {
    graph::OmFile one;
    one.models = {file.models[i]};
    one.in_out = {file.in_out[i]};
    aclmdlBundleQueryInfo::Sizes sizes;
    TRY(query_size(std::move(one), &sizes.work, &sizes.weight));
    info.models.push_back(sizes);
  }
  return {};
}

}  // namespace

aclError aclmdlBundleLoadFromFile(const char* modelPath, uint32_t* bundleId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelPath, "modelPath"));
        TRY(not_null(bundleId, "bundleId"));
        TRY(ready_to_load());
        *bundleId = TRY(load_bundle(TRY(check_bundle(TRY(open_model(std::filesystem::path(modelPath)))))));
        return {};
      },
      modelPath, bundleId);
}

aclError aclmdlBundleLoadFromMem(const void* model, size_t modelSize, uint32_t* bundleId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_image(model, modelSize));
        TRY(not_null(bundleId, "bundleId"));
        TRY(ready_to_load());
        *bundleId = TRY(load_bundle(TRY(check_bundle(TRY(open_model(model, modelSize))))));
        return {};
      },
      model, modelSize, bundleId);
}

aclError aclmdlBundleUnload(uint32_t bundleId) {
  return entry(
      __func__,
      [&]() -> Status {
        auto bundle = TRY(find_bundle(bundleId));
        unload_all(*bundle);
        std::lock_guard lock(bundles().mutex);
        bundles().by_id.erase(bundleId);
        return {};
      },
      bundleId);
}

aclError aclmdlBundleGetModelNum(uint32_t bundleId, size_t* modelNum) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelNum, "modelNum"));
        *modelNum = TRY(find_bundle(bundleId))->file.models.size();
        return {};
      },
      bundleId, modelNum);
}

aclError aclmdlBundleGetModelId(uint32_t bundleId, size_t index, uint32_t* modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelId, "modelId"));
        const auto bundle = TRY(find_bundle(bundleId));
        if (!bundle->loaded_at_once)
          return {ACL_ERROR_API_NOT_SUPPORT, "the bundle was opened by aclmdlBundleInit*: each load gives its own id",
                  "EH0011"};
        const auto found = bundle->ids.find(index);
        if (found == bundle->ids.end())
          return {ACL_ERROR_INVALID_PARAM, "the bundle has no model " + std::to_string(index), "EH0009"};
        *modelId = found->second;
        return {};
      },
      bundleId, index, modelId);
}

aclmdlBundleQueryInfo* aclmdlBundleCreateQueryInfo() {
  return entry_value<aclmdlBundleQueryInfo*>(__func__, nullptr, [] { return new aclmdlBundleQueryInfo; });
}

aclError aclmdlBundleDestroyQueryInfo(aclmdlBundleQueryInfo* queryInfo) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(queryInfo, "queryInfo"));
        delete queryInfo;
        return {};
      },
      queryInfo);
}

aclError aclmdlBundleQueryInfoFromFile(const char* fileName, aclmdlBundleQueryInfo* queryInfo) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(fileName, "fileName"));
        TRY(not_null(queryInfo, "queryInfo"));
        TRY(require_model_executor());
        return fill_query(TRY(check_bundle(TRY(open_model(std::filesystem::path(fileName))))), *queryInfo);
      },
      fileName, queryInfo);
}

aclError aclmdlBundleQueryInfoFromMem(const void* model, size_t modelSize, aclmdlBundleQueryInfo* queryInfo) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_image(model, modelSize));
        TRY(not_null(queryInfo, "queryInfo"));
        TRY(require_model_executor());
        return fill_query(TRY(check_bundle(TRY(open_model(model, modelSize)))), *queryInfo);
      },
      model, modelSize, queryInfo);
}

aclError aclmdlBundleGetQueryModelNum(const aclmdlBundleQueryInfo* queryInfo, size_t* modelNum) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(queryInfo, "queryInfo"));
        TRY(not_null(modelNum, "modelNum"));
        *modelNum = queryInfo->models.size();
        return {};
      },
      queryInfo, modelNum);
}

aclError aclmdlBundleGetVarWeightSize(const aclmdlBundleQueryInfo* queryInfo, size_t* variableWeightSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(queryInfo, "queryInfo"));
        TRY(not_null(variableWeightSize, "variableWeightSize"));
        *variableWeightSize = queryInfo->variable_bytes;
        return {};
      },
      queryInfo, variableWeightSize);
}

aclError aclmdlBundleGetSize(const aclmdlBundleQueryInfo* queryInfo, size_t index, size_t* workSize,
                             size_t* constWeightSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(queryInfo, "queryInfo"));
        TRY(not_null(workSize, "workSize"));
        TRY(not_null(constWeightSize, "constWeightSize"));
        if (index >= queryInfo->models.size())
          return {ACL_ERROR_INVALID_PARAM, "the bundle has no model " + std::to_string(index), "EH0009"};
        *workSize = queryInfo->models[index].work;
        *constWeightSize = queryInfo->models[index].weight;
        return {};
      },
      queryInfo, index, workSize, constWeightSize);
}

aclError aclmdlBundleInitFromFile(const char* modelPath, void* varWeightPtr, size_t varWeightSize, uint32_t* bundleId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelPath, "modelPath"));
        TRY(not_null(bundleId, "bundleId"));
        TRY(ready_to_load());
        auto file = TRY(check_bundle(TRY(open_model(std::filesystem::path(modelPath)))));
        *bundleId = TRY(init_bundle(std::move(file), varWeightPtr, varWeightSize));
        return {};
      },
      modelPath, varWeightPtr, varWeightSize, bundleId);
}

aclError aclmdlBundleInitFromMem(const void* model, size_t modelSize, void* varWeightPtr, size_t varWeightSize,
                                 uint32_t* bundleId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(check_image(model, modelSize));
        TRY(not_null(bundleId, "bundleId"));
        TRY(ready_to_load());
        auto file = TRY(check_bundle(TRY(open_model(model, modelSize))));
        *bundleId = TRY(init_bundle(std::move(file), varWeightPtr, varWeightSize));
        return {};
      },
      model, modelSize, varWeightPtr, varWeightSize, bundleId);
}

aclError aclmdlBundleLoadModel(uint32_t bundleId, size_t index, uint32_t* modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelId, "modelId"));
        TRY(ready_to_load());
        *modelId = TRY(load_one(bundleId, *TRY(find_bundle(bundleId)), index, {}));
        return {};
      },
      bundleId, index, modelId);
}

aclError aclmdlBundleLoadModelWithMem(uint32_t bundleId, size_t index, void* workPtr, size_t workSize, void* weightPtr,
                                      size_t weightSize, uint32_t* modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(modelId, "modelId"));
        TRY(ready_to_load());
        *modelId =
            TRY(load_one(bundleId, *TRY(find_bundle(bundleId)), index, {workPtr, workSize, weightPtr, weightSize}));
        return {};
      },
      bundleId, index, workPtr, workSize, weightPtr, weightSize, modelId);
}

aclError aclmdlBundleUnloadModel(uint32_t bundleId, uint32_t modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        auto bundle = TRY(find_bundle(bundleId));
        const size_t gone = std::erase_if(bundle->ids, [&](const auto& entry) { return entry.second == modelId; });
        if (gone == 0)
          return {ACL_ERROR_INVALID_PARAM, "model " + std::to_string(modelId) + " is not one of this bundle's",
                  "EH0009"};
        return executor::model_registry().remove(modelId);
      },
      bundleId, modelId);
}
