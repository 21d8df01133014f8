// SPDX-License-Identifier: Apache-2.0
// acl.op: kernels that a program brings along, and the functions that choose them.
#include <map>
#include <utility>

#include "acl/acl_op.h"
#include "bind.h"

namespace belay::python {
namespace {

// C's selector gets nothing that says whose it is, so each registered operator type has a C function of its own.
constexpr size_t kSelectors = 64;

struct Selector {
  std::string op_type;
  Ref function;
};
std::array<Selector, kSelectors>& selectors() {
  static auto& selectors = *new std::array<Selector, kSelectors>;
  return selectors;
}

PyObject* list_of(const aclTensorDesc* const* descs, int count) {
  PyObject* const list = PyList_New(count);
  for (int i = 0; list && i < count; ++i) PyList_SET_ITEM(list, i, give_value(descs[i]));
  return list;
}

// The function's int is the code; None is success, an exception is 500000.
aclError select(size_t slot, int input_count, const aclTensorDesc* const* inputs, int output_count,
                const aclTensorDesc* const* outputs, const aclopAttr* attr, aclopKernelDesc* kernel) {
  aclError code = ACL_ERROR_INTERNAL_ERROR;
  with_gil([&] {
    const Ref function = selectors()[slot].function;
    if (!function) return;
    const Ref arguments[] = {Ref::steal(PyLong_FromLong(input_count)),
                             Ref::steal(list_of(inputs, input_count)),
                             Ref::steal(PyLong_FromLong(output_count)),
                             Ref::steal(list_of(outputs, output_count)),
                             Ref::steal(give_value(attr)),
                             Ref::steal(give_value(kernel))};
    const bool whole =
        std::all_of(std::begin(arguments), std::end(arguments), [](const Ref& ref) { return bool(ref); });
    const Ref result =
        Ref::steal(whole ? invoke(function.get(), {arguments[0].get(), arguments[1].get(), arguments[2].get(),
                                                   arguments[3].get(), arguments[4].get(), arguments[5].get()})
                         : nullptr);
    uint64_t number = 0;
    if (result && (result.get() == Py_None || number_of(result.get(), number)))
      code = static_cast<aclError>(number);
    else
      print_exception(function.get());
  });
  return code;
}

template <size_t slot>
aclError select_in(int input_count, const aclTensorDesc* const inputs[], int output_count,
                   const aclTensorDesc* const outputs[], const aclopAttr* attr, aclopKernelDesc* kernel) {
  return select(slot, input_count, inputs, output_count, outputs, attr, kernel);
}

template <size_t... slot>
constexpr std::array<aclopCompileFunc, kSelectors> make_functions(std::index_sequence<slot...>) {
  return {select_in<slot>...};
}
constexpr auto kFunctions = make_functions(std::make_index_sequence<kSelectors>());

// The slot of this operator type, or a free one; kSelectors when there is none.
size_t slot_of(const std::string& op_type) {
  size_t free = kSelectors;
  for (size_t i = 0; i < kSelectors; ++i) {
    if (selectors()[i].function && selectors()[i].op_type == op_type) return i;
    if (!selectors()[i].function && free == kSelectors) free = i;
  }
  return free;
}

PyObject* register_compile_func(const Site& site, PyObject* const* given, Py_ssize_t count) {
  const char* op_type = nullptr;
  PyObject* function = nullptr;
  if (!load(site, given, count, op_type, function) || !must_be_callable(site, function)) return nullptr;
  const size_t slot = slot_of(op_type);
  if (slot == kSelectors) return PyLong_FromLong(ACL_ERROR_STORAGE_OVER_LIMIT);
  Selector previous = std::exchange(selectors()[slot], {op_type, Ref::borrow(function)});
  const aclError code = without_gil([&] { return aclopRegisterCompileFunc(op_type, kFunctions[slot]); });
  if (code != ACL_SUCCESS) std::swap(selectors()[slot], previous);
  return PyLong_FromLong(code);
}

PyObject* unregister_compile_func(const Site& site, PyObject* const* given, Py_ssize_t count) {
  const char* op_type = nullptr;
  if (!load(site, given, count, op_type)) return nullptr;
  const aclError code = without_gil([&] { return aclopUnregisterCompileFunc(op_type); });
  const size_t slot = slot_of(op_type);
  if (code == ACL_SUCCESS && slot < kSelectors) const Selector dropped = std::exchange(selectors()[slot], {});
  return PyLong_FromLong(code);
}

void free_binary(void* data, size_t) {
  aclrtRunMode mode = ACL_HOST;
  aclrtGetRunMode(&mode);
  if (mode == ACL_HOST)
    aclrtFreeHost(data);
  else
    aclrtFree(data);
}

aclError create_kernel(const char* op_type, const char* id, const char* name, void* data, int size,
                       aclopEngineType engine, uint64_t deallocator) {
  return aclopCreateKernel(op_type, id, name, data, size, engine, deallocator ? free_binary : nullptr);
}

}  // namespace

PyMethodDef* op_kernel_methods() {
  static PyMethodDef methods[] = {raw<"register_compile_func", register_compile_func>(),
                                  raw<"unregister_compile_func", unregister_compile_func>(),
                                  row<"create_kernel", create_kernel>(),
                                  row<"set_kernel_args", aclopSetKernelArgs>(),
                                  addresses<"set_kernel_workspace_sizes", aclopSetKernelWorkspaceSizes>(),
                                  addresses<"set_kernel_workspaces_sizes", aclopSetKernelWorkspaceSizes>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
