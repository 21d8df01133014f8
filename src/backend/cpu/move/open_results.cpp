// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls whose results have a size that only their values tell: MaskedSelect, Nonzero, Unique and its
// relatives. What comes out lies at the front, and the output's shape says how much. Also RepeatInterleave, where the
// caller says it.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

// The place in a tensor that broadcasts, of element i of a shape.
int64_t broadcast_place(const Shape& from, const Shape& shape, int64_t i) {
  int64_t at = 0, step = 1;
  const size_t missing = shape.size() - from.size();
  for (size_t d = shape.size(); d-- > missing; i /= shape[d]) {
    const int64_t size = from[d - missing];
    if (size > 1) at += i % shape[d] * step;
    step *= size;
  }
  return at;
}

MadeKernel make_masked_select(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x"), mask = call.even_empty("mask");
  const auto &info = call.info(x), &choice = call.info(mask), &y = call.result(0);
  if (choice.type != DataType::Bool && choice.type != DataType::UInt8) return refuse("mask must be BOOL or UINT8");
  const auto both = graph::broadcast(info.shape, choice.shape);
  if (!both.ok()) return refuse(both.status().message);
  const Shape shape = *both, own = info.shape, other = choice.shape;
  const int64_t count = graph::element_count(shape);
  if (y.type != info.type || y.shape.size() != 1 || y.shape[0] < count)
    return refuse(formatted("out is {} {}; it must be {} with room for {} elements in one dimension",
                            graph::name_of(y.type), graph::to_text(y.shape), graph::name_of(info.type), count));
  const size_t bytes = TRY(element_bytes(info.type));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    int64_t made = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (in[static_cast<size_t>(mask)].as<uint8_t>()[broadcast_place(other, shape, i)] == 0) continue;
      std::memcpy(
          out[0].as<std::byte>() + static_cast<size_t>(made++) * bytes,
          in[static_cast<size_t>(x)].as<std::byte>() + static_cast<size_t>(broadcast_place(own, shape, i)) * bytes,
          bytes);
    }
    out[0].shape = {made};
    return {};
  });
}

// The places of what is not 0: a row for each, or with `turned` a column.
MadeKernel make_nonzero(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &info = call.info(call.even_empty("x")), &y = call.result(0);
  const Shape shape = info.shape;
  const int64_t count = graph::element_count(shape);
  const auto rank = static_cast<int64_t>(shape.size());
  const bool turned = call.flag("turned");
  if (y.type != DataType::Int64 || y.shape.size() != 2 || y.shape[turned ? 0 : 1] != rank ||
      y.shape[turned ? 1 : 0] < count)
    return refuse(formatted("out is {} {}; it must be INT64 [{},{}]", graph::name_of(y.type), graph::to_text(y.shape),
                            turned ? rank : count, turned ? count : rank));
  return with_type(AllTypes{}, info.type, [&]<class T>() -> MadeKernel {
    return function_kernel([=](Inputs in, Outputs out) -> Status {
      std::vector<int64_t> found;
      for (int64_t i = 0; i < count; ++i)
        if (compute_t<T>(in[0].as<T>()[i]) != compute_t<T>(0)) found.push_back(i);
      const auto n = static_cast<int64_t>(found.size());
      for (int64_t k = 0; k < n; ++k) {
        int64_t rest = found[static_cast<size_t>(k)];
        for (int64_t d = rank; d-- > 0; rest /= shape[static_cast<size_t>(d)])
          out[0].as<int64_t>()[turned ? d * n + k : k * rank + d] = rest % shape[static_cast<size_t>(d)];
      }
      out[0].shape = turned ? Shape{rank, n} : Shape{n, rank};
      return {};
    });
  });
}

// Slices along a dimension, or single elements, that are compared from the first on.
struct Items {
  int64_t outer = 1, count = 0, inner = 1;
  int64_t width() const { return outer * inner; }
  int64_t place(int64_t item, int64_t i) const { return (i / inner * count + item) * inner + i % inner; }

  template <class T>
  int order(const T* x, int64_t a, int64_t b) const {
    for (int64_t i = 0; i < width(); ++i) {
      const auto p = compute_t<T>(x[place(a, i)]), q = compute_t<T>(x[place(b, i)]);
      if (p < q) return -1;
      if (q < p) return 1;
      if constexpr (is_float<T>) {  // NaN is the largest, and unlike all others
        if (std::isnan(p) != std::isnan(q)) return std::isnan(p) ? 1 : -1;
        if (std::isnan(p) && a != b) return a < b ? -1 : 1;
      }
    }
    return 0;
  }
};

struct Unique {
  Items items;
  Shape shape;
  int64_t dim;  // -1: of single elements
  bool consecutive;
  int values, inverse, counts;

  template <class T>
  void run(const Tensor& x, Outputs out) const {
    std::vector<int64_t> order(static_cast<size_t>(items.count)), first, size, place(order.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    const T* from = x.as<T>();
    if (!consecutive)
      std::ranges::stable_sort(order, [&](int64_t a, int64_t b) { return items.order(from, a, b) < 0; });
    for (size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || items.order(from, order[i - 1], order[i]) != 0) first.push_back(order[i]), size.push_back(0);
      ++size.back();
      place[static_cast<size_t>(order[i])] = static_cast<int64_t>(first.size()) - 1;
    }
    const auto n = static_cast<int64_t>(first.size());
    const Items made{items.outer, n, items.inner};
    Tensor& y = out[static_cast<size_t>(values)];
    for (int64_t k = 0; k < n; ++k)
      for (int64_t i = 0; i < items.width(); ++i)
        y.as<T>()[made.place(k, i)] = from[items.place(first[static_cast<size_t>(k)], i)];
    y.shape = dim < 0 ? Shape{n} : shape;
    if (dim >= 0) y.shape[static_cast<size_t>(dim)] = n;
    if (inverse >= 0) std::ranges::copy(place, out[static_cast<size_t>(inverse)].as<int64_t>());
    if (counts < 0) return;
    std::ranges::copy(size, out[static_cast<size_t>(counts)].as<int64_t>());
    out[static_cast<size_t>(counts)].shape = {n};
  }
};

MadeKernel make_unique(const KernelRequest& request) {
  const WholeCall call(request);
  const auto& x = call.info(call.even_empty("x"));
  Unique op{{1, graph::element_count(x.shape), 1}, x.shape, -1, call.flag("consecutive"), call.output(0), -1, -1};
  if (call.integer("tells_inverse", 1)) op.inverse = call.output(1);
  if (call.integer("tells_counts", 1)) op.counts = call.output(2);
  const auto rank = static_cast<int64_t>(x.shape.size());
  if (const int64_t dim = call.integer("dim", 1000); dim != 1000) {  // 1000: no dimension, as the documents have it
    if (dim < -rank || dim >= rank) return refuse(formatted("dim is {}; self has {} dimensions", dim, rank));
    op.dim = dim < 0 ? dim + rank : dim;
    const auto d = static_cast<size_t>(op.dim);
    op.items = {product(x.shape, 0, d), x.shape[d], product(x.shape, d + 1, x.shape.size())};
  }
  const auto& y = call.result(op.values);
  if (y.type != x.type || graph::element_count(y.shape) < graph::element_count(x.shape))
    return refuse(formatted("valueOut is {} {}; it must be {} with room for {} elements", graph::name_of(y.type),
                            graph::to_text(y.shape), graph::name_of(x.type), graph::element_count(x.shape)));
  for (const auto& [output, name] : {std::pair{op.inverse, "inverseOut"}, {op.counts, "countsOut"}})
    if (output >= 0 && (call.result(output).type != DataType::Int64 ||
                        graph::element_count(call.result(output).shape) < op.items.count))
      return refuse(formatted("{} must be INT64 with room for {} elements", name, op.items.count));
  return with_type(AllTypes{}, x.type, [&]<class T>() -> MadeKernel {
    return function_kernel([op](Inputs in, Outputs out) -> Status {
      op.run<T>(in[0], out);
      return {};
    });
  });
}

// Each slice as often as its number says; one number stands for all.
MadeKernel make_repeat_each(const KernelRequest& request) {
  const WholeCall call(request);
  const int x = call.even_empty("x"), repeats = call.even_empty("repeats");
  const auto &info = call.info(x), &y = call.result(0), &times = call.info(repeats);
  const auto rank = static_cast<int64_t>(info.shape.size());
  Items items{1, graph::element_count(info.shape), 1};
  Shape wanted{call.integer("size")};
  if (call.has("dim")) {
    int64_t dim = call.integer("dim");
    if (dim < -rank || dim >= rank) return refuse(formatted("dim is {}; self has {} dimensions", dim, rank));
    if (dim < 0) dim += rank;
    const auto d = static_cast<size_t>(dim);
    items = {product(info.shape, 0, d), info.shape[d], product(info.shape, d + 1, info.shape.size())};
    wanted = info.shape;
    wanted[d] = call.integer("size");
  }
  if (y.type != info.type || y.shape != wanted)
    return refuse(formatted("out is {} {}; outputSize makes it {} {}", graph::name_of(y.type), graph::to_text(y.shape),
                            graph::name_of(info.type), graph::to_text(wanted)));
  const int64_t given = graph::element_count(times.shape);
  if (given != 1 && given != items.count)
    return refuse(formatted("repeats has {} elements, self {} slices", given, items.count));
  const size_t bytes = TRY(element_bytes(info.type));
  const int64_t size = call.integer("size");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto numbers = TRY(integers(in[static_cast<size_t>(repeats)]));
    std::vector<int64_t> from;
    for (int64_t i = 0; i < items.count; ++i) {
      const int64_t n = numbers[given == 1 ? 0 : static_cast<size_t>(i)];
      if (n < 0 || n > size - static_cast<int64_t>(from.size()))
        return failed("RepeatInterleave", formatted("outputSize is {}; the repeats do not add up to it", size));
      from.insert(from.end(), static_cast<size_t>(n), i);
    }
    if (static_cast<int64_t>(from.size()) != size)
      return failed("RepeatInterleave", formatted("outputSize is {}; the repeats add up to {}", size, from.size()));
    const size_t run = static_cast<size_t>(items.inner) * bytes;
    for (int64_t o = 0; o < items.outer; ++o)
      for (int64_t k = 0; k < size; ++k)
        std::memcpy(out[0].as<std::byte>() + static_cast<size_t>(o * size + k) * run,
                    in[static_cast<size_t>(x)].as<std::byte>() +
                        static_cast<size_t>(o * items.count + from[static_cast<size_t>(k)]) * run,
                    run);
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"AclnnMaskedSelect", "reference", make_masked_select},
    {"AclnnNonzero", "reference", make_nonzero},
    {"AclnnRepeatEach", "reference", make_repeat_each},
    {"AclnnUnique", "reference", make_unique},
};

}  // namespace

std::span<const KernelRow> open_result_rows() { return rows; }

}  // namespace belay::backend::cpu
