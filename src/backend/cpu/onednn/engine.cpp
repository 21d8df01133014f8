// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/engine.h"

#include "backend/cpu/broadcast.h"
#include "base/thread_object.h"

namespace belay::backend::cpu::onednn {
namespace {

using Tag = dnnl::memory::format_tag;
constexpr auto f32 = dnnl::memory::data_type::f32;

Tag tag_of(size_t rank, Layout layout) {
  switch (layout) {
    case Layout::Plain:
      return rank == 4 ? Tag::abcd : Tag::abcde;
    case Layout::ChannelsLast:
      return rank == 4 ? Tag::acdb : Tag::acdeb;
    case Layout::Blocked8:
      return rank == 4 ? Tag::aBcd8b : Tag::aBcde8b;
    case Layout::Blocked16:
      return rank == 4 ? Tag::aBcd16b : Tag::aBcde16b;
  }
  return Tag::abcd;
}

struct Own {
  dnnl::stream stream{engine()};  // of the thread
};

bool has_channels(const Shape& shape) { return shape.size() == 4 || shape.size() == 5; }

}  // namespace

const dnnl::engine& engine() {
  static const auto* one = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *one;
}

dnnl::stream& stream() { return thread_object<Own>().stream; }

Layout blocked_layout() {
  static const bool wide = [] {
    const auto isa = dnnl::get_effective_cpu_isa();
    return isa == dnnl::cpu_isa::avx512_core || isa > dnnl::cpu_isa::avx512_core;
  }();
  return wide ? Layout::Blocked16 : Layout::Blocked8;
}

Desc desc_of(const Shape& shape, Layout layout) {
  if (shape.empty()) return strided({1}, {1});
  if (!has_channels(shape)) return strided(shape, row_major_strides(shape));
  return Desc(shape, f32, tag_of(shape.size(), layout));
}

Desc strided(const Dims& dims, const Dims& strides) { return Desc(dims, f32, strides); }

Desc any_order(const Dims& dims) { return Desc(dims, f32, Tag::any); }

std::optional<Layout> layout_of(const Desc& desc, const Shape& shape) {
  for (const Layout layout : {Layout::Plain, Layout::Blocked16, Layout::Blocked8, Layout::ChannelsLast}) {
    if (desc == desc_of(shape, layout)) return layout;
    if (!has_channels(shape)) break;
  }
  return std::nullopt;
}

bool same_bytes(const Shape& shape, Layout a, Layout b) {
  if (a == b) return true;
  if (!has_channels(shape) || graph::element_count({shape.begin() + 2, shape.end()}) != 1) return false;
  return storage_bytes(DataType::Float, shape, a) == storage_bytes(DataType::Float, shape, b);
}

dnnl::primitive_attr with_scratch(const dnnl::post_ops& post) {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_post_ops(post);
  return attributes;
}

}  // namespace belay::backend::cpu::onednn
