// SPDX-License-Identifier: Apache-2.0
#include "convert.h"

#include <cstring>

namespace belay::python {
namespace {

const char* module_name(const Site& site) {
  const char* name = PyModule_GetName(site.module);
  return name ? name : "acl";
}

}  // namespace

PyObject* wrong_count(const Site& site, Py_ssize_t wanted, Py_ssize_t given) {
  return PyErr_Format(PyExc_TypeError, "%s.%s args parse failed: function takes exactly %zd argument%s (%zd given)",
                      module_name(site), site.name, wanted, wanted == 1 ? "" : "s", given);
}

bool wrong_argument(const Site& site, int position, const char* wanted, PyObject* given) {
  PyErr_Format(PyExc_TypeError, "%s.%s args parse failed: argument %d must be %s, not %.100s", module_name(site),
               site.name, position, wanted, Py_TYPE(given)->tp_name);
  return false;
}

bool not_list(const Site& site, int position) {
  PyErr_Format(PyExc_TypeError, "%s.%s args parse failed: argument %d is not list", module_name(site), site.name,
               position);
  return false;
}

bool must_be_callable(const Site& site, PyObject* given) {
  if (PyCallable_Check(given)) return true;
  PyErr_Format(PyExc_TypeError, "%s.%s args parse failed: parameter must be callable", module_name(site), site.name);
  return false;
}

bool wrong_value(const Site& site, int position, const char* what) {
  PyErr_Format(PyExc_ValueError, "%s.%s args parse failed: argument %d %s", module_name(site), site.name, position,
               what);
  return false;
}

bool take(const Site& site, int position, PyObject* given, uint64_t& into) {
  into = PyLong_AsUnsignedLongLongMask(given);
  if (into != UINT64_MAX || !PyErr_Occurred()) return true;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyErr_Clear();
  return wrong_argument(site, position, "int", given);
}

bool take_narrow(const Site& site, int position, PyObject* given, int bits, int64_t& into) {
  int overflow = 0;
  into = PyLong_AsLongLongAndOverflow(given, &overflow);
  if (into == -1 && !overflow && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();
    return wrong_argument(site, position, "int", given);
  }
  if (!overflow && into >= -(int64_t{1} << (bits - 1)) && into < (int64_t{1} << bits)) return true;
  PyErr_Format(PyExc_OverflowError, "%s.%s args parse failed: argument %d does not fit into %d bits", module_name(site),
               site.name, position, bits);
  return false;
}

bool take(const Site& site, int position, PyObject* given, double& into) {
  into = PyFloat_AsDouble(given);
  if (into != -1.0 || !PyErr_Occurred()) return true;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
  PyErr_Clear();
  return wrong_argument(site, position, "float", given);
}

bool take(const Site& site, int position, PyObject* given, const char*& into) {
  if (!PyUnicode_Check(given)) return wrong_argument(site, position, "str", given);
  Py_ssize_t size = 0;
  into = PyUnicode_AsUTF8AndSize(given, &size);
  if (!into) return false;
  if (std::strlen(into) != static_cast<size_t>(size)) return wrong_value(site, position, "has a null character");
  return true;
}

bool take_optional(const Site& site, int position, PyObject* given, const char*& into) {
  into = nullptr;
  return given == Py_None || take(site, position, given, into);
}

bool take_list(const Site& site, int position, PyObject* given, bool (*each)(PyObject* element, void* into),
               void* into) {
  if (!PyList_Check(given)) return not_list(site, position);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    const Ref element = Ref::borrow(PyList_GET_ITEM(given, i));  // __index__ may change the list
    if (each(element.get(), into)) continue;
    PyErr_Clear();
    return wrong_value(site, position, "has an element of the wrong type");
  }
  return true;
}

bool number_of(PyObject* element, uint64_t& into) {
  into = PyLong_AsUnsignedLongLongMask(element);
  return into != UINT64_MAX || !PyErr_Occurred();
}

bool number_of(PyObject* element, double& into) {
  into = PyFloat_AsDouble(element);
  return into != -1.0 || !PyErr_Occurred();
}

bool text_of(PyObject* element, const char*& into) {
  if (!PyUnicode_Check(element)) return false;
  into = PyUnicode_AsUTF8(element);
  return into;
}

bool take(const Site& site, int position, PyObject* given, List<Pair>& into) {
  return take_list(
      site, position, given,
      [](PyObject* element, void* pairs) {
        uint64_t low = 0, high = 0;
        if (!PyList_Check(element) || PyList_GET_SIZE(element) != 2) return false;
        if (!number_of(PyList_GET_ITEM(element, 0), low) || !number_of(PyList_GET_ITEM(element, 1), high)) return false;
        static_cast<List<Pair>*>(pairs)->push_back({static_cast<int64_t>(low), static_cast<int64_t>(high)});
        return true;
      },
      &into);
}

bool take_field(PyObject* dict, const char* key, uint64_t& into, bool required) {
  PyObject* const found = PyDict_GetItemString(dict, key);
  if (found) return number_of(found, into);
  if (required) PyErr_Format(PyExc_ValueError, "the dict lacks '%s'", key);
  return !required;
}

PyObject* give(const std::string& text, bool ok) { return give_text(text.data(), ok ? text.size() : 0); }

PyObject* give_text(const char* text, size_t size) {
  return PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(strnlen(text, size)), "replace");
}

PyObject* give_list(const int64_t* values, size_t count) {
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; list && i < count; ++i)
    PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  return list;
}

}  // namespace belay::python
