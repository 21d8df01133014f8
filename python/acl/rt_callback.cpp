// SPDX-License-Identifier: Apache-2.0
// acl.rt: functions that a stream calls, and what ends streams.
#include <unordered_map>

#include "bind.h"
#include "callbacks.h"

namespace belay::python {
namespace {

// A callback on its way: C carries the number, the objects stay here.
struct Pending {
  Ref function, data;
  uint64_t stream = 0;
  bool launched = false;  // C has taken it
};
using Pendings = std::unordered_map<uint64_t, Pending>;

Pendings& pendings() {
  static auto& pendings = *new Pendings;
  return pendings;
}

uint64_t next_number = 1;

// 0 means the default stream of the current context, which is another one for each thread.
uint64_t real_stream(uint64_t stream) {
  aclrtStream found = reinterpret_cast<aclrtStream>(stream);
  if (!stream) without_gil([&] { aclrtCtxGetCurrentDefaultStream(&found); });
  return reinterpret_cast<uint64_t>(found);
}

void call_pending(void* number) {
  with_gil([&] {
    const auto pending = pendings().extract(reinterpret_cast<uint64_t>(number));
    if (pending.empty()) return;
    PyObject* const function = pending.mapped().function.get();
    if (!Ref::steal(invoke(function, {pending.mapped().data.get()}))) print_exception(function);
  });
}

std::vector<uint64_t> launched_on(uint64_t stream) {
  std::vector<uint64_t> numbers;
  for (const auto& [number, pending] : pendings())
    if (pending.launched && pending.stream == stream) numbers.push_back(number);
  return numbers;
}

// Forgets callbacks that C has dropped. Objects end after the table is whole again: their ends may be Python code.
void drop(const std::vector<uint64_t>& numbers) {
  std::vector<Pendings::node_type> dropped;
  for (const uint64_t number : numbers) dropped.push_back(pendings().extract(number));
}

PyObject* launch_callback(const Site& site, PyObject* const* given, Py_ssize_t count) {
  PyObject *function = nullptr, *data = nullptr;
  aclrtCallbackBlockType block = ACL_CALLBACK_NO_BLOCK;
  uint64_t stream = 0;
  if (!load(site, given, count, function, data, block, stream) || !must_be_callable(site, function)) return nullptr;
  const uint64_t key = real_stream(stream), number = next_number++;
  pendings()[number] = {Ref::borrow(function), Ref::borrow(data), key};
  const aclError code = without_gil([&] {
    return aclrtLaunchCallback(call_pending, reinterpret_cast<void*>(number), block,
                               reinterpret_cast<aclrtStream>(stream));
  });
  if (code != ACL_SUCCESS)
    drop({number});
  else if (const auto found = pendings().find(number); found != pendings().end())
    found->second.launched = true;
  return PyLong_FromLong(code);
}

PyObject* unsubscribe_report(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t thread = 0, stream = 0;
  if (!load(site, given, count, thread, stream)) return nullptr;
  const auto numbers = launched_on(real_stream(stream));
  const aclError code =
      without_gil([&] { return aclrtUnSubscribeReport(thread, reinterpret_cast<aclrtStream>(stream)); });
  if (code == ACL_SUCCESS) drop(numbers);
  return PyLong_FromLong(code);
}

template <aclError (*destroy)(aclrtStream)>
PyObject* destroy_stream(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t stream = 0;
  if (!load(site, given, count, stream)) return nullptr;
  const aclError code = without_gil([&] { return destroy(reinterpret_cast<aclrtStream>(stream)); });
  if (code == ACL_SUCCESS) {
    drop(launched_on(stream));
    drop_allocators_of(stream);
  }
  return PyLong_FromLong(code);
}

// The function for failed tasks: one per process.
Ref& exception_function() {
  static auto& function = *new Ref;
  return function;
}

void on_exception(aclrtExceptionInfo* info) {
  with_gil([&] {
    const Ref function = exception_function();
    if (!function) return;
    const Ref address = Ref::steal(give_value(info));
    if (!address || !Ref::steal(invoke(function.get(), {address.get()}))) print_exception(function.get());
  });
}

PyObject* set_exception_info_callback(const Site& site, PyObject* const* given, Py_ssize_t count) {
  if (count > 1) return wrong_count(site, 1, count);
  const bool clear = count == 0 || given[0] == Py_None;
  if (!clear && !must_be_callable(site, given[0])) return nullptr;
  Ref previous = std::exchange(exception_function(), clear ? Ref() : Ref::borrow(given[0]));
  const aclError code = without_gil([&] { return aclrtSetExceptionInfoCallback(clear ? nullptr : on_exception); });
  if (code != ACL_SUCCESS) std::swap(exception_function(), previous);
  return PyLong_FromLong(code);
}

}  // namespace

void drop_all_calls() {
  std::vector<uint64_t> numbers;
  for (const auto& [number, pending] : pendings())
    if (pending.launched) numbers.push_back(number);
  drop(numbers);
}

PyMethodDef* rt_callback_methods() {
  static PyMethodDef methods[] = {row<"subscribe_report", aclrtSubscribeReport>(),
                                  raw<"unsubscribe_report", unsubscribe_report>(),
                                  raw<"launch_callback", launch_callback>(),
                                  row<"process_report", aclrtProcessReport>(),
                                  raw<"destroy_stream", destroy_stream<aclrtDestroyStream>>(),
                                  raw<"destroy_stream_force", destroy_stream<aclrtDestroyStreamForce>>(),
                                  raw<"set_exception_info_callback", set_exception_info_callback>(),
                                  row<"get_task_id_from_exception_info", aclrtGetTaskIdFromExceptionInfo>(),
                                  row<"get_stream_id_from_exception_info", aclrtGetStreamIdFromExceptionInfo>(),
                                  row<"get_thread_id_from_exception_info", aclrtGetThreadIdFromExceptionInfo>(),
                                  row<"get_device_id_from_exception_info", aclrtGetDeviceIdFromExceptionInfo>(),
                                  row<"get_error_code_from_exception_info", aclrtGetErrorCodeFromExceptionInfo>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
