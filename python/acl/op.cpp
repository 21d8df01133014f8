// SPDX-License-Identifier: Apache-2.0
// acl.op: single operators and their attributes.
#include "acl/acl_op.h"

#include "bind.h"

namespace belay::python {

// The values of a list attribute: a list, or an array whose elements are read as they lie.
template <class T>
struct Values {
  List<T> list;
};

namespace {

// What buffers call the type of an element: numpy's letters.
template <class T>
constexpr const char* kLetters = nullptr;
template <>
constexpr const char* kLetters<uint8_t> = "B?b";
template <>
constexpr const char* kLetters<int64_t> = "lq";
template <>
constexpr const char* kLetters<float> = "f";

bool is_letter(const char* letters, const char* format) {
  return format && format[0] && !format[1] &&
         std::char_traits<char>::find(letters, std::char_traits<char>::length(letters), *format);
}

// A one-dimensional array of the right type, with a warning. False without an exception for anything else.
template <class T>
bool take_array(PyObject* given, List<T>& into) {
  Py_buffer view;
  if (PyObject_GetBuffer(given, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  const bool fits = view.ndim == 1 && view.itemsize == sizeof(T) && is_letter(kLetters<T>, view.format);
  if (fits) {
    const T* first = static_cast<const T*>(view.buf);
    into.assign(first, first + view.len / view.itemsize);
  }
  PyBuffer_Release(&view);
  return fits && PyErr_WarnEx(PyExc_UserWarning, "an array is read as it lies in memory; pass a list", 1) == 0;
}

aclError set_list_bool(aclopAttr* attr, const char* name, const Values<uint8_t>& values) {
  return aclopSetAttrListBool(attr, name, static_cast<int>(values.list.size()), values.list.data());
}
aclError set_list_int(aclopAttr* attr, const char* name, const Values<int64_t>& values) {
  return aclopSetAttrListInt(attr, name, static_cast<int>(values.list.size()), values.list.data());
}
aclError set_list_float(aclopAttr* attr, const char* name, const Values<float>& values) {
  return aclopSetAttrListFloat(attr, name, static_cast<int>(values.list.size()), values.list.data());
}
aclError set_list_string(aclopAttr* attr, const char* name, const List<const char*>& values) {
  List<const char*> copy = values;  // C's parameter is not const
  return aclopSetAttrListString(attr, name, static_cast<int>(copy.size()), copy.data());
}
aclError set_list_type(aclopAttr* attr, const char* name, const List<aclDataType>& values) {
  return aclopSetAttrListDataType(attr, name, static_cast<int>(values.size()), values.data());
}
aclError set_list_list(aclopAttr* attr, const char* name, const List<List<int64_t>>& lists) {
  List<int> sizes;
  List<const int64_t*> firsts;
  for (const auto& list : lists) {
    sizes.push_back(static_cast<int>(list.size()));
    firsts.push_back(list.data());
  }
  return aclopSetAttrListListInt(attr, name, static_cast<int>(lists.size()), sizes.data(), firsts.data());
}

using Descs = List<aclTensorDesc*>;
using Buffers = List<aclDataBuffer*>;

int length(const auto& list) { return static_cast<int>(list.size()); }

// C reads as many descriptors as there are buffers.
bool fewer(const Descs& descs, const Buffers& buffers) { return descs.size() < buffers.size(); }

aclError execute(const char* type, const Descs& in_descs, const Buffers& inputs, const Descs& out_descs,
                 const Buffers& outputs, const aclopAttr* attr, aclrtStream stream) {
  if (fewer(in_descs, inputs) || fewer(out_descs, outputs)) return ACL_ERROR_INVALID_PARAM;
  return aclopExecute(type, length(inputs), in_descs.data(), inputs.data(), length(outputs), out_descs.data(),
                      outputs.data(), attr, stream);
}

aclError execute_v2(const char* type, const Descs& in_descs, const Buffers& inputs, const Descs& out_descs,
                    const Buffers& outputs, aclopAttr* attr, aclrtStream stream) {
  if (fewer(in_descs, inputs) || fewer(out_descs, outputs)) return ACL_ERROR_INVALID_PARAM;
  Descs in = in_descs, out = out_descs;
  Buffers from = inputs, to = outputs;
  return aclopExecuteV2(type, length(from), in.data(), from.data(), length(to), out.data(), to.data(), attr, stream);
}

aclError create_handle(const char* type, const Descs& inputs, const Descs& outputs, const aclopAttr* attr,
                       aclopHandle** handle) {
  return aclopCreateHandle(type, length(inputs), inputs.data(), length(outputs), outputs.data(), attr, handle);
}

aclError execute_with_handle(aclopHandle* handle, const Buffers& inputs, const Buffers& outputs, aclrtStream stream) {
  return aclopExecWithHandle(handle, length(inputs), inputs.data(), length(outputs), outputs.data(), stream);
}

aclError infer_shape(const char* type, const Descs& in_descs, const Buffers& inputs, int count, const Descs& out_descs,
                     aclopAttr* attr) {
  if (fewer(in_descs, inputs) || count < 0 || static_cast<size_t>(count) > out_descs.size())
    return ACL_ERROR_INVALID_PARAM;
  Descs in = in_descs, out = out_descs;
  Buffers from = inputs;
  return aclopInferShape(type, length(from), in.data(), from.data(), count, out.data(), attr);
}

aclError update_params(const char* type, const Descs& inputs, const Descs& outputs, const aclopAttr* attr) {
  return aclopUpdateParams(type, length(inputs), inputs.data(), length(outputs), outputs.data(), attr);
}

}  // namespace

template <class T>
bool take(const Site& site, int position, PyObject* given, Values<T>& into) {
  if (!PyList_Check(given)) {
    if (take_array(given, into.list)) return true;
    return PyErr_Occurred() ? false : not_list(site, position);
  }
  return take_list(
      site, position, given,
      [](PyObject* element, void* list) {
        std::conditional_t<std::is_floating_point_v<T>, double, uint64_t> value = 0;
        if (!number_of(element, value)) return false;
        static_cast<List<T>*>(list)->push_back(static_cast<T>(value));
        return true;
      },
      &into.list);
}

// Lists, or arrays, in a list.
bool take(const Site& site, int position, PyObject* given, List<List<int64_t>>& into) {
  if (!PyList_Check(given)) return not_list(site, position);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(given); ++i) {
    Values<int64_t> values;
    if (!take(site, position, PyList_GET_ITEM(given, i), values)) return false;
    into.push_back(std::move(values.list));
  }
  return true;
}

PyMethodDef* op_methods() {
  static PyMethodDef methods[] = {row<"set_model_dir", aclopSetModelDir>(),
                                  row<"load", aclopLoad>(),
                                  row<"create_attr", aclopCreateAttr>(),
                                  row<"destroy_attr", aclopDestroyAttr>(),
                                  row<"set_attr_bool", aclopSetAttrBool>(),
                                  row<"set_attr_int", aclopSetAttrInt>(),
                                  row<"set_attr_float", aclopSetAttrFloat>(),
                                  row<"set_attr_string", aclopSetAttrString>(),
                                  echo<"set_attr_data_type", aclopSetAttrDataType>(),
                                  row<"set_attr_list_bool", set_list_bool>(),
                                  row<"set_attr_list_int", set_list_int>(),
                                  row<"set_attr_list_float", set_list_float>(),
                                  row<"set_attr_list_string", set_list_string>(),
                                  echo<"set_attr_list_data_type", set_list_type>(),
                                  row<"set_attr_list_list_int", set_list_list>(),
                                  row<"execute", execute>(),
                                  row<"execute_v2", execute_v2>(),
                                  row<"create_handle", create_handle>(),
                                  row<"execute_with_handle", execute_with_handle>(),
                                  row<"destroy_handle", aclopDestroyHandle>(),
                                  row<"cast", aclopCast>(),
                                  row<"create_handle_for_cast", aclopCreateHandleForCast>(),
                                  row<"infer_shape", infer_shape>(),
                                  row<"update_params", update_params>(),
                                  row<"set_max_op_queue_num", aclopSetMaxOpQueueNum>(),
                                  row<"start_dump_args", aclopStartDumpArgs>(),
                                  row<"stop_dump_args", aclopStopDumpArgs>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
