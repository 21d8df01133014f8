// SPDX-License-Identifier: Apache-2.0
// Allocators whose functions are Python callables. C's functions carry no data of ours but the allocator's object and
// the block, so both are ours: the object is the number of a registration, a block is a record that names it.
#pragma once

#include <memory>

#include "object.h"

namespace belay::python {

// What a descriptor holds: the program's own object (an int) and its functions.
struct AllocatorFunctions {
  Ref object, allocate, free, advise, address;
};

// The functions as they were when they were registered for a stream.
struct Registration {
  AllocatorFunctions functions;
  uint64_t stream = 0;
};

// Makes a registration, or finds one of this stream with the same functions. Kept until `drop` or the stream's end:
// work that is queued may still call it after it has been replaced.
uint64_t keep_registration(const AllocatorFunctions& functions, uint64_t stream);
// Forgets the registrations of a stream, for good.
void drop_registrations(uint64_t stream);
// The same, unless work is queued on it.
void drop_registrations_if_idle(uint64_t stream);
// Null for a number that is none of ours.
std::shared_ptr<Registration> find_registration(uint64_t number);

// What C is given. They may be called on any thread.
void* allocate_block(void* number, size_t size);
void* allocate_block_at(void* number, size_t size, void* address);
void free_block(void* number, void* block);
void* address_of_block(void* block);

}  // namespace belay::python
