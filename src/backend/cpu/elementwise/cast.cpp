// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/convert_element.h"
#include "backend/cpu/elementwise/unary.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {

namespace {

template <class To, class From>
void convert_loop(const void* from, void* to, int64_t count, const Parameters&) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) y[i] = convert_element<To>(x[i]);
}

template <class From>
UnaryLoop loop_to(DataType type) {
  static constexpr auto table =
      loop_table<UnaryLoop>(AllTypes{}, []<class To>() -> UnaryLoop { return convert_loop<To, From>; });
  return find_loop(table, type);
}

// Complex numbers lie as pairs of their parts. A real one has no imaginary part; of a complex one the real part is
// taken, and it is true when either part is not 0.
template <class To, class From>
void real_to_complex(const void* from, void* to, int64_t count, const Parameters&) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) y[2 * i] = convert_element<To>(x[i]), y[2 * i + 1] = To(0);
}

template <class To, class From>
void complex_to_real(const void* from, void* to, int64_t count, const Parameters&) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  for (int64_t i = 0; i < count; ++i) {
    y[i] = convert_element<To>(x[2 * i]);
    if constexpr (std::is_same_v<To, Bool>) y[i] = Bool(y[i] || x[2 * i + 1] != From(0));
  }
}

template <class To, class From>
void complex_to_complex(const void* from, void* to, int64_t count, const Parameters& parameters) {
  convert_loop<To, From>(from, to, 2 * count, parameters);
}

bool is_complex(DataType type) { return type == DataType::Complex64 || type == DataType::Complex128; }

// Null where neither type is complex, or the other is none that can be converted.
template <class Part>
UnaryLoop loop_of_parts(bool wide, DataType from, DataType to) {
  static constexpr auto given =
      loop_table<UnaryLoop>(AllTypes{}, []<class From>() -> UnaryLoop { return real_to_complex<Part, From>; });
  static constexpr auto taken =
      loop_table<UnaryLoop>(AllTypes{}, []<class To>() -> UnaryLoop { return complex_to_real<To, Part>; });
  if (!is_complex(from)) return find_loop(given, from);
  if (!is_complex(to)) return find_loop(taken, to);
  return wide ? complex_to_complex<double, Part> : complex_to_complex<float, Part>;
}

UnaryLoop complex_loop(DataType from, DataType to) {
  if (!is_complex(from) && !is_complex(to)) return nullptr;
  const bool wide = to == DataType::Complex128;
  const bool double_parts = (is_complex(from) ? from : to) == DataType::Complex128;
  return double_parts ? loop_of_parts<double>(wide, from, to) : loop_of_parts<float>(wide, from, to);
}

MadeKernel make_cast(const KernelRequest& request) {
  if (UnaryLoop loop = complex_loop(request.inputs[0].type, request.outputs[0].type))
    return unary_kernel(request, loop);
  using ByTarget = UnaryLoop (*)(DataType);
  static constexpr auto table =
      loop_table<ByTarget>(AllTypes{}, []<class From>() -> ByTarget { return loop_to<From>; });
  const ByTarget find = find_loop(table, request.inputs[0].type);
  UnaryLoop loop = find ? find(request.outputs[0].type) : nullptr;
  if (!loop)
    return refuse(formatted("{} to {} is not supported", graph::name_of(request.inputs[0].type),
                            graph::name_of(request.outputs[0].type)));
  return unary_kernel(request, loop);
}

constexpr KernelRow rows[] = {
    {"Cast", "reference", make_cast},
    {"CastLike", "reference", make_cast},
};

}  // namespace

std::span<const KernelRow> cast_rows() { return rows; }

}  // namespace belay::backend::cpu
