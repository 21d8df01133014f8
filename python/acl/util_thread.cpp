// SPDX-License-Identifier: Apache-2.0
// acl.util: threads that serve callbacks.
#include <errno.h>
#include <pthread.h>

#include <memory>
#include <unordered_map>

#include "bind.h"

namespace belay::python {
namespace {

// A thread that start_thread made. Everything is guarded by the GIL.
struct Thread {
  Ref function, argument;
  Ref raised;  // what the function raised
};

// By id. A thread stays here until stop_thread has joined it.
std::unordered_map<uint64_t, std::shared_ptr<Thread>>& threads() {
  static auto& threads = *new std::unordered_map<uint64_t, std::shared_ptr<Thread>>;
  return threads;
}

// Takes the exception out of the interpreter, as one object.
Ref caught() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return Ref::steal(value);
}

void run(Thread& thread) {
  PyObject* const function = thread.function.get();
  PyObject* const argument = thread.argument.get();
  const Ref result = Ref::steal(argument == Py_None ? invoke(function, {}) : invoke(function, {argument}));
  if (!result) {
    thread.raised = caught();
    PyErr_Restore(Py_NewRef(Py_TYPE(thread.raised.get())), Py_NewRef(thread.raised.get()),
                  PyException_GetTraceback(thread.raised.get()));
    print_exception(function);
  }
  thread.function = {};
  thread.argument = {};
}

// The Thread is handed over as a pointer to a shared_ptr, which ends with the GIL held.
void* live(void* data) {
  with_gil(
      [&] {
        const std::unique_ptr<std::shared_ptr<Thread>> thread(static_cast<std::shared_ptr<Thread>*>(data));
        run(**thread);
      },
      Visit::Thread);
  return nullptr;
}

PyObject* start_thread(const Site& site, PyObject* const* given, Py_ssize_t count) {
  PyObject *function = nullptr, *argument = nullptr;
  if (!load(site, given, count, function, argument) || !must_be_callable(site, function)) return nullptr;
  auto thread = std::make_shared<Thread>(Thread{Ref::borrow(function), Ref::borrow(argument), {}});
  auto* handed = new std::shared_ptr<Thread>(thread);
  pthread_t id = 0;
  const int code = pthread_create(&id, nullptr, live, handed);
  if (code == 0)
    threads()[id] = std::move(thread);
  else
    delete handed;
  PyObject* results[] = {PyLong_FromUnsignedLongLong(code == 0 ? id : 0)};
  return pack(results, 1, code);
}

// RuntimeError, caused by what the thread's function raised.
PyObject* raise_again(const Ref& raised) {
  PyErr_Format(PyExc_RuntimeError, "exception=%s,msg=thread call failed;", Py_TYPE(raised.get())->tp_name);
  const Ref error = caught();
  PyException_SetCause(error.get(), Py_NewRef(raised.get()));
  PyErr_SetObject(PyExc_RuntimeError, error.get());
  return nullptr;
}

PyObject* stop_thread(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t id = 0;
  if (!load(site, given, count, id)) return nullptr;
  if (id == pthread_self()) return PyLong_FromLong(EDEADLK);
  const auto found = threads().extract(id);  // a second stop_thread finds nothing to join
  if (found.empty()) return PyLong_FromLong(ESRCH);
  const int code = without_gil([&] { return pthread_join(id, nullptr); });
  if (found.mapped()->raised) return raise_again(found.mapped()->raised);
  return PyLong_FromLong(code);
}

}  // namespace

PyMethodDef* thread_methods() {
  static PyMethodDef methods[] = {raw<"start_thread", start_thread>(), raw<"stop_thread", stop_thread>(), {}};
  return methods;
}

}  // namespace belay::python
