// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace belay {

// The calling thread's T, made at its first use and destroyed when the thread ends. Destructors of globals run on the
// main thread after that; they get a fresh one, which is left to the system. Take a T of an unnamed namespace: others
// with the same T would share it.
template <class T>
T& thread_object() {
  thread_local T* mine = nullptr;
  struct Owner {
    T** slot;
    ~Owner() { delete std::exchange(*slot, nullptr); }
  };
  if (!mine) mine = new T;
  thread_local const Owner owner{&mine};
  return *mine;
}

}  // namespace belay
