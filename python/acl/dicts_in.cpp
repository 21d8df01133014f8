// SPDX-License-Identifier: Apache-2.0
// Structures as Python sees them: arguments.
#include <algorithm>
#include <cstring>

#include "dicts.h"

namespace belay::python {
namespace {

// The exception of a field stays when it is a ValueError; another says which argument it was.
bool wrong_field(const Site& site, int position) {
  if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ValueError)) return false;
  PyErr_Clear();
  return wrong_value(site, position, "has a field of the wrong type");
}

bool take_location(PyObject* dict, aclrtMemLocation& into) {
  PyObject* const location = PyDict_GetItemString(dict, "location");
  if (!location) return true;
  if (!PyDict_Check(location)) return false;
  uint64_t id = 0, type = 0;
  if (!take_field(location, "id", id) || !take_field(location, "type", type)) return false;
  into = {static_cast<uint32_t>(id), static_cast<aclrtMemLocationType>(type)};
  return true;
}

// A value that is a number, or a dict with one number in it, whatever its key: members of a C union.
bool take_union(PyObject* value, uint64_t& into) {
  if (value && PyDict_Check(value)) {
    PyObject *key = nullptr, *member = nullptr;
    Py_ssize_t at = 0;
    return !PyDict_Next(value, &at, &key, &member) || PyList_Check(member) || number_of(member, into);
  }
  return !value || number_of(value, into);
}

// A list of dicts that each have a kind and a value.
template <class Entry, class Store>
bool take_entries(const Site& site, int position, PyObject* given, const char* kind, List<Entry>& into, Store store) {
  if (!PyList_Check(given)) return not_list(site, position);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    PyObject* const entry = PyList_GET_ITEM(given, i);
    uint64_t type = 0, value = 0;
    if (!PyDict_Check(entry)) return wrong_value(site, position, "has an element that is not a dict");
    if (!take_field(entry, kind, type, true) || !take_union(PyDict_GetItemString(entry, "value"), value))
      return wrong_field(site, position);
    Entry made{};
    store(made, type, value);
    into.push_back(made);
  }
  return true;
}

}  // namespace

bool take(const Site& site, int position, PyObject* given, aclmdlIODims& into) {
  if (!PyDict_Check(given)) return wrong_argument(site, position, "dict", given);
  PyObject* const dims = PyDict_GetItemString(given, "dims");
  if (!dims || !PyList_Check(dims)) return wrong_value(site, position, "lacks the list 'dims'");
  uint64_t count = static_cast<uint64_t>(PyList_GET_SIZE(dims));
  if (!take_field(given, "dimCount", count)) return wrong_field(site, position);
  if (count > ACL_MAX_DIM_CNT || count > static_cast<uint64_t>(PyList_GET_SIZE(dims)))
    return wrong_value(site, position, "has a 'dimCount' that does not fit its 'dims'");
  into.dimCount = count;
  for (size_t i = 0; i < count; ++i) {
    uint64_t size = 0;
    if (!number_of(PyList_GET_ITEM(dims, static_cast<Py_ssize_t>(i)), size)) return wrong_field(site, position);
    into.dims[i] = static_cast<int64_t>(size);
  }
  const char* name = nullptr;
  PyObject* const named = PyDict_GetItemString(given, "name");
  if (named && !text_of(named, name)) return wrong_field(site, position);
  if (name) std::strncpy(into.name, name, sizeof into.name - 1);
  return true;
}

bool take(const Site& site, int position, PyObject* given, StreamAttributes& into) {
  if (!PyDict_Check(given)) return wrong_argument(site, position, "dict", given);
  return (take_field(given, "failureMode", into.failure_mode) &&
          take_field(given, "overflowSwitch", into.overflow_switch) &&
          take_field(given, "userCustomTag", into.user_custom_tag)) ||
         wrong_field(site, position);
}

bool take(const Site& site, int position, PyObject* given, aclrtPhysicalMemProp& into) {
  if (!PyDict_Check(given)) return wrong_argument(site, position, "dict", given);
  uint64_t handle_type = 0, allocation_type = 0, attribute = 0;
  into = {};
  if (!take_field(given, "handleType", handle_type) || !take_field(given, "allocationType", allocation_type) ||
      !take_field(given, "memAttr", attribute) || !take_field(given, "reserve", into.reserve) ||
      !take_location(given, into.location))
    return wrong_field(site, position);
  into.handleType = static_cast<aclrtMemHandleType>(handle_type);
  into.allocationType = static_cast<aclrtMemAllocationType>(allocation_type);
  into.memAttr = static_cast<aclrtMemAttr>(attribute);
  return true;
}

bool take(const Site& site, int position, PyObject* given, List<aclrtMemUceInfo>& into) {
  if (!PyList_Check(given)) return not_list(site, position);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    PyObject* const entry = PyList_GET_ITEM(given, i);
    uint64_t address = 0, length = 0;
    if (!PyDict_Check(entry)) return wrong_value(site, position, "has an element that is not a dict");
    if (!take_field(entry, "addr", address, true) || !take_field(entry, "len", length, true))
      return wrong_field(site, position);
    aclrtMemUceInfo info{};
    info.addr = reinterpret_cast<void*>(address);
    info.len = length;
    into.push_back(info);
  }
  return true;
}

bool take(const Site& site, int position, PyObject* given, MallocConfig& into) {
  if (!PyDict_Check(given)) return wrong_argument(site, position, "dict", given);
  PyObject* const attributes = PyDict_GetItemString(given, "attrs");
  if (!attributes) return true;
  const bool taken = take_entries(site, position, attributes, "attr", into.attributes,
                                  [](aclrtMallocAttribute& made, uint64_t type, uint64_t value) {
                                    made.attr = static_cast<aclrtMallocAttrType>(type);
                                    std::memcpy(made.value.rsv, &value, sizeof value);
                                  });
  uint64_t count = into.attributes.size();
  if (!taken) return false;
  if (!take_field(given, "numAttrs", count)) return wrong_field(site, position);
  if (count > into.attributes.size()) return wrong_value(site, position, "has fewer 'attrs' than 'numAttrs'");
  into.attributes.resize(count);
  return true;
}

bool take(const Site& site, int position, PyObject* given, LoadOptions& into) {
  return take_entries(site, position, given, "type", into.options,
                      [](aclrtBinaryLoadOption& made, uint64_t type, uint64_t value) {
                        made.type = static_cast<aclrtBinaryLoadOptionType>(type);
                        made.value.magic = static_cast<uint32_t>(value);
                      });
}

bool take(const Site& site, int position, PyObject* given, LaunchConfig& into) {
  return take_entries(site, position, given, "id", into.attributes,
                      [](aclrtLaunchKernelAttr& made, uint64_t id, uint64_t value) {
                        made.id = static_cast<aclrtLaunchKernelAttrId>(id);
                        std::memcpy(made.value.rsv, &value, sizeof value);
                      });
}

bool take(const Site& site, int position, PyObject* given, PlaceHolders& into) {
  if (!PyList_Check(given)) return not_list(site, position);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    PyObject* const entry = PyList_GET_ITEM(given, i);
    uint64_t address = 0, data = 0;
    if (!PyDict_Check(entry)) return wrong_value(site, position, "has an element that is not a dict");
    if (!take_field(entry, "addrOffset", address, true) || !take_field(entry, "dataOffset", data, true))
      return wrong_field(site, position);
    into.places.push_back({static_cast<uint32_t>(address), static_cast<uint32_t>(data)});
  }
  return true;
}

}  // namespace belay::python
