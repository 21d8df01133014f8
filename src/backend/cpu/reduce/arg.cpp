// SPDX-License-Identifier: Apache-2.0
// Where the largest or smallest element of an axis is.
#include "backend/cpu/arguments.h"
#include "backend/cpu/axes_split.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/rows.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {

namespace {

// The first of equals; a NaN before anything else.
template <class T, bool largest>
int64_t find_best(const T* base, const std::vector<int64_t>& members) {
  int64_t where = 0;
  for (size_t i = 1; i < members.size(); ++i) {
    const compute_t<T> value = base[members[i]], best = base[members[static_cast<size_t>(where)]];
    if (best != best) break;
    if ((largest ? value > best : value < best) || value != value) where = static_cast<int64_t>(i);
  }
  return where;
}

template <class T, bool largest>
Status find_all(const Tensor& x, int64_t axis, const Tensor& indices, Tensor* values) {
  const AxesSplit split(x.shape, {axis});
  if (split.reduced.empty()) return refuse("the axis to search has no elements");
  parallel_for(static_cast<int64_t>(split.kept.size()), 64, [&](int64_t begin, int64_t end) {
    for (int64_t g = begin; g < end; ++g) {
      const T* base = x.as<T>() + split.kept[static_cast<size_t>(g)];
      const int64_t where = find_best<T, largest>(base, split.reduced);
      if (indices.type == DataType::Int64)
        indices.as<int64_t>()[g] = where;
      else
        indices.as<int32_t>()[g] = static_cast<int32_t>(where);
      if (values) values->as<T>()[g] = base[split.reduced[static_cast<size_t>(where)]];
    }
  });
  return {};
}

template <bool largest>
MadeKernel make(const KernelRequest& request) {
  const DataType type = request.outputs[0].type;
  if (type != DataType::Int64 && type != DataType::Int32) return refuse("indices must be DT_INT32 or DT_INT64");
  const auto fixed = get_or(request.node.attributes, "dimension", int64_t{0});
  return with_type(NumberTypes{}, request.inputs[0].type, [&]<class T>() -> MadeKernel {
    return function_kernel([fixed](Inputs in, Outputs out) -> Status {
      const int64_t axis = in.size() > 1 ? TRY(integer(in[1])) : fixed;
      return find_all<T, largest>(in[0], axis, out[0], out.size() > 1 ? &out[1] : nullptr);
    });
  });
}

constexpr KernelRow rows[] = {
    {"ArgMaxD", "reference", make<true>},         {"ArgMaxV2", "reference", make<true>},
    {"ArgMaxWithValue", "reference", make<true>}, {"ArgMin", "reference", make<false>},
    {"ArgMinD", "reference", make<false>},        {"ArgMinWithValue", "reference", make<false>},
};

}  // namespace

std::span<const KernelRow> arg_rows() { return rows; }

}  // namespace belay::backend::cpu
