// SPDX-License-Identifier: Apache-2.0
// acl.mdl: loading, datasets, execution.
#include "bind.h"
#include "key.h"

namespace belay::python {
namespace {

aclError load_file_with_mem(const char* path, void* work, size_t work_size, void* weight, size_t weight_size,
                            uint32_t* id) {
  return aclmdlLoadFromFileWithMem(path, id, work, work_size, weight, weight_size);
}
// An old form has a model id after the path; it is not used.
aclError load_file_with_mem_and_id(const char* path, uint64_t, void* work, size_t work_size, void* weight,
                                   size_t weight_size, uint32_t* id) {
  return load_file_with_mem(path, work, work_size, weight, weight_size, id);
}
aclError load_mem_with_mem(const void* model, size_t size, void* work, size_t work_size, void* weight,
                           size_t weight_size, uint32_t* id) {
  return aclmdlLoadFromMemWithMem(model, size, id, work, work_size, weight, weight_size);
}
// The newest page has a model id in third place; it is not used.
aclError load_mem_with_mem_and_id(const void* model, size_t size, uint64_t, void* work, size_t work_size, void* weight,
                                  size_t weight_size, uint32_t* id) {
  return load_mem_with_mem(model, size, work, work_size, weight, weight_size, id);
}

template <auto function>
PyObject* call(const Site& site, PyObject* const* given, Py_ssize_t count) {
  return Call<Style::Plain, decltype(function)>::run(function, site, given, count);
}

PyObject* load_from_file_with_mem(const Site& site, PyObject* const* given, Py_ssize_t count) {
  return count == 6 ? call<load_file_with_mem_and_id>(site, given, count)
                    : call<load_file_with_mem>(site, given, count);
}
PyObject* load_from_mem_with_mem(const Site& site, PyObject* const* given, Py_ssize_t count) {
  return count == 7 ? call<load_mem_with_mem_and_id>(site, given, count) : call<load_mem_with_mem>(site, given, count);
}

bool is_32_bits(aclmdlConfigAttr attr) { return attr == ACL_MDL_PRIORITY_INT32 || attr == ACL_MDL_WITHOUT_GRAPH_INT32; }

// C reads the value through a pointer; a path is a pointer itself.
PyObject* set_config_opt(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t handle = 0, value = 0;
  aclmdlConfigAttr attr = ACL_MDL_RESERVED;
  PyObject* object = nullptr;
  if (!load(site, given, count, handle, attr, object)) return nullptr;
  if (PyUnicode_Check(object)) {
    const char* text = nullptr;
    if (!take(site, 3, object, text)) return nullptr;
    value = reinterpret_cast<uint64_t>(text);
  } else if (!take(site, 3, object, value)) {
    return nullptr;
  }
  return PyLong_FromLong(without_gil([&] {
    return aclmdlSetConfigOpt(reinterpret_cast<aclmdlConfigHandle*>(handle), attr, &value, is_32_bits(attr) ? 4 : 8);
  }));
}

aclError set_exec_config_opt(aclmdlExecConfigHandle* handle, aclmdlExecConfigAttr attr, uint64_t value) {
  const bool wide = attr == ACL_MDL_WORK_ADDR_PTR || attr == ACL_MDL_WORK_SIZET || attr == ACL_MDL_MPAIMID_SIZET ||
                    attr == ACL_MDL_AICQOS_SIZET || attr == ACL_MDL_AICOST_SIZET || attr == ACL_MDL_MEC_TIMETHR_SIZET;
  return aclmdlSetExecConfigOpt(handle, attr, &value, wide ? 8 : 4);
}

aclError create_and_get_op_desc(uint32_t device, uint32_t stream, uint32_t task, size_t length, std::string* name,
                                aclTensorDesc** inputs, size_t* input_count, aclTensorDesc** outputs,
                                size_t* output_count) {
  return fill_text(length, *name, [&](char* to) {
    return aclmdlCreateAndGetOpDesc(device, stream, task, to, length, inputs, input_count, outputs, output_count);
  });
}

}  // namespace

PyMethodDef* mdl_methods() {
  static PyMethodDef methods[] = {row<"load_from_file", aclmdlLoadFromFile>(),
                                  row<"load_from_mem", aclmdlLoadFromMem>(),
                                  raw<"load_from_file_with_mem", load_from_file_with_mem>(),
                                  raw<"load_from_mem_with_mem", load_from_mem_with_mem>(),
                                  row<"load_from_file_with_q", aclmdlLoadFromFileWithQ>(),
                                  row<"load_from_mem_with_q", aclmdlLoadFromMemWithQ>(),
                                  row<"load_with_config", aclmdlLoadWithConfig>(),
                                  row<"unload", aclmdlUnload>(),
                                  row<"query_size", aclmdlQuerySize>(),
                                  row<"query_size_from_mem", aclmdlQuerySizeFromMem>(),
                                  row<"create_config_handle", aclmdlCreateConfigHandle>(),
                                  row<"destroy_config_handle", aclmdlDestroyConfigHandle>(),
                                  raw<"set_config_opt", set_config_opt>(),
                                  row<"create_exec_config_handle", aclmdlCreateExecConfigHandle>(),
                                  row<"destroy_exec_config_handle", aclmdlDestroyExecConfigHandle>(),
                                  row<"set_exec_config_opt", set_exec_config_opt>(),
                                  row<"bundle_load_from_file", aclmdlBundleLoadFromFile>(),
                                  row<"bundle_load_from_mem", aclmdlBundleLoadFromMem>(),
                                  row<"bundle_unload", aclmdlBundleUnload>(),
                                  row<"bundle_get_model_num", aclmdlBundleGetModelNum>(),
                                  row<"bundle_get_model_id", aclmdlBundleGetModelId>(),

                                  row<"create_dataset", aclmdlCreateDataset>(),
                                  row<"destroy_dataset", aclmdlDestroyDataset>(),
                                  echo<"add_dataset_buffer", aclmdlAddDatasetBuffer>(),
                                  row<"get_dataset_num_buffers", aclmdlGetDatasetNumBuffers>(),
                                  row<"get_dataset_buffer", aclmdlGetDatasetBuffer>(),
                                  echo<"set_dataset_tensor_desc", aclmdlSetDatasetTensorDesc>(),
                                  row<"get_dataset_tensor_desc", aclmdlGetDatasetTensorDesc>(),

                                  row<"execute", aclmdlExecute>(),
                                  row<"execute_async", aclmdlExecuteAsync>(),
                                  row<"execute_v2", aclmdlExecuteV2>(),
                                  row<"create_and_get_op_desc", create_and_get_op_desc>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
