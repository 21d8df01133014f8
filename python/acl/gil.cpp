// SPDX-License-Identifier: Apache-2.0
#include "gil.h"

#include <cxxabi.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace belay::python {
namespace {

// How long the ending interpreter waits for callbacks that have started.
constexpr auto kPatience = std::chrono::seconds(1);

// Callbacks that are in the interpreter or on their way into it.
struct Visitors {
  std::mutex mutex;
  std::condition_variable gone;
  int callbacks = 0;
  bool closed = false;
};

// Never destroyed: threads find it whole at the end of the process.
Visitors& visitors() {
  static auto& visitors = *new Visitors;
  return visitors;
}

[[noreturn]] void sleep_for_ever() {
  for (;;) pause();
}

bool arrive(Visit visit) {
  std::lock_guard lock(visitors().mutex);
  if (visitors().closed) return false;
  if (visit == Visit::Callback) ++visitors().callbacks;
  return true;
}

void leave(Visit visit) {
  if (visit != Visit::Callback) return;
  std::lock_guard lock(visitors().mutex);
  --visitors().callbacks;
  visitors().gone.notify_all();
}

PyObject* close(PyObject*, PyObject*) {
  without_gil([] {
    std::unique_lock lock(visitors().mutex);
    visitors().closed = true;
    visitors().gone.wait_for(lock, kPatience, [] { return visitors().callbacks == 0; });
  });
  Py_RETURN_NONE;
}

PyMethodDef close_method = {"close", close, METH_NOARGS, nullptr};

}  // namespace

void take_gil_back(PyThreadState* state) {
  try {
    PyEval_RestoreThread(state);
  } catch (abi::__forced_unwind&) {
    sleep_for_ever();
  }
}

bool enter_python(Visit visit, void (*body)(void*), void* data) {
  if (!arrive(visit)) return false;
  try {
    const PyGILState_STATE state = PyGILState_Ensure();
    body(data);
    PyGILState_Release(state);
  } catch (abi::__forced_unwind&) {
    sleep_for_ever();
  }
  leave(visit);
  return true;
}

// Nothing here has a destructor: a thread that stops here keeps what it holds.
PyObject* invoke(PyObject* function, std::initializer_list<PyObject*> arguments) {
  try {
    return PyObject_Vectorcall(function, arguments.begin(), arguments.size(), nullptr);
  } catch (abi::__forced_unwind&) {
    sleep_for_ever();
  }
}

void print_exception(PyObject* function) { PyErr_WriteUnraisable(function); }

bool watch_for_exit() {
  const Ref atexit = Ref::steal(PyImport_ImportModule("atexit"));
  const Ref function = Ref::steal(PyCFunction_New(&close_method, nullptr));
  if (!atexit || !function) return false;
  return static_cast<bool>(Ref::steal(PyObject_CallMethod(atexit.get(), "register", "O", function.get())));
}

}  // namespace belay::python
