// SPDX-License-Identifier: Apache-2.0
#include "allocators.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "bind.h"
#include "callbacks.h"

namespace belay::python {
namespace {

using Registrations = std::unordered_map<uint64_t, std::shared_ptr<Registration>>;

Registrations& registrations() {
  static auto& registrations = *new Registrations;
  return registrations;
}

uint64_t next_number = 1;

// How many replaced registrations a stream may have before it is asked whether it still needs them.
constexpr size_t kManyReplaced = 16;

// A block as C sees it.
struct Block {
  std::shared_ptr<Registration> registration;
  uint64_t value;  // the program's own
};

// self.alloc is a new object each time it is written, but an equal one.
bool same(const Ref& a, const Ref& b) {
  if (a.get() == b.get()) return true;
  if (!a || !b || Py_TYPE(a.get()) != Py_TYPE(b.get())) return false;
  if (!PyMethod_Check(a.get()) && !PyLong_Check(a.get())) return false;
  const int equal = PyObject_RichCompareBool(a.get(), b.get(), Py_EQ);
  if (equal < 0) PyErr_Clear();
  return equal == 1;
}

bool same(const AllocatorFunctions& a, const AllocatorFunctions& b) {
  return same(a.object, b.object) && same(a.allocate, b.allocate) && same(a.free, b.free) && same(a.advise, b.advise) &&
         same(a.address, b.address);
}

bool idle(uint64_t stream) {
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  const aclError code = without_gil([&] { return aclrtStreamQuery(reinterpret_cast<aclrtStream>(stream), &status); });
  return code == ACL_ERROR_RT_INVALID_HANDLE || (code == ACL_SUCCESS && status == ACL_STREAM_STATUS_COMPLETE);
}

// The int that a function returned; 0, with the exception printed, when it did not return one.
uint64_t number_from(PyObject* function, Ref result) {
  uint64_t number = 0;
  if (result && number_of(result.get(), number)) return number;
  print_exception(function);
  return 0;
}

void* make_block(const std::shared_ptr<Registration>& registration, const Ref& function,
                 std::initializer_list<PyObject*> arguments) {
  const bool whole = std::all_of(arguments.begin(), arguments.end(), [](PyObject* argument) { return argument; });
  const uint64_t value = number_from(function.get(), Ref::steal(whole ? invoke(function.get(), arguments) : nullptr));
  return value ? new Block{registration, value} : nullptr;
}

}  // namespace

uint64_t keep_registration(const AllocatorFunctions& functions, uint64_t stream) {
  size_t of_stream = 0;
  for (const auto& [number, kept] : registrations()) {
    if (kept->stream != stream) continue;
    if (same(kept->functions, functions)) return number;
    ++of_stream;
  }
  if (of_stream > kManyReplaced) drop_registrations_if_idle(stream);
  const uint64_t number = next_number++;
  registrations()[number] = std::make_shared<Registration>(Registration{functions, stream});
  return number;
}

void drop_registrations(uint64_t stream) {
  std::vector<Registrations::node_type> dropped;  // they end after the table is whole again
  std::vector<uint64_t> numbers;
  for (const auto& [number, kept] : registrations())
    if (kept->stream == stream) numbers.push_back(number);
  for (const uint64_t number : numbers) dropped.push_back(registrations().extract(number));
}

void drop_registrations_if_idle(uint64_t stream) {
  const bool any = std::any_of(registrations().begin(), registrations().end(),
                               [&](const auto& entry) { return entry.second->stream == stream; });
  if (any && idle(stream)) drop_registrations(stream);
}

void drop_all_allocators() { const Registrations dropped = std::exchange(registrations(), {}); }

std::shared_ptr<Registration> find_registration(uint64_t number) {
  const auto found = registrations().find(number);
  return found == registrations().end() ? nullptr : found->second;
}

void* allocate_block(void* number, size_t size) {
  void* block = nullptr;
  with_gil([&] {
    const auto registration = find_registration(reinterpret_cast<uint64_t>(number));
    if (!registration) return;
    const Ref bytes = Ref::steal(PyLong_FromSize_t(size));
    const AllocatorFunctions& functions = registration->functions;
    block = make_block(registration, functions.allocate, {functions.object.get(), bytes.get()});
  });
  return block;
}

void* allocate_block_at(void* number, size_t size, void* address) {
  void* block = nullptr;
  with_gil([&] {
    const auto registration = find_registration(reinterpret_cast<uint64_t>(number));
    if (!registration) return;
    const Ref bytes = Ref::steal(PyLong_FromSize_t(size)), wanted = Ref::steal(give_value(address));
    const AllocatorFunctions& functions = registration->functions;
    block = make_block(registration, functions.advise, {functions.object.get(), bytes.get(), wanted.get()});
  });
  return block;
}

void free_block(void*, void* given) {
  with_gil([&] {
    const std::unique_ptr<Block> block(static_cast<Block*>(given));
    const AllocatorFunctions& functions = block->registration->functions;
    const Ref value = Ref::steal(PyLong_FromUnsignedLongLong(block->value));
    if (!value || !Ref::steal(invoke(functions.free.get(), {functions.object.get(), value.get()})))
      print_exception(functions.free.get());
  });
}

void* address_of_block(void* given) {
  uint64_t address = 0;
  with_gil([&] {
    const auto* block = static_cast<Block*>(given);
    const Ref& function = block->registration->functions.address;
    const Ref value = Ref::steal(PyLong_FromUnsignedLongLong(block->value));
    address = number_from(function.get(), Ref::steal(value ? invoke(function.get(), {value.get()}) : nullptr));
  });
  return reinterpret_cast<void*>(address);
}

}  // namespace belay::python
