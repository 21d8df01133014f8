// SPDX-License-Identifier: Apache-2.0
// Operators that put elements in order of size.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/move/order.h"
#include "backend/cpu/move/order_keys.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/simd/find_beyond.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

void write_place(const Tensor& places, int64_t to, int64_t place) {
  if (places.type == DataType::Int64)
    places.as<int64_t>()[to] = place;
  else
    places.as<int32_t>()[to] = static_cast<int32_t>(place);
}

// Calls f(first element, first element of the result) for all lanes; make_f() makes an f for each thread.
template <class MakeF>
void for_lanes(const Lanes& lanes, int64_t kept, const MakeF& make_f) {
  parallel_for(lanes.outer * lanes.inner, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, lanes.size)),
               [&](int64_t begin, int64_t end) {
                 auto f = make_f();
                 for (int64_t l = begin; l < end; ++l) {
                   const int64_t o = l / lanes.inner, i = l % lanes.inner;
                   f(o * lanes.size * lanes.inner + i, o * kept * lanes.inner + i);
                 }
               });
}

constexpr int64_t very_few = 8, few = 64;  // entries that are kept in order while others come

// Puts an entry among those that are in order; the last of them drops out.
void insert(std::span<int64_t> best, int64_t entry) {
  size_t at = best.size() - 1;
  for (; at > 0 && best[at - 1] > entry; --at) best[at] = best[at - 1];
  best[at] = entry;
}

// The first `kept` of the entries come to the front, in order.
void order_entries(std::vector<int64_t>& entries, int64_t kept) {
  const auto count = static_cast<int64_t>(entries.size());
  if (kept == 0) return;
  if (kept * 8 >= count && kept > very_few) {
    if (kept < count) std::nth_element(entries.begin(), entries.begin() + kept, entries.end());
    std::sort(entries.begin(), entries.begin() + kept);
    return;
  }
  // Few of many: nearly all are beyond the last of those that are kept, and cost one comparison.
  const auto best = std::span(entries).first(static_cast<size_t>(kept));
  if (kept <= few) {
    std::ranges::sort(best);
    for (int64_t j = kept; j < count; ++j)
      if (const int64_t entry = entries[static_cast<size_t>(j)]; entry < best.back()) insert(best, entry);
    return;
  }
  std::ranges::make_heap(best);
  for (int64_t j = kept; j < count; ++j) {
    const int64_t entry = entries[static_cast<size_t>(j)];
    if (entry >= best.front()) continue;
    std::ranges::pop_heap(best);
    best.back() = entry;
    std::ranges::push_heap(best);
  }
  std::ranges::sort_heap(best);
}

// An element of up to 32 bits as its key with the place behind it: of equal ones the first comes first.
template <class T>
int64_t entry_of(T element, int64_t place, bool downwards) {
  const int32_t turn = downwards ? -1 : 0;  // inverts all bits, and with them the order
  return (int64_t{narrow_order_key(element) ^ turn} * (int64_t{1} << 32)) | place;
}
int64_t place_of(int64_t entry) { return entry & 0xffffffff; }

// The first of a lane of floats, of which `best` has room for few: whatever is not better than the last of those found
// so far is passed by many at a time.
void find_best(std::span<const float> lane, bool downwards, std::span<int64_t> best) {
  size_t at = 0;
  for (; at < best.size(); ++at) best[at] = entry_of(lane[at], static_cast<int64_t>(at), downwards);
  std::ranges::sort(best);
  for (;; ++at) {
    const float last = lane[static_cast<size_t>(place_of(best.back()))];
    if (downwards && std::isnan(last)) return;  // nothing is larger
    at += find_beyond(downwards, lane.data() + at, lane.size() - at, last);
    if (at == lane.size()) return;
    if (const int64_t entry = entry_of(lane[at], static_cast<int64_t>(at), downwards); entry < best.back())
      insert(best, entry);
  }
}

void order_floats(const Lanes& lanes, int64_t kept, bool downwards, const float* x, float* values,
                  const Tensor& places) {
  for_lanes(lanes, kept, [&] {
    return [&, copy = std::vector<float>(lanes.inner > 1 ? static_cast<size_t>(lanes.size) : 0),
            best = std::vector<int64_t>(static_cast<size_t>(kept))](int64_t from, int64_t to) mutable {
      for (size_t j = 0; j < copy.size(); ++j) copy[j] = x[from + static_cast<int64_t>(j) * lanes.inner];
      const float* lane = copy.empty() ? x + from : copy.data();
      find_best({lane, static_cast<size_t>(lanes.size)}, downwards, best);
      for (const int64_t entry : best) {
        values[to] = lane[place_of(entry)];
        write_place(places, to, place_of(entry));
        to += lanes.inner;
      }
    };
  });
}

template <class T>
void order_narrow(const Lanes& lanes, int64_t kept, bool downwards, const T* x, T* values, const Tensor& places) {
  if constexpr (std::is_same_v<T, float>)
    if (kept > 0 && kept <= few && kept * 8 < lanes.size)
      return order_floats(lanes, kept, downwards, x, values, places);
  for_lanes(lanes, kept, [&] {
    return [&, entries = std::vector<int64_t>(static_cast<size_t>(lanes.size))](int64_t from, int64_t to) mutable {
      for (int64_t j = 0; j < lanes.size; ++j)
        entries[static_cast<size_t>(j)] = entry_of(x[from + j * lanes.inner], j, downwards);
      order_entries(entries, kept);
      for (int64_t j = 0; j < kept; ++j, to += lanes.inner) {
        const int64_t place = place_of(entries[static_cast<size_t>(j)]);
        values[to] = x[from + place * lanes.inner];
        write_place(places, to, place);
      }
    };
  });
}

// All others, by keys of 64 bits.
template <class T>
Status order_wide(const Lanes& lanes, int64_t kept, bool downwards, const Tensor& x, T* values, const Tensor& places) {
  const auto keys = TRY(order_keys(x));
  for_lanes(lanes, kept, [&] {
    return [&, order = std::vector<int32_t>(static_cast<size_t>(lanes.size))](int64_t from, int64_t to) mutable {
      std::iota(order.begin(), order.end(), 0);
      const int64_t* lane = keys.data() + from;
      const auto earlier = [&](int32_t a, int32_t b) {
        const int64_t ka = lane[a * lanes.inner], kb = lane[b * lanes.inner];
        return ka == kb ? a < b : downwards ? kb < ka : ka < kb;
      };
      if (kept * 8 < lanes.size)
        std::partial_sort(order.begin(), order.begin() + kept, order.end(), earlier);
      else
        std::sort(order.begin(), order.end(), earlier);
      for (int64_t j = 0; j < kept; ++j, to += lanes.inner) {
        values[to] = x.as<T>()[from + order[static_cast<size_t>(j)] * lanes.inner];
        write_place(places, to, order[static_cast<size_t>(j)]);
      }
    };
  });
  return {};
}

// The first `kept` of each lane in order. Output 1 has their places.
Status order_into(size_t axis, int64_t kept, bool downwards, const Tensor& x, Tensor& values, Tensor& places) {
  const Lanes lanes = lanes_of(x.shape, axis);
  return with_type(AllTypes{}, x.type, [&]<class T>() -> Status {
    if constexpr (sizeof(T) <= sizeof(int32_t))
      return order_narrow(lanes, kept, downwards, x.as<T>(), values.as<T>(), places), Status{};
    else
      return order_wide(lanes, kept, downwards, x, values.as<T>(), places);
  });
}

Status check_places(const KernelRequest& request, size_t axis) {
  const DataType type = request.outputs[1].type;
  if (type != DataType::Int32 && type != DataType::Int64) return refuse("the places must be int32 or int64");
  if (request.inputs[0].shape[axis] > INT32_MAX) return refuse("the dimension is too long");
  return {};
}

MadeKernel make_top_k(const KernelRequest& request) {
  const auto axis = graph::axis_within(graph::int_of(request.node, "dim", -1), request.inputs[0].shape.size());
  if (!axis) return refuse("dim is outside the tensor");
  TRY(check_places(request, *axis));
  const bool largest = graph::flag_of(request.node, "largest", true);
  return function_kernel([=, axis = *axis, label = label_of(request.node)](Inputs in, Outputs out) -> Status {
    const int64_t kept = out[0].shape[axis];
    if (kept > in[0].shape[axis])
      return failed(label, formatted("k is {}, the dimension has {} elements", kept, in[0].shape[axis]));
    return order_into(axis, kept, largest, in[0], out[0], out[1]);
  });
}

MadeKernel make_sort(const KernelRequest& request) {
  const auto axis = graph::axis_within(graph::int_of(request.node, "axis", -1), request.inputs[0].shape.size());
  if (!axis) return refuse("axis is outside the tensor");
  TRY(check_places(request, *axis));
  const bool downwards = graph::flag_of(request.node, "descending", false);
  return function_kernel([=, axis = *axis](Inputs in, Outputs out) -> Status {
    return order_into(axis, in[0].shape[axis], downwards, in[0], out[0], out[1]);
  });
}

// Where each value would go into its row of the sorted sequence.
MadeKernel make_search_sorted(const KernelRequest& request) {
  const Shape &sequence = request.inputs[0].shape, &values = request.inputs[1].shape;
  if (request.inputs.size() > 2 && request.inputs[2].present) return refuse("a sorter is not supported");
  if (sequence.empty()) return refuse("sorted_sequence must have a dimension");
  if (request.inputs[0].type != request.inputs[1].type) return refuse("sorted_sequence and values differ in type");
  const bool shared = sequence.size() == 1;
  if (!shared &&
      (sequence.size() != values.size() || !std::equal(sequence.begin(), sequence.end() - 1, values.begin())))
    return refuse("sorted_sequence and values differ before the last dimension");
  const bool right = graph::flag_of(request.node, "right", false);
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    const int64_t length = in[0].shape.back(), per_row = shared ? in[1].count() : in[1].shape.back();
    const auto sequences = TRY(order_keys(in[0])), wanted = TRY(order_keys(in[1]));
    for (int64_t i = 0, count = in[1].count(); i < count; ++i) {
      const auto row = sequences.begin() + i / std::max<int64_t>(1, per_row) * length;
      const int64_t key = wanted[size_t(i)];
      const auto found = right ? std::upper_bound(row, row + length, key) : std::lower_bound(row, row + length, key);
      if (out[0].type == DataType::Int64)
        out[0].as<int64_t>()[i] = found - row;
      else
        out[0].as<int32_t>()[i] = int32_t(found - row);
    }
    return {};
  });
}

constexpr KernelRow rows[] = {
    {"TopK", "reference", make_top_k},    {"TopKV2", "reference", make_top_k},
    {"TopKV2D", "reference", make_top_k}, {"TopKD", "reference", make_top_k},
    {"Sort", "reference", make_sort},     {"SearchSorted", "reference", make_search_sorted},
};

}  // namespace

std::span<const KernelRow> order_rows() { return rows; }

}  // namespace belay::backend::cpu
