// SPDX-License-Identifier: Apache-2.0
// acl.mdl: dump, to files or to a function.
#include "acl/acl_dump.h"
#include "bind.h"

namespace belay::python {
namespace {

// The function that receives what would have been written: one per process, guarded by the GIL.
struct Receiver {
  Ref function;
  bool wants_length = false;  // it requires a second argument
};

Receiver& receiver() {
  static auto& receiver = *new Receiver;
  return receiver;
}

// True for a function that cannot be called with one argument but can with two: some pages describe it so.
bool requires_two(PyObject* function) {
  const Ref inspect = Ref::steal(PyImport_ImportModule("inspect"));
  const Ref signature = Ref::steal(inspect ? PyObject_CallMethod(inspect.get(), "signature", "O", function) : nullptr);
  const auto accepts = [&](const char* format, int first, int second) {
    const Ref bound = Ref::steal(PyObject_CallMethod(signature.get(), "bind", format, first, second));
    PyErr_Clear();
    return static_cast<bool>(bound);
  };
  PyErr_Clear();  // a callable without a signature is called with one
  return signature && !accepts("i", 0, 0) && accepts("ii", 0, 0);
}

PyObject* chunk_dict(const acldumpChunk& chunk) {
  return Py_BuildValue("{s:N,s:K,s:I,s:I,s:L,s:i}", "file_name", give_text(chunk.fileName, sizeof chunk.fileName),
                       "data_buf", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(chunk.dataBuf)),
                       "buf_len", chunk.bufLen, "is_last_chunk", chunk.isLastChunk, "offset",
                       static_cast<long long>(chunk.offset), "flag", chunk.flag);
}

int32_t on_chunk(const acldumpChunk* chunk, int32_t length) {
  int32_t code = -1;
  with_gil([&] {
    const Receiver target = receiver();
    if (!target.function) return;
    const Ref dict = Ref::steal(chunk_dict(*chunk));
    const Ref size = Ref::steal(PyLong_FromLong(length));
    PyObject* const function = target.function.get();
    Ref result;
    if (dict && size)
      result =
          Ref::steal(target.wants_length ? invoke(function, {dict.get(), size.get()}) : invoke(function, {dict.get()}));
    if (result)
      code = 0;
    else
      print_exception(function);
  });
  return code;
}

PyObject* reg_callback(const Site& site, PyObject* const* given, Py_ssize_t count) {
  PyObject* function = nullptr;
  int32_t flag = 0;
  if (!load(site, given, count, function, flag) || !must_be_callable(site, function)) return nullptr;
  Receiver previous = std::exchange(receiver(), Receiver{Ref::borrow(function), requires_two(function)});
  const aclError code = without_gil([&] { return acldumpRegCallback(on_chunk, flag); });
  if (code != ACL_SUCCESS) std::swap(receiver(), previous);
  return PyLong_FromLong(code);
}

PyObject* unreg_callback(const Site&, PyObject* const*, Py_ssize_t) {
  without_gil([] { acldumpUnregCallback(); });
  const Receiver dropped = std::exchange(receiver(), {});
  Py_RETURN_NONE;
}

PyObject* set_dump(const Site& site, PyObject* const* given, Py_ssize_t count) {
  const char* path = nullptr;
  if (count > 1) return wrong_count(site, 1, count);
  if (count == 1 && !take(site, 1, given[0], path)) return nullptr;
  return PyLong_FromLong(without_gil([&] { return aclmdlSetDump(path); }));
}

}  // namespace

PyMethodDef* mdl_dump_methods() {
  static PyMethodDef methods[] = {
      row<"init_dump", aclmdlInitDump>(),           raw<"set_dump", set_dump>(),
      row<"finalize_dump", aclmdlFinalizeDump>(),   raw<"dump_reg_callback", reg_callback>(),
      raw<"dump_unreg_callback", unreg_callback>(), {}};
  return methods;
}

}  // namespace belay::python
