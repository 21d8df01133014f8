// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay::backend {

// While one lives, kernels made by this thread pack real weights, or zeros that take no memory: these are for kernels that are
// made to see whether they would run, and never do. What runs inside of such a question has a scope of its own.
class PackingScope {
 public:
  explicit PackingScope(bool real);
  ~PackingScope();
  PackingScope(const PackingScope&) = delete;
  PackingScope& operator=(const PackingScope&) = delete;

 private:
  const bool before_;
};

}  // namespace belay::backend
