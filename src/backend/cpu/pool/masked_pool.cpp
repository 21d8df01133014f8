// SPDX-License-Identifier: Apache-2.0
// MaxPool2dWithMask and its gradient. What lies between them is a buffer that only they read: here the place of each
// maximum in its plane, as INT32 at the front; of a window of one element none is kept.
#include <cmath>
#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/convert_element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

struct Pool {
  int64_t planes, in[2], out[2], kernel[2], stride[2], padding[2];

  int64_t size() const { return in[0] * in[1]; }
  int64_t places() const { return out[0] * out[1]; }
  bool keeps_places() const { return kernel[0] * kernel[1] > 1; }
  int64_t buffer() const { return planes * kernel[0] * kernel[1] * ((places() + 15) / 16 + 1) * 32; }

  static Result<Pool> of(const WholeCall& call, const Shape& x) {
    if (x.size() != 3 && x.size() != 4) return refuse("self must have 3 or 4 dimensions");
    Pool made{product(x, 0, x.size() - 2), {x.end()[-2], x.back()}, {}, {}, {}, {}};
    const auto kernel = call.ints("kernel"), stride = call.ints("stride"), padding = call.ints("padding");
    for (const int64_t dilation : call.ints("dilation"))
      if (dilation != 1) return refuse("dilation must be 1");
    if (kernel.empty() || kernel.size() > 2 || stride.size() > 2 || padding.size() > 2)
      return refuse("kernelSize, stride and padding must have 1 or 2 elements");
    const auto number = [](const std::vector<int64_t>& list, size_t i, int64_t otherwise) {
      return list.empty() ? otherwise : list[std::min(i, list.size() - 1)];
    };
    for (size_t i = 0; i < 2; ++i) {
      made.kernel[i] = number(kernel, i, 1), made.stride[i] = number(stride, i, made.kernel[i]);
      made.padding[i] = number(padding, i, 0);
      if (made.kernel[i] < 1 || made.stride[i] < 1 || made.padding[i] < 0 || 2 * made.padding[i] > made.kernel[i])
        return refuse("kernelSize and stride must be above 0, padding at most half of the kernel");
      const int64_t room = made.in[i] + 2 * made.padding[i] - made.kernel[i];
      if (room < 0) return refuse("the kernel is larger than the image");
      made.out[i] = room / made.stride[i] + 1;
      if (call.flag("ceil") && room % made.stride[i] != 0 &&
          made.out[i] * made.stride[i] < made.in[i] + made.padding[i])
        ++made.out[i];
    }
    return made;
  }
};

Status check_buffer(const graph::TensorInfo& info, const Pool& pool) {
  if (info.type == DataType::Int8 && graph::element_count(info.shape) == pool.buffer()) return {};
  return refuse(formatted("indices are {} {}; they must be INT8 with {} elements", graph::name_of(info.type),
                          graph::to_text(info.shape), pool.buffer()));
}

MadeKernel make_pool(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(0), &y = call.result(0);
  const Pool pool = TRY(Pool::of(call, x.shape));
  TRY(check_buffer(call.result(1), pool));
  if (y.type != x.type || graph::element_count(y.shape) != pool.planes * pool.places() || y.shape.size() < 2 ||
      y.shape.end()[-2] != pool.out[0])
    return refuse(
        formatted("out has shape {}; its planes must be [{},{}]", graph::to_text(y.shape), pool.out[0], pool.out[1]));
  return with_type(FloatTypes{}, x.type, [&]<class T>() -> MadeKernel {
    return function_kernel([pool](Inputs in, Outputs out) -> Status {
      std::memset(out[1].data, 0, out[1].bytes());
      parallel_for(pool.planes, 1, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p)
          for (int64_t o = 0; o < pool.places(); ++o) {
            const int64_t top = o / pool.out[1] * pool.stride[0] - pool.padding[0],
                          left = o % pool.out[1] * pool.stride[1] - pool.padding[1];
            int64_t best = -1;
            float most = 0;
            for (int64_t r = std::max<int64_t>(top, 0); r < std::min(top + pool.kernel[0], pool.in[0]); ++r)
              for (int64_t c = std::max<int64_t>(left, 0); c < std::min(left + pool.kernel[1], pool.in[1]); ++c) {
                const auto value =
                    static_cast<float>(compute_t<T>(in[0].as<T>()[p * pool.size() + r * pool.in[1] + c]));
                if (best < 0 || value > most || (std::isnan(value) && !std::isnan(most)))
                  best = r * pool.in[1] + c, most = value;
              }
            const int64_t at = p * pool.places() + o;
            out[0].as<T>()[at] = in[0].as<T>()[p * pool.size() + best];
            if (pool.keeps_places()) out[1].as<int32_t>()[at] = static_cast<int32_t>(best);
          }
      });
      return {};
    });
  });
}

MadeKernel make_pool_grad(const KernelRequest& request) {
  const WholeCall call(request);
  const int grad = call.even_empty("grad"), x = call.even_empty("x"), indices = call.even_empty("indices");
  const auto &info = call.info(x), &g = call.info(grad), &y = call.result(0);
  const Pool pool = TRY(Pool::of(call, info.shape));
  TRY(check_buffer(call.info(indices), pool));
  if (graph::element_count(g.shape) != pool.planes * pool.places() || y.shape != info.shape || y.type != g.type)
    return refuse(formatted("gradOutput {}, self {} and gradInput {} do not fit", graph::to_text(g.shape),
                            graph::to_text(info.shape), graph::to_text(y.shape)));
  return with_type(FloatTypes{}, g.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      std::vector<double> made(static_cast<size_t>(pool.size()));
      for (int64_t p = 0; p < pool.planes; ++p) {
        std::ranges::fill(made, 0.0);
        for (int64_t o = 0; o < pool.places(); ++o) {
          const int64_t at = p * pool.places() + o;
          const int64_t own = o / pool.out[1] * pool.stride[0] * pool.in[1] + o % pool.out[1] * pool.stride[1];
          const int64_t place = pool.keeps_places() ? in[static_cast<size_t>(indices)].as<int32_t>()[at] : own;
          if (place < 0 || place >= pool.size())
            return failed("MaxPool2dWithMaskBackward", "indices were not made by MaxPool2dWithMask of this image");
          made[static_cast<size_t>(place)] +=
              static_cast<double>(compute_t<T>(in[static_cast<size_t>(grad)].as<T>()[at]));
        }
        for (size_t i = 0; i < made.size(); ++i)
          out[0].as<T>()[p * pool.size() + static_cast<int64_t>(i)] = convert_element<T>(made[i]);
      }
      return {};
    });
  });
}

constexpr KernelRow rows[] = {
    {"AclnnMaskedPool", "reference", make_pool},
    {"AclnnMaskedPoolGrad", "reference", make_pool_grad},
};

}  // namespace

std::span<const KernelRow> masked_pool_rows() { return rows; }

}  // namespace belay::backend::cpu
