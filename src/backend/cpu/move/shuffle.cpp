// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/move/shuffle.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/move/strided_copy.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t grain = 1 << 15;  // elements that are worth a thread

using Quad __attribute__((vector_size(16))) = uint32_t;

// y[2 i] = a[i], y[2 i + 1] = b[i].
void interleave(const uint32_t* a, const uint32_t* b, uint32_t* y, int64_t count) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    Quad left, right;
    std::memcpy(&left, a + i, sizeof left);
    std::memcpy(&right, b + i, sizeof right);
    const Quad low = __builtin_shufflevector(left, right, 0, 4, 1, 5),
               high = __builtin_shufflevector(left, right, 2, 6, 3, 7);
    std::memcpy(y + 2 * i, &low, sizeof low);
    std::memcpy(y + 2 * i + 4, &high, sizeof high);
  }
  for (; i < count; ++i) y[2 * i] = a[i], y[2 * i + 1] = b[i];
}

class Shuffle : public Kernel {
 public:
  Shuffle(Layout layout, int64_t group, size_t bytes) : layout_(layout), group_(group), bytes_(bytes) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const Shape& shape = inputs[0].shape;
    const int64_t channels = shape[1], each = channels / group_, places = product(shape, 2, shape.size());
    if (inputs[0].count() == 0) return {};
    if (layout_ == Layout::Plain) {
      copy_strided(bytes_, {shape[0], each, group_, places}, outputs[0].data,
                   {channels * places, group_ * places, places, 1}, inputs[0].data,
                   {channels * places, places, each * places, 1});
    } else if (group_ == 2 && bytes_ == sizeof(uint32_t)) {
      interleave_halves(inputs[0].as<uint32_t>(), outputs[0].as<uint32_t>(), shape[0] * places, each);
    } else {
      copy_strided(bytes_, {shape[0] * places, each, group_}, outputs[0].data, {channels, group_, 1}, inputs[0].data,
                   {channels, 1, each});
    }
    return {};
  }
  Layout wants(size_t) const override { return layout_; }
  Layout gives(size_t) const override { return layout_; }

 private:
  static void interleave_halves(const uint32_t* x, uint32_t* y, int64_t places, int64_t each) {
    parallel_for(places, std::max<int64_t>(1, grain / (2 * each)), [&](int64_t begin, int64_t end) {
      for (int64_t place = begin; place < end; ++place) {
        const uint32_t* from = x + 2 * place * each;
        interleave(from, from + each, y + 2 * place * each, each);
      }
    });
  }

  const Layout layout_;
  const int64_t group_;
  const size_t bytes_;
};

}  // namespace

MadeKernel make_channel_shuffle(const KernelRequest& request) {
  const Shape& x = request.inputs[0].shape;
  const int64_t group = graph::int_of(request.node, "group", 1);
  if (x.size() < 2) return refuse("x must have two dimensions or more");
  if (group < 1 || x[1] % group != 0) return refuse(formatted("group {} does not divide {} channels", group, x[1]));
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return std::unique_ptr<Kernel>(std::make_unique<Shuffle>(request.input_layouts[0], group, bytes));
}

}  // namespace belay::backend::cpu
