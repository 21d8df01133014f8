// SPDX-License-Identifier: Apache-2.0
// acl.util: addresses of Python's own memory. numpy is not needed to build or import this; an array can only be given
// by a program that has imported it.
#include <deque>

#include "bind.h"

namespace belay::python {
namespace {

// Programs pass temporaries and use the address afterwards: the last few are kept alive, large ones only until the
// next.
constexpr size_t kRemembered = 8;
constexpr Py_ssize_t kRememberedBytes = 64 << 20;

void remember(PyObject* object, Py_ssize_t bytes) {
  struct Last {
    Ref object;
    Py_ssize_t bytes;
  };
  static auto& last = *new std::deque<Last>;
  static Py_ssize_t total = 0;
  std::vector<Ref> dropped;  // they end when the queue is whole
  last.push_back({Ref::borrow(object), bytes});
  total += bytes;
  while (last.size() > 1 && (last.size() > kRemembered || total > kRememberedBytes)) {
    total -= last.front().bytes;
    dropped.push_back(std::move(last.front().object));
    last.pop_front();
  }
}

PyObject* bytes_to_ptr(const Site& site, PyObject* const* given, Py_ssize_t count) {
  if (count != 1) return wrong_count(site, 1, count);
  if (!PyBytes_Check(given[0])) {
    wrong_argument(site, 1, "bytes", given[0]);
    return nullptr;
  }
  remember(given[0], PyBytes_GET_SIZE(given[0]));
  return give_value(PyBytes_AS_STRING(given[0]) + 0);
}

PyObject* ptr_to_bytes(const Site& site, PyObject* const* given, Py_ssize_t count) {
  const char* address = nullptr;
  uint64_t from = 0;
  Py_ssize_t size = 0;
  if (!load(site, given, count, from, size)) return nullptr;
  address = reinterpret_cast<const char*>(from);
  if (size < 0 || (!address && size > 0)) {
    wrong_value(site, size < 0 ? 2 : 1, size < 0 ? "is negative" : "is a null address");
    return nullptr;
  }
  return PyBytes_FromStringAndSize(address, size);
}

// numpy, if the program has imported it; null without an exception when it has not.
Ref imported_numpy() {
  const Ref name = Ref::steal(PyUnicode_FromString("numpy"));
  Ref numpy = Ref::steal(name ? PyImport_GetModule(name.get()) : nullptr);
  return numpy.get() == Py_None ? Ref() : numpy;  // None: the program forbids it
}

bool is_array(const Site& site, PyObject* object) {
  const Ref numpy = imported_numpy();
  const Ref type = Ref::steal(numpy ? PyObject_GetAttrString(numpy.get(), "ndarray") : nullptr);
  const int array = type ? PyObject_IsInstance(object, type.get()) : 0;
  if (array == 1) return true;
  return PyErr_Occurred() ? false : wrong_argument(site, 1, "numpy.ndarray", object);
}

// The address of an array's first element, in a new int.
PyObject* address_of(PyObject* array) {
  const Ref interface = Ref::steal(PyObject_GetAttrString(array, "__array_interface__"));
  PyObject* const data = interface ? PyDict_GetItemString(interface.get(), "data") : nullptr;
  if (data && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2) return Py_NewRef(PyTuple_GET_ITEM(data, 0));
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "the array does not say where its data is");
  return nullptr;
}

Py_ssize_t bytes_of(PyObject* array) {
  const Ref size = Ref::steal(PyObject_GetAttrString(array, "nbytes"));
  return size ? PyLong_AsSsize_t(size.get()) : -1;
}

bool is_contiguous(PyObject* array) {
  const Ref flags = Ref::steal(PyObject_GetAttrString(array, "flags"));
  const Ref flag = Ref::steal(flags ? PyObject_GetAttrString(flags.get(), "c_contiguous") : nullptr);
  return flag && PyObject_IsTrue(flag.get()) == 1;
}

PyObject* numpy_to_ptr(const Site& site, PyObject* const* given, Py_ssize_t count) {
  if (count != 1) return wrong_count(site, 1, count);
  if (!is_array(site, given[0])) return nullptr;
  if (!is_contiguous(given[0]))
    PySys_WriteStdout(
        "[WARNING] acl.util.numpy_to_ptr: the array is not C-contiguous; its address is that of the first "
        "element. Use acl.util.numpy_contiguous_to_ptr.\n");
  remember(given[0], bytes_of(given[0]));
  return PyErr_Occurred() ? nullptr : address_of(given[0]);
}

PyObject* numpy_contiguous_to_ptr(const Site& site, PyObject* const* given, Py_ssize_t count) {
  if (count != 1) return wrong_count(site, 1, count);
  if (!is_array(site, given[0])) return nullptr;
  const Ref numpy = imported_numpy();
  const Ref array = Ref::steal(PyObject_CallMethod(numpy.get(), "ascontiguousarray", "O", given[0]));
  const Ref address = Ref::steal(array ? address_of(array.get()) : nullptr);
  return address ? PyTuple_Pack(2, address.get(), array.get()) : nullptr;
}

// numpy's letter for its own type number; null for one that has no fixed size.
const char* letter_of(int64_t type) {
  static const char* const letters[] = {"?", "b", "B", "h", "H", "i", "I", "l", "L",
                                        "q", "Q", "f", "d", "g", "F", "D", "G"};
  if (type == 23) return "e";
  return type >= 0 && type < static_cast<int64_t>(std::size(letters)) ? letters[type] : nullptr;
}

PyObject* ptr_to_numpy(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t address = 0;
  PyObject* shape = nullptr;
  int64_t type = 0;
  if (!load(site, given, count, address, shape, type)) return nullptr;
  if (!PyTuple_Check(shape)) {
    wrong_argument(site, 2, "tuple", shape);
    return nullptr;
  }
  const char* letter = letter_of(type);
  if (!letter || !address) {
    wrong_value(site, letter ? 1 : 3, letter ? "is a null address" : "is not a numpy type number");
    return nullptr;
  }
  const Ref numpy = Ref::steal(PyImport_ImportModule("numpy"));
  const Ref dtype = Ref::steal(numpy ? PyObject_CallMethod(numpy.get(), "dtype", "s", letter) : nullptr);
  const Ref width = Ref::steal(dtype ? PyObject_GetAttrString(dtype.get(), "itemsize") : nullptr);
  if (!width) return nullptr;
  Py_ssize_t bytes = PyLong_AsSsize_t(width.get());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); ++i) {
    const Py_ssize_t size = PyNumber_AsSsize_t(PyTuple_GET_ITEM(shape, i), PyExc_OverflowError);
    if (size == -1 && PyErr_Occurred()) return nullptr;
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) {
      wrong_value(site, 2, "is not a shape");
      return nullptr;
    }
  }
  const Ref memory = Ref::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(address), bytes, PyBUF_WRITE));
  if (!memory) return nullptr;
  return PyObject_CallMethod(numpy.get(), "ndarray", "OOO", shape, dtype.get(), memory.get());
}

}  // namespace

PyMethodDef* util_methods() {
  static PyMethodDef methods[] = {
      raw<"bytes_to_ptr", bytes_to_ptr>(), raw<"ptr_to_bytes", ptr_to_bytes>(),
      raw<"numpy_to_ptr", numpy_to_ptr>(), raw<"numpy_contiguous_to_ptr", numpy_contiguous_to_ptr>(),
      raw<"ptr_to_numpy", ptr_to_numpy>(), {}};
  return methods;
}

}  // namespace belay::python
