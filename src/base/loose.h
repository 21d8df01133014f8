// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay {

// Bytes that are copied as one, from and to any address: a program's views need not be aligned.
template <class T>
struct __attribute__((packed, may_alias)) Loose {
  T value;
};

}  // namespace belay
