// SPDX-License-Identifier: Apache-2.0
// The module `acl` and the modules in it.
#include <algorithm>
#include <string>

#include "bind.h"
#include "docstrings.h"

namespace belay::python {

PyObject* pack(PyObject** results, size_t count, int code) {
  PyObject* const tuple = PyTuple_New(static_cast<Py_ssize_t>(count) + 1);
  bool whole = tuple;
  for (size_t i = 0; i < count; ++i) {
    whole = whole && results[i];
    if (tuple)
      PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), results[i]);
    else
      Py_XDECREF(results[i]);
  }
  if (tuple) PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(count), PyLong_FromLong(code));
  if (whole) return tuple;
  Py_XDECREF(tuple);
  return nullptr;
}

namespace {

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "acl", "AscendCL, on the C interface of libascendcl.so.", -1};

// Gives each function of a table its docstring.
bool add_functions(PyObject* module, const char* module_name, PyMethodDef* table) {
  for (PyMethodDef* method = table; method->ml_name; ++method) {
    const std::string name = std::string(module_name) + "." + method->ml_name;
    const auto* const end = kDocstrings + kDocstringCount;
    const auto* found = std::lower_bound(kDocstrings, end, name,
                                         [](const Docstring& doc, const std::string& key) { return doc.name < key; });
    if (found != end && found->name == name) method->ml_doc = found->text;
  }
  return PyModule_AddFunctions(module, table) == 0;
}

bool add_module(PyObject* parent, const char* name, const char* full_name, std::initializer_list<PyMethodDef*> tables) {
  PyObject* const module = PyImport_AddModule(full_name);  // borrowed from sys.modules
  if (!module) return false;
  for (PyMethodDef* table : tables)
    if (!add_functions(module, full_name, table)) return false;
  return PyModule_AddObjectRef(parent, name, module) == 0;
}

bool fill(PyObject* acl) {
  return add_functions(acl, "acl", acl_methods()) && add_functions(acl, "acl", tensor_methods()) &&
         add_module(acl, "rt", "acl.rt",
                    {rt_device_methods(), rt_stream_methods(), rt_memory_methods(), rt_kernel_methods(),
                     rt_callback_methods(), rt_allocator_methods()}) &&
         add_module(acl, "mdl", "acl.mdl",
                    {mdl_methods(), mdl_desc_methods(), mdl_aipp_methods(), mdl_dump_methods()}) &&
         add_module(acl, "op", "acl.op", {op_methods(), op_kernel_methods()}) &&
         add_module(acl, "util", "acl.util", {util_methods(), thread_methods()}) &&
         add_module(acl, "prof", "acl.prof", {prof_methods()}) &&
         add_module(acl, "media", "acl.media", {media_methods()}) &&
         add_module(acl, "blas", "acl.blas", {blas_methods()}) && add_module(acl, "tdt", "acl.tdt", {tdt_methods()}) &&
         add_module(acl, "himpi", "acl.himpi", {himpi_methods()}) && watch_for_exit();
}

}  // namespace
}  // namespace belay::python

PyMODINIT_FUNC PyInit_acl() {
  using namespace belay::python;
  Ref acl = Ref::steal(PyModule_Create(&definition));
  return acl && fill(acl.get()) ? acl.release() : nullptr;
}
