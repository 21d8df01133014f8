// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/infer/infer.h"
#include "graph/model/graph.h"

namespace belay::backend {

using graph::DataType;
using graph::Shape;

// The order of a tensor's elements in memory. Plain is row-major in the order of the shape; ChannelsLast is for tensors
// of rank 4 or 5 and has dimension 1, the channels, innermost.
enum class Layout : uint8_t { Plain, ChannelsLast };

// A tensor that a kernel reads or writes. It borrows everything.
struct Tensor {
  DataType type = DataType::Undefined;
  Shape shape;  // a kernel with data-dependent results sets the real one here
  Layout layout = Layout::Plain;
  void* data = nullptr;
  bool present = true;  // false: an optional input that is not connected

  int64_t count() const { return graph::element_count(shape); }
  size_t bytes() const { return graph::bytes_of(type, count()); }  // the same in every layout
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
};

// What a kernel is made for. Shapes are exact: a node of a dynamic-shape model gets a kernel when its shapes are known.
struct KernelRequest {
  const graph::Node& node;
  std::span<const graph::TensorInfo> inputs;  // with values only where they are constants of the model
  std::span<const graph::TensorInfo> outputs;
  std::span<const Layout> input_layouts;  // what the producers would give
  int threads = 1;
};

// One node made ready to run: shapes checked, weights packed and scratch sized when it was made. Used by one thread at
// a time.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) = 0;

  // The layout in which an input must come; the executor changes it when the producer gives another.
  virtual Layout wants(size_t) const { return Layout::Plain; }
  virtual Layout gives(size_t) const { return Layout::Plain; }
  // Whether output `o` may take over the memory of input `i`: run then reads an element of it before it writes there.
  virtual bool in_place(size_t /*o*/, size_t /*i*/) const { return false; }
  // The input whose bytes output `o` repeats, -1: none. The executor may give both one memory; run then has nothing to
  // do.
  virtual int alias_of(size_t /*o*/) const { return -1; }
  // Whether a constant input was packed at make time, so that run never reads it.
  virtual bool packed(size_t) const { return false; }
  // Scratch bytes that run needs, given through set_scratch before it.
  virtual size_t scratch_bytes() const { return 0; }
  virtual void set_scratch(void*) {}
};

using MadeKernel = Result<std::unique_ptr<Kernel>>;

// A way to run an operator. make() may refuse with a reason; the next row is then tried. Reference rows come last.
struct KernelRow {
  std::string_view op, how;  // "Conv2D", "panels"; "fused..." are for nodes with members, and only for them
  MadeKernel (*make)(const KernelRequest& request);
};

// Why a kernel cannot be made or run: an error for make() and run() to return.
Status refuse(std::string why);

// The rows of all families in order of preference: cpu/rows.cpp lists the families.
std::span<const KernelRow> kernel_rows();
// The first row that accepts; the error gathers the reasons of all that refused. `only` restricts to one `how` (""
// any).
MadeKernel make_kernel(const KernelRequest& request, std::string_view only = "");

}  // namespace belay::backend
