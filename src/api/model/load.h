// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "api/core/entry.h"
#include "base/status.h"
#include "executor/model_registry.h"
#include "graph/om/om.h"

namespace belay::api {

// Where a model comes from: a file when `path` is set, else an image in memory.
struct ModelSource {
  const char* path = nullptr;
  const void* image = nullptr;
  size_t size = 0;
};

// Memory that the program lends to a model; null and 0: we take our own. Weights stay in the mapped file either way.
struct ModelMemory {
  void* work = nullptr;
  size_t work_bytes = 0;
  void* weight = nullptr;
  size_t weight_bytes = 0;
};

// The id of the loaded model. Needs aclInit (145001) and a context (107002).
Result<uint32_t> load_model(const ModelSource& source, const ModelMemory& memory);
// One model of a file that was opened already.
Result<std::shared_ptr<executor::RegisteredModel>> load_model(std::string name, std::shared_ptr<graph::Model> model,
                                                              graph::ModelInOut in_out, const ModelMemory& memory);
// What aclmdlQuerySize answers for an opened file.
Status query_size(graph::OmFile file, size_t* work, size_t* weight);

// 100000 for a null image or one of size 0.
inline Status check_image(const void* model, size_t size) {
  TRY(not_null(model, "model"));
  if (size == 0) return {ACL_ERROR_INVALID_PARAM, "modelSize must be above 0", "EH0009"};
  return {};
}

}  // namespace belay::api
