// SPDX-License-Identifier: Apache-2.0
// Rows of functions that only refuse, with the shape that their results have.
#pragma once

#include "bind.h"
#include "refusal.h"

namespace belay::python {

inline PyObject* code(int refused) { return PyLong_FromLong(refused); }
inline PyObject* number(int) { return PyLong_FromLong(0); }
inline PyObject* number_and_code(int refused) { return Py_BuildValue("(ii)", 0, refused); }

template <PyObject* (*shape)(int)>
PyObject* refuse_as(const Site& site, PyObject* const*, Py_ssize_t) {
  return shape(refuse(site));
}

template <Name name, PyObject* (*shape)(int)>
PyMethodDef refused() {
  return raw<name, refuse_as<shape>>();
}

}  // namespace belay::python
