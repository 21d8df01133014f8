// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dnnl.hpp>
#include <optional>

#include "backend/cpu/onednn/one_thread.h"
#include "backend/kernel.h"

// What all oneDNN kernels share: the engine, and tensors described in its words.
namespace belay::backend::cpu::onednn {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

const dnnl::engine& engine();
// The calling thread's; primitives run on it at once, on that thread alone.
dnnl::stream& stream();

// Runs what makes a kernel; what oneDNN throws becomes a refusal.
template <class Make>
MadeKernel making(const Make& make) {
  const OneThread alone;
  try {
    return make();
  } catch (const dnnl::error& error) {
    return refuse(std::string("oneDNN: ") + error.what());
  }
}

// The blocked layout that this CPU's convolutions like.
Layout blocked_layout();
// A float tensor of a rank between 1 and 12; other layouts than Plain are for ranks 4 and 5.
Desc desc_of(const Shape& shape, Layout layout);
Desc strided(const Dims& dims, const Dims& strides);
Desc any_order(const Dims& dims);
// The layout that a desc of this shape has; none when we have no name for it.
std::optional<Layout> layout_of(const Desc& desc, const Shape& shape);
// Whether two layouts are the same bytes for this shape.
bool same_bytes(const Shape& shape, Layout a, Layout b);

// Attributes with which a primitive takes its scratch memory from us.
dnnl::primitive_attr with_scratch(const dnnl::post_ops& post = {});

}  // namespace belay::backend::cpu::onednn
