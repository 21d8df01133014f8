// SPDX-License-Identifier: Apache-2.0
// Bundles: several models in one file.
#include <algorithm>
#include <map>
#include <mutex>

#include "acl/acl_mdl.h"
#include "api/model/file.h"
#include "api/model/load.h"
#include "runtime/device/current.h"

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

class Bundle {
 public:
  Bundle(graph::OmFile file, bool loaded_at_once) : file(std::move(file)), loaded_at_once(loaded_at_once) {}

  // The models that are loaded, by their place in the bundle.
  std::map<size_t, uint32_t> loaded() const {
    std::lock_guard lock(mutex_);
    return ids_;
  }
  // False when the bundle has been unloaded meanwhile.
  bool add(size_t index, uint32_t id) {
    std::lock_guard lock(mutex_);
    if (!ended_) ids_[index] = id;
    return !ended_;
  }
  void forget(uint32_t id) {
    std::lock_guard lock(mutex_);
    std::erase_if(ids_, [&](const auto& entry) { return entry.second == id; });
  }
  // Ends it, with all of its models; refused where one of them cannot be waited for.
  Status end() {
    std::vector<uint32_t> ids;
    {
      std::lock_guard lock(mutex_);
      ended_ = true;
      for (const auto& [index, id] : ids_) ids.push_back(id);
    }
    Status status = executor::model_registry().remove(ids);
    std::lock_guard lock(mutex_);
    ended_ = status.ok();
    return status;
  }

  const graph::OmFile file;
  const bool loaded_at_once;  // by BundleLoad; else by BundleInit, one model at a time

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<size_t, uint32_t> ids_;
  bool ended_ = false;
};

struct Bundles {
  std::mutex mutex;
  std::map<uint32_t, std::shared_ptr<Bundle>> by_id;
};

Bundles& bundles() {
  static auto& all = *new Bundles;
  return all;
}

Status no_bundle(uint32_t id) {
  return {ACL_ERROR_INVALID_BUNDLE_MODEL_ID, "there is no bundle with id " + std::to_string(id)};
}

Result<std::shared_ptr<Bundle>> find_bundle(uint32_t id) {
  std::lock_guard lock(bundles().mutex);
  const auto found = bundles().by_id.find(id);
  if (found != bundles().by_id.end()) return found->second;
  return no_bundle(id);
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
  if (bundle.add(index, made->id())) return made->id();
  TRY(executor::model_registry().remove(made->id()));
  return no_bundle(bundle_id);
}

uint32_t keep(std::shared_ptr<Bundle> bundle, uint32_t id) {
  std::lock_guard lock(bundles().mutex);
  bundles().by_id[id] = std::move(bundle);
  return id;
}

Result<uint32_t> load_bundle(graph::OmFile file) {
  auto bundle = std::make_shared<Bundle>(std::move(file), true);
  const uint32_t id = executor::model_registry().next_dynamic_id();
  for (size_t i = 0; i < bundle->file.models.size(); ++i) {
    if (auto made = load_one(id, *bundle, i, {}); !made.ok()) {
      (void)bundle->end();  // nobody knows its models
      return made.status();
    }
  }
  return keep(std::move(bundle), id);
}

// Taken away first, so that of two threads one ends it; refused, it is there again.
Status unload_bundle(uint32_t id) {
  std::shared_ptr<Bundle> bundle;
  {
    std::lock_guard lock(bundles().mutex);
    const auto found = bundles().by_id.find(id);
    if (found == bundles().by_id.end()) return no_bundle(id);
    bundle = std::move(found->second);
    bundles().by_id.erase(found);
  }
  Status status = bundle->end();
  if (!status.ok()) keep(std::move(bundle), id);
  return status;
}

Status unload_model(uint32_t bundle_id, uint32_t model_id) {
  const auto bundle = TRY(find_bundle(bundle_id));
  const auto loaded = bundle->loaded();
  if (std::ranges::none_of(loaded, [&](const auto& entry) { return entry.second == model_id; }))
    return {ACL_ERROR_INVALID_PARAM, "model " + std::to_string(model_id) + " is not one of this bundle's", "EH0009"};
  TRY(executor::model_registry().remove(model_id));
  bundle->forget(model_id);
  return {};
}

Result<uint32_t> init_bundle(graph::OmFile file, void* variables, size_t bytes) {
  if (variables && bytes < file.variable_bytes)
    return Status{
        ACL_ERROR_INVALID_PARAM,
        "varWeightSize is " + std::to_string(bytes) + "; the bundle needs " + std::to_string(file.variable_bytes),
        "EH0009"};
  return keep(std::make_shared<Bundle>(std::move(file), false), executor::model_registry().next_dynamic_id());
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
      __func__, [&] { return unload_bundle(bundleId); }, bundleId);
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
        const auto loaded = bundle->loaded();
        const auto found = loaded.find(index);
        if (found == loaded.end())
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
  return destroy(__func__, queryInfo, "queryInfo");
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
      __func__, [&] { return unload_model(bundleId, modelId); }, bundleId, modelId);
}
