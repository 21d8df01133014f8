// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

// The one door to device memory. A program holds addresses of it; whoever reads or writes there on the host asks here
// where: host_view() turns what the program gave into what we may touch, device_address() turns it back for whatever
// the program is shown. Both leave every other address as it is, so that they can be asked about any. Ordinarily the
// two are the same; with BELAY_OPAQUE=1 the program's addresses cannot be touched, and the bytes lie elsewhere.
namespace belay {

namespace device_memory_detail {
// The program's addresses of opaque memory. The views follow them, in the same order: each lies `bytes` further on.
struct Window {
  uintptr_t start = 0;
  uintptr_t bytes = 0;  // 0: device memory is ordinary memory
  bool asked = false;   // for opaque memory
};
extern Window window;  // set while the library is loaded, and never again
inline bool inside(const volatile void* address, uintptr_t start) {
  return reinterpret_cast<uintptr_t>(address) - start < window.bytes;
}
}  // namespace device_memory_detail

// Whether BELAY_OPAQUE=1 asks for memory that the program cannot touch. Read when the library is loaded.
inline bool opaque_mode() { return device_memory_detail::window.asked; }
// Says so, once, when BELAY_OPAQUE is something else that is not understood.
void check_opaque_variable();

// Whether the program holds this address of opaque memory.
inline bool is_opaque(const volatile void* address) {
  return device_memory_detail::inside(address, device_memory_detail::window.start);
}

// Where the host reads and writes the bytes at an address that the program gave: anywhere in a block, or host memory.
template <class T>
T* host_view(T* address) {
  const auto& window = device_memory_detail::window;
  if (!device_memory_detail::inside(address, window.start)) [[likely]]
    return address;
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(address) + window.bytes);
}

// The reverse: the program's address of the bytes at a view.
template <class T>
T* device_address(T* view) {
  const auto& window = device_memory_detail::window;
  if (!device_memory_detail::inside(view, window.start + window.bytes)) [[likely]]
    return view;
  return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(view) - window.bytes);
}

// The same on the program's addresses themselves. The bytes of a copy may overlap.
inline void copy_memory(void* to, const void* from, size_t bytes) {
  std::memmove(host_view(to), host_view(from), bytes);
}
inline void fill_memory(void* to, int value, size_t bytes) { std::memset(host_view(to), value, bytes); }
template <class T>
T read_memory(const void* from) {
  T value;
  std::memcpy(&value, host_view(from), sizeof value);
  return value;
}
template <class T>
void write_memory(void* to, const T& value) {
  std::memcpy(host_view(to), &value, sizeof value);
}

}  // namespace belay
