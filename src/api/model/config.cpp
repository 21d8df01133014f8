// SPDX-License-Identifier: Apache-2.0
// The configuration handles of loading and executing.
#include <cstring>
#include <map>
#include <optional>

#include "acl/acl_mdl.h"
#include "api/model/exec_config.h"
#include "api/model/load.h"

using namespace belay;
using namespace belay::api;

// The options of one load, as the program gave them.
struct aclmdlConfigHandle {
  int32_t priority = 0;
  size_t load_type = 0;
  std::string path, weight_path;
  bool has_path = false, has_weight_path = false;
  int32_t without_graph = 0;
  std::map<aclmdlConfigAttr, size_t> sizes;
  std::map<aclmdlConfigAttr, void*> pointers;

  size_t size(aclmdlConfigAttr attr) const { return sizes.contains(attr) ? sizes.at(attr) : 0; }
  void* pointer(aclmdlConfigAttr attr) const { return pointers.contains(attr) ? pointers.at(attr) : nullptr; }
};

namespace {

constexpr int32_t kLowestPriority = 7;

Result<size_t> check_size(size_t given, size_t wanted) {
  if (given == wanted) return given;
  return Status{ACL_ERROR_INVALID_PARAM,
                "valueSize is " + std::to_string(given) + "; this option has " + std::to_string(wanted) + " bytes",
                "EH0009"};
}

template <class T>
Result<T> read_value(const void* value, size_t size) {
  (void)TRY(check_size(size, sizeof(T)));
  T read;
  std::memcpy(&read, value, sizeof(T));
  return read;
}

// A path option is given as the address of the pointer, or as the text itself with its length.
Result<std::string> read_path(const void* value, size_t size) {
  const char* text = TRY(read_value<const char*>(value, size));
  TRY(not_null(text, "the path in attrValue"));
  return std::string(text);
}

Status set_option(aclmdlConfigHandle& handle, aclmdlConfigAttr attr, const void* value, size_t size) {
  switch (attr) {
    case ACL_MDL_PRIORITY_INT32: {
      const auto priority = TRY(read_value<int32_t>(value, size));
      if (priority < 0 || priority > kLowestPriority)
        return {ACL_ERROR_INVALID_PARAM, "the priority must be 0 to 7", "EH0009"};
      handle.priority = priority;
      return {};
    }
    case ACL_MDL_LOAD_TYPE_SIZET: {
      const auto type = TRY(read_value<size_t>(value, size));
      if (type < ACL_MDL_LOAD_FROM_FILE || type > ACL_MDL_LOAD_FROM_MEM_WITH_Q)
        return {ACL_ERROR_INVALID_PARAM, "the load type must be 1 to 6 (ACL_MDL_LOAD_FROM_*)", "EH0009"};
      handle.load_type = type;
      return {};
    }
    case ACL_MDL_PATH_PTR:
      handle.path = TRY(read_path(value, size));
      handle.has_path = true;
      return {};
    case ACL_MDL_WEIGHT_PATH_PTR:
      handle.weight_path = TRY(read_path(value, size));
      handle.has_weight_path = true;
      return {};
    case ACL_MDL_WITHOUT_GRAPH_INT32:
      handle.without_graph = TRY(read_value<int32_t>(value, size));
      return {};
    case ACL_MDL_MEM_ADDR_PTR:
    case ACL_MDL_WEIGHT_ADDR_PTR:
    case ACL_MDL_WORKSPACE_ADDR_PTR:
    case ACL_MDL_INPUTQ_ADDR_PTR:
    case ACL_MDL_OUTPUTQ_ADDR_PTR:
      handle.pointers[attr] = TRY(read_value<void*>(value, size));
      return {};
    case ACL_MDL_MEM_SIZET:
    case ACL_MDL_WEIGHT_SIZET:
    case ACL_MDL_WORKSPACE_SIZET:
    case ACL_MDL_INPUTQ_NUM_SIZET:
    case ACL_MDL_OUTPUTQ_NUM_SIZET:
    case ACL_MDL_WORKSPACE_MEM_OPTIMIZE:
    case ACL_MDL_MEM_MALLOC_POLICY_SIZET:
      handle.sizes[attr] = TRY(read_value<size_t>(value, size));
      return {};
    default:
      return {ACL_ERROR_INVALID_PARAM, "there is no load option " + std::to_string(attr) + " on this product",
              "EH0007"};
  }
}

Status missing(const char* option) {
  return {ACL_ERROR_INVALID_PARAM, std::string("this load type needs ") + option + "; set it with aclmdlSetConfigOpt",
          "EH0012"};
}

Result<uint32_t> load(const aclmdlConfigHandle& handle) {
  const size_t type = handle.load_type;
  if (type == 0) return missing("ACL_MDL_LOAD_TYPE_SIZET");
  if (type == ACL_MDL_LOAD_FROM_FILE_WITH_Q || type == ACL_MDL_LOAD_FROM_MEM_WITH_Q)
    return Status{ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "models that are fed by queues are not supported", "EE1006"};
  const bool from_file = type == ACL_MDL_LOAD_FROM_FILE || type == ACL_MDL_LOAD_FROM_FILE_WITH_MEM;
  const bool with_memory = type == ACL_MDL_LOAD_FROM_FILE_WITH_MEM || type == ACL_MDL_LOAD_FROM_MEM_WITH_MEM;
  ModelSource source;
  if (from_file) {
    if (!handle.has_path) return missing("ACL_MDL_PATH_PTR");
    if (handle.has_weight_path)
      return Status{ACL_ERROR_INVALID_PARAM, "a weight path goes with a model from memory, not from a file", "EH0012"};
    source.path = handle.path.c_str();
  } else {
    source.image = handle.pointer(ACL_MDL_MEM_ADDR_PTR);
    source.size = handle.size(ACL_MDL_MEM_SIZET);
    if (!source.image) return missing("ACL_MDL_MEM_ADDR_PTR");
    if (source.size == 0) return missing("ACL_MDL_MEM_SIZET");
  }
  ModelMemory memory;
  if (with_memory)
    memory = {handle.pointer(ACL_MDL_WORKSPACE_ADDR_PTR), handle.size(ACL_MDL_WORKSPACE_SIZET),
              handle.pointer(ACL_MDL_WEIGHT_ADDR_PTR), handle.size(ACL_MDL_WEIGHT_SIZET)};
  const uint32_t id = TRY(load_model(source, memory));
  if (handle.without_graph && TRY(executor::model_registry().find(id))->dynamic()) {
    (void)executor::model_registry().remove(id);
    return Status{ACL_ERROR_INVALID_PARAM, "ACL_MDL_WITHOUT_GRAPH_INT32 does not go with a dynamic-shape model",
                  "EH0012"};
  }
  return id;
}

}  // namespace

aclmdlConfigHandle* aclmdlCreateConfigHandle() {
  return entry_value<aclmdlConfigHandle*>(__func__, nullptr, [] { return new aclmdlConfigHandle; });
}

aclError aclmdlDestroyConfigHandle(aclmdlConfigHandle* handle) {
  return destroy(__func__, handle, "handle");
}

aclError aclmdlSetConfigOpt(aclmdlConfigHandle* handle, aclmdlConfigAttr attr, const void* attrValue,
                            size_t valueSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        TRY(not_null(attrValue, "attrValue"));
        return set_option(*handle, attr, attrValue, valueSize);
      },
      handle, attr, attrValue, valueSize);
}

aclError aclmdlLoadWithConfig(const aclmdlConfigHandle* handle, uint32_t* modelId) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        TRY(not_null(modelId, "modelId"));
        *modelId = TRY(load(*handle));
        return {};
      },
      handle, modelId);
}

aclmdlExecConfigHandle* aclmdlCreateExecConfigHandle() {
  return entry_value<aclmdlExecConfigHandle*>(__func__, nullptr, [] { return new aclmdlExecConfigHandle; });
}

aclError aclmdlDestroyExecConfigHandle(const aclmdlExecConfigHandle* handle) {
  return destroy(__func__, handle, "handle");
}

aclError aclmdlSetExecConfigOpt(aclmdlExecConfigHandle* handle, aclmdlExecConfigAttr attr, const void* attrValue,
                                size_t valueSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(handle, "handle"));
        TRY(not_null(attrValue, "attrValue"));
        switch (attr) {
          case ACL_MDL_STREAM_SYNC_TIMEOUT:
            handle->stream_timeout = TRY(parse_timeout(TRY(read_value<int32_t>(attrValue, valueSize))));
            return {};
          case ACL_MDL_EVENT_SYNC_TIMEOUT:
            handle->event_timeout = TRY(parse_timeout(TRY(read_value<int32_t>(attrValue, valueSize))));
            return {};
          default:
            return {ACL_ERROR_INVALID_PARAM,
                    "there is no execution option " + std::to_string(attr) + " on this product", "EH0007"};
        }
      },
      handle, attr, attrValue, valueSize);
}
