// SPDX-License-Identifier: Apache-2.0
// Leaving and entering the interpreter. A thread that the ending interpreter would kill is put to sleep instead:
// killing it would unwind through frames of the library, which nothing may cross.
#pragma once

#include <initializer_list>
#include <type_traits>

#include "object.h"

namespace belay::python {

// The second half of PyEval_SaveThread. Does not return once the interpreter is ending.
void take_gil_back(PyThreadState* state);

// Runs `body` without the GIL; it touches no Python object.
template <class Body>
auto without_gil(Body body) {
  PyThreadState* const state = PyEval_SaveThread();
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    take_gil_back(state);
  } else {
    auto result = body();
    take_gil_back(state);
    return result;
  }
}

enum class Visit {
  Callback,  // short; the interpreter waits for it a moment before it ends
  Thread,    // the life of a thread; nobody waits for it
};

// Runs body(data) with the GIL, on any thread. False, with nothing run, once the interpreter is ending.
bool enter_python(Visit visit, void (*body)(void*), void* data);

template <class Body>
bool with_gil(Body body, Visit visit = Visit::Callback) {
  return enter_python(
      visit, [](void* data) { (*static_cast<Body*>(data))(); }, &body);
}

// Calls a user's function; null with an exception set when it raises.
PyObject* invoke(PyObject* function, std::initializer_list<PyObject*> arguments);

// Says what a user's function raised, with its traceback, and forgets it.
void print_exception(PyObject* function);

// From now on the end of the interpreter is noticed. False with an exception set.
bool watch_for_exit();

}  // namespace belay::python
