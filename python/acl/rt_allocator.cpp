// SPDX-License-Identifier: Apache-2.0
// acl.rt: a program's own allocator.
#include <unordered_map>

#include "allocators.h"
#include "bind.h"
#include "callbacks.h"

namespace belay::python {
namespace {

// The descriptors that Python made. C follows the pointer it is given, so only these reach it; another is passed as
// null, and C says 100000.
std::unordered_map<uint64_t, AllocatorFunctions>& descs() {
  static auto& descs = *new std::unordered_map<uint64_t, AllocatorFunctions>;
  return descs;
}

aclrtAllocatorDesc known(uint64_t desc) {
  return descs().contains(desc) ? reinterpret_cast<aclrtAllocatorDesc>(desc) : nullptr;
}

PyObject* create_desc(const Site&, PyObject* const*, Py_ssize_t) {
  const aclrtAllocatorDesc desc = without_gil([] { return aclrtAllocatorCreateDesc(); });
  if (desc) descs()[reinterpret_cast<uint64_t>(desc)] = {};
  return give_value(desc);
}

PyObject* destroy_desc(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t desc = 0;
  if (!load(site, given, count, desc)) return nullptr;
  const aclError code = aclrtAllocatorDestroyDesc(known(desc));
  if (code == ACL_SUCCESS) const auto dropped = descs().extract(desc);
  return PyLong_FromLong(code);
}

PyObject* set_object(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t desc = 0, object = 0;
  if (!load(site, given, count, desc, object)) return nullptr;
  const aclError code = aclrtAllocatorSetObjToDesc(known(desc), reinterpret_cast<aclrtAllocator>(object));
  if (code == ACL_SUCCESS) descs()[desc].object = Ref::steal(PyLong_FromUnsignedLongLong(object));
  return PyLong_FromLong(code);
}

template <auto set, auto function, Ref AllocatorFunctions::*field>
PyObject* set_function(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t desc = 0;
  PyObject* callable = nullptr;
  if (!load(site, given, count, desc, callable) || !must_be_callable(site, callable)) return nullptr;
  const aclError code = set(known(desc), function);
  if (code == ACL_SUCCESS) descs()[desc].*field = Ref::borrow(callable);
  return PyLong_FromLong(code);
}

PyObject* register_allocator(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t stream = 0, desc = 0;
  if (!load(site, given, count, stream, desc)) return nullptr;
  const aclrtAllocatorDesc target = known(desc);
  if (target && descs()[desc].object) {
    const uint64_t number = keep_registration(descs()[desc], stream);
    aclrtAllocatorSetObjToDesc(target, reinterpret_cast<aclrtAllocator>(number));
  }
  return PyLong_FromLong(
      without_gil([&] { return aclrtAllocatorRegister(reinterpret_cast<aclrtStream>(stream), target); }));
}

PyObject* unregister_allocator(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t stream = 0;
  if (!load(site, given, count, stream)) return nullptr;
  const aclError code = without_gil([&] { return aclrtAllocatorUnregister(reinterpret_cast<aclrtStream>(stream)); });
  if (code == ACL_SUCCESS) drop_registrations_if_idle(stream);
  return PyLong_FromLong(code);
}

PyObject* given_or_none(const Ref& object) { return Py_NewRef(object ? object.get() : Py_None); }

PyObject* get_by_stream(const Site& site, PyObject* const* given, Py_ssize_t count) {
  uint64_t stream = 0;
  if (!load(site, given, count, stream)) return nullptr;
  aclrtAllocatorDesc desc = nullptr;
  aclrtAllocator object = nullptr;
  aclrtAllocatorAllocFunc allocate = nullptr;
  const aclError code = without_gil([&] {
    return aclrtAllocatorGetByStream(reinterpret_cast<aclrtStream>(stream), &desc, &object, &allocate, nullptr, nullptr,
                                     nullptr);
  });
  // An allocator that C code registered has no functions that Python could call.
  const bool ours = allocate == allocate_block;
  const auto registration = ours ? find_registration(reinterpret_cast<uint64_t>(object)) : nullptr;
  const AllocatorFunctions functions = registration ? registration->functions : AllocatorFunctions{};
  PyObject* results[] = {give_value(desc),
                         registration ? Py_NewRef(functions.object.get()) : give_value(object),
                         given_or_none(functions.allocate),
                         given_or_none(functions.free),
                         given_or_none(functions.advise),
                         given_or_none(functions.address)};
  return pack(results, std::size(results), code);
}

}  // namespace

void drop_allocators_of(uint64_t stream) { drop_registrations(stream); }

PyMethodDef* rt_allocator_methods() {
  using F = AllocatorFunctions;
  static PyMethodDef methods[] = {
      raw<"allocator_create_desc", create_desc>(),
      raw<"allocator_destroy_desc", destroy_desc>(),
      raw<"allocator_set_obj_to_desc", set_object>(),
      raw<"allocator_set_alloc_func_to_desc",
          set_function<aclrtAllocatorSetAllocFuncToDesc, allocate_block, &F::allocate>>(),
      raw<"allocator_set_free_func_to_desc", set_function<aclrtAllocatorSetFreeFuncToDesc, free_block, &F::free>>(),
      raw<"allocator_set_alloc_advise_func_to_desc",
          set_function<aclrtAllocatorSetAllocAdviseFuncToDesc, allocate_block_at, &F::advise>>(),
      raw<"allocator_set_get_addr_from_block_func_to_desc",
          set_function<aclrtAllocatorSetGetAddrFromBlockFuncToDesc, address_of_block, &F::address>>(),
      raw<"allocator_register", register_allocator>(),
      raw<"allocator_unregister", unregister_allocator>(),
      raw<"allocator_get_by_stream", get_by_stream>(),
      {}};
  return methods;
}

}  // namespace belay::python
