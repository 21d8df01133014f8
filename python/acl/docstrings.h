// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace belay::python {

// What help() says of a function; made from functions.tsv.
struct Docstring {
  std::string_view name;  // "acl.rt.malloc"
  const char* text;
};
extern const Docstring kDocstrings[];  // sorted by name
extern const size_t kDocstringCount;

}  // namespace belay::python
