// SPDX-License-Identifier: Apache-2.0
// Operators whose results are as long as the values of a tensor say: where it is not zero, its different values.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cpu/broadcast.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/order.h"
#include "backend/cpu/move/order_keys.h"
#include "backend/cpu/rows.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

// Indices of the elements that are not zero.
Result<std::vector<int64_t>> places_not_zero(const Tensor& x) {
  return with_type(AllTypes{}, x.type, [&]<class T>() -> Result<std::vector<int64_t>> {
    std::vector<int64_t> places;
    for (int64_t i = 0, count = x.count(); i < count; ++i)
      if (compute_t<T>(x.as<T>()[i]) != compute_t<T>(0)) places.push_back(i);
    return places;
  });
}

template <class I>
void write_coordinates(const std::vector<int64_t>& places, const Shape& shape, bool transpose, I* y) {
  const auto count = int64_t(places.size()), rank = int64_t(shape.size());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = places[size_t(i)];
    for (int64_t d = rank; d-- > 0; rest /= shape[size_t(d)])
      y[transpose ? d * count + i : i * rank + d] = I(rest % shape[size_t(d)]);
  }
}

MadeKernel make_coordinates(const KernelRequest& request) {
  const bool transpose = graph::flag_of(request.node, "transpose", false);
  const DataType type = request.outputs[0].type;
  if (type != DataType::Int32 && type != DataType::Int64) return refuse("the coordinates must be int32 or int64");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto places = TRY(places_not_zero(in[0]));
    const auto count = int64_t(places.size()), rank = int64_t(in[0].shape.size());
    out[0].shape = transpose ? Shape{rank, count} : Shape{count, rank};
    if (type == DataType::Int32)
      write_coordinates(places, in[0].shape, transpose, out[0].as<int32_t>());
    else
      write_coordinates(places, in[0].shape, transpose, out[0].as<int64_t>());
    return {};
  });
}

// The elements of x where the mask, broadcast together with it, is true.
MadeKernel make_masked_select(const KernelRequest& request) {
  const size_t bytes = TRY(element_bytes(request.inputs[0].type));
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const Shape shapes[] = {in[0].shape, in[1].shape};
    const Broadcast both(TRY(graph::broadcast(in[0].shape, in[1].shape)), shapes);
    int64_t taken = 0;
    walk_rows<2>(both, 0, both.count, [&](int64_t, const std::array<int64_t, 2>& at, int64_t length) {
      for (int64_t i = 0; i < length; ++i) {
        if (!in[1].as<Bool>()[at[1] + i * both.strides[1].back()]) continue;
        const int64_t from = at[0] + i * both.strides[0].back();
        std::memcpy(out[0].as<std::byte>() + size_t(taken++) * bytes, in[0].as<std::byte>() + size_t(from) * bytes,
                    bytes);
      }
    });
    out[0].shape = {taken};
    return {};
  });
}

// Slices of a tensor that are equal make a group.
struct Groups {
  std::vector<int64_t> first;    // slice that begins the group
  std::vector<int64_t> counts;   // of slices
  std::vector<int64_t> inverse;  // of each slice its group
};

// -1, 0 or 1 as slice a comes before b, equals it or comes after, element by element.
int compared(const Lanes& lanes, const std::vector<int64_t>& keys, int64_t a, int64_t b) {
  for (int64_t o = 0; o < lanes.outer; ++o)
    for (int64_t i = 0; i < lanes.inner; ++i) {
      const int64_t ka = keys[size_t((o * lanes.size + a) * lanes.inner + i)];
      const int64_t kb = keys[size_t((o * lanes.size + b) * lanes.inner + i)];
      if (ka != kb) return ka < kb ? -1 : 1;
    }
  return 0;
}

Groups grouped(const Lanes& lanes, bool sorted, const std::vector<int64_t>& keys) {
  std::vector<int64_t> order(size_t(lanes.size));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return compared(lanes, keys, a, b) < 0; });
  std::vector<std::vector<int64_t>> groups;
  for (const int64_t slice : order) {
    if (groups.empty() || compared(lanes, keys, groups.back().front(), slice) != 0) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (!sorted)
    std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.front() < b.front(); });
  Groups result;
  result.inverse.resize(order.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    result.first.push_back(groups[g].front());
    result.counts.push_back(int64_t(groups[g].size()));
    for (const int64_t slice : groups[g]) result.inverse[size_t(slice)] = int64_t(g);
  }
  return result;
}

void write_integers(const std::vector<int64_t>& values, Shape shape, Tensor& y) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (y.type == DataType::Int64)
      y.as<int64_t>()[i] = values[i];
    else
      y.as<int32_t>()[i] = int32_t(values[i]);
  }
  y.shape = std::move(shape);
}

// Writes the groups' slices into y and returns the groups. Axis -1: the tensor as one row of elements.
Result<Groups> write_unique(int axis, bool sorted, const Tensor& x, Tensor& y) {
  const Lanes lanes = axis < 0 ? Lanes{1, x.count(), 1} : lanes_of(x.shape, size_t(axis));
  const size_t bytes = TRY(element_bytes(x.type)), run = size_t(lanes.inner) * bytes;
  auto groups = grouped(lanes, sorted, TRY(order_keys(x)));
  const auto kept = int64_t(groups.first.size());
  for (int64_t o = 0; o < lanes.outer; ++o)
    for (int64_t g = 0; g < kept && run > 0; ++g)
      std::memcpy(y.as<std::byte>() + size_t(o * kept + g) * run,
                  x.as<std::byte>() + size_t(o * lanes.size + groups.first[size_t(g)]) * run, run);
  y.shape = axis < 0 ? Shape{lanes.size} : x.shape;
  y.shape[axis < 0 ? 0 : size_t(axis)] = kept;
  return groups;
}

Status check_integers(const KernelRequest& request) {
  for (const auto& output : request.outputs.subspan(1))
    if (output.type != DataType::Int32 && output.type != DataType::Int64)
      return refuse("places and counts must be int32 or int64");
  return {};
}

MadeKernel make_unique(const KernelRequest& request) {
  TRY(check_integers(request));
  const bool sorting = request.node.type == "UniqueWithCountsAndSorting";
  const bool sorted = sorting && graph::flag_of(request.node, "sorted", true);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const auto groups = TRY(write_unique(-1, sorted, in[0], out[0]));
    write_integers(groups.inverse, sorting ? in[0].shape : Shape{in[0].count()}, out[1]);
    if (out.size() > 2) write_integers(groups.counts, {int64_t(groups.counts.size())}, out[2]);
    return {};
  });
}

MadeKernel make_unique_along(const KernelRequest& request) {
  TRY(check_integers(request));
  const bool sorted = graph::flag_of(request.node, "sorted", false);
  return function_kernel([=, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    int axis = -1;
    if (in.size() > 1 && in[1].present && in[1].count() > 0) {
      const auto found = graph::axis_within(TRY(integer(in[1])), in[0].shape.size());
      if (!found) return failed(label, "axis is outside the tensor");
      axis = int(*found);
    }
    const auto groups = TRY(write_unique(axis, sorted, in[0], out[0]));
    const Shape kept{int64_t(groups.first.size())};
    write_integers(groups.first, kept, out[1]);
    write_integers(groups.counts, kept, out[2]);
    write_integers(groups.inverse, {int64_t(groups.inverse.size())}, out[3]);
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"NonZero", "reference", make_coordinates},
    {"Where", "reference", make_coordinates},
    {"MaskedSelect", "reference", make_masked_select},
    {"MaskedSelectV2", "reference", make_masked_select},
    {"Unique", "reference", make_unique},
    {"UniqueWithCounts", "reference", make_unique},
    {"UniqueWithCountsAndSorting", "reference", make_unique},
    {"UniqueWithCountsExt2", "reference", make_unique_along},
};

}  // namespace

std::span<const KernelRow> choose_rows() { return rows; }

}  // namespace belay::backend::cpu
