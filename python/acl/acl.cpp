// SPDX-License-Identifier: Apache-2.0
// acl.*: the process, errors, versions, data buffers.
#include "bind.h"
#include "callbacks.h"
#include "refusal.h"

namespace belay::python {
namespace {

PyObject* init(const Site& site, PyObject* const* given, Py_ssize_t count) {
  const char* path = nullptr;
  if (count > 1) return wrong_count(site, 1, count);
  if (count == 1 && !take_optional(site, 1, given[0], path)) return nullptr;
  return PyLong_FromLong(without_gil([&] { return aclInit(path); }));
}

// May run while the interpreter is being torn down: needs nothing of Python's but its arguments.
PyObject* finalize(const Site&, PyObject* const*, Py_ssize_t) {
  const aclError code = without_gil([] { return aclFinalize(); });
  if (code == ACL_SUCCESS) {
    drop_all_calls();
    drop_all_allocators();
  }
  return PyLong_FromLong(code);
}

PyObject* text_or_none(const char* text) {
  if (!text) Py_RETURN_NONE;
  return give_value(text);
}

PyObject* get_soc_name(const Site&, PyObject* const*, Py_ssize_t) { return text_or_none(aclrtGetSocName()); }

PyObject* get_recent_err_msg(const Site&, PyObject* const*, Py_ssize_t) {
  if (const std::string refusal = take_refusal(); !refusal.empty()) return give(refusal, true);
  return text_or_none(aclGetRecentErrMsg());
}

void app_log(aclLogLevel level, const char* message) { aclAppLog(level, "python", "acl", 0, "%s", message); }

aclError attribute_list(List<aclCannAttr>* attributes, size_t* count) {
  const aclCannAttr* first = nullptr;
  const aclError code = aclGetCannAttributeList(&first, count);
  if (code == ACL_SUCCESS) attributes->assign(first, first + *count);
  return code;
}

aclError version_text(const char* package, std::string* version) {
  char text[ACL_PKG_VERSION_MAX_SIZE] = {};
  std::string name = package;  // C's parameter is not const
  const aclError code = aclsysGetVersionStr(name.data(), text);
  *version = text;
  return code;
}

}  // namespace

PyMethodDef* acl_methods() {
  static PyMethodDef methods[] = {raw<"init", init>(),
                                  raw<"finalize", finalize>(),
                                  row<"finalize_reference", aclFinalizeReference>(),
                                  raw<"get_soc_name", get_soc_name>(),
                                  raw<"get_recent_err_msg", get_recent_err_msg>(),
                                  row<"app_log", app_log>(),
                                  row<"get_version", aclrtGetVersion>(),
                                  row<"get_cann_version", aclsysGetCANNVersion>(),
                                  row<"get_version_str", version_text>(),
                                  row<"get_cann_attribute_list", attribute_list>(),
                                  row<"get_cann_attribute", aclGetCannAttribute>(),
                                  row<"get_device_capability", aclGetDeviceCapability>(),
                                  row<"float16_to_float", aclFloat16ToFloat>(),
                                  row<"float_to_float16", aclFloatToFloat16>(),
                                  row<"data_type_size", aclDataTypeSize>(),
                                  row<"create_data_buffer", aclCreateDataBuffer>(),
                                  row<"destroy_data_buffer", aclDestroyDataBuffer>(),
                                  row<"get_data_buffer_addr", aclGetDataBufferAddr>(),
                                  row<"get_data_buffer_size", aclGetDataBufferSize>(),
                                  row<"get_data_buffer_size_v2", aclGetDataBufferSizeV2>(),
                                  row<"update_data_buffer", aclUpdateDataBuffer>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
