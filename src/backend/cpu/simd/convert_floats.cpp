// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/simd/convert_floats.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include <cstring>
#include <stdexcept>

#include "backend/cpu/simd/convert_floats.h"
#include "base/half.h"
#include "base/text.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;

// Calls step(i) for the elements that fill vectors; the index of the first that does not.
template <class Step>
HWY_INLINE size_t whole_vectors(size_t count, const Step& step) {
  const size_t lanes = hn::Lanes(Floats());
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) step(i);
  return i;
}

// Highway's own conversion rounds as the hardware does where there is hardware for it; elsewhere one by one.
void load_half(const uint16_t* from, float* to, size_t count) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::Rebind<hwy::float16_t, Floats> d;
  i = whole_vectors(count, [&](size_t at) HWY_ATTR {
    const auto bits = hn::LoadU(d, reinterpret_cast<const hwy::float16_t*>(from + at));
    hn::StoreU(hn::PromoteTo(Floats(), bits), Floats(), to + at);
  });
#endif
  for (; i < count; ++i) to[i] = half_to_float(from[i]);
}
void store_half(const float* from, uint16_t* to, size_t count) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const hn::Rebind<hwy::float16_t, Floats> d;
  i = whole_vectors(count, [&](size_t at) HWY_ATTR {
    hn::StoreU(hn::DemoteTo(d, hn::LoadU(Floats(), from + at)), d, reinterpret_cast<hwy::float16_t*>(to + at));
  });
#endif
  for (; i < count; ++i) to[i] = float_to_half(from[i]);
}

void load_bf16(const uint16_t* from, float* to, size_t count) {
  const hn::Rebind<uint16_t, Floats> d;
  size_t i = whole_vectors(count, [&](size_t at) HWY_ATTR {
    const auto wide = hn::ShiftLeft<16>(hn::PromoteTo(Words(), hn::LoadU(d, from + at)));
    hn::StoreU(hn::BitCast(Floats(), wide), Floats(), to + at);
  });
  for (; i < count; ++i) to[i] = bf16_to_float(from[i]);
}
void store_bf16(const float* from, uint16_t* to, size_t count) {
  const hn::Rebind<uint16_t, Floats> d;
  const Words w;
  size_t i = whole_vectors(count, [&](size_t at) HWY_ATTR {
    const auto value = hn::LoadU(Floats(), from + at);
    const auto bits = hn::BitCast(w, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(w, 1));
    const auto rounded = hn::Add(bits, hn::Add(hn::Set(w, 0x7FFF), odd));
    const auto quiet = hn::Or(bits, hn::Set(w, 0x400000));
    const auto kept = hn::IfThenElse(hn::RebindMask(w, hn::IsNaN(value)), quiet, rounded);
    const auto top = hn::BitCast(Integers(), hn::ShiftRight<16>(kept));
    hn::StoreU(hn::DemoteTo(d, top), d, to + at);
  });
  for (; i < count; ++i) to[i] = float_to_bf16(from[i]);
}

void to_int32(const float* from, int32_t* to, size_t count) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  const auto convert = [&](hn::Vec<Floats> x) HWY_ATTR {
    const auto whole = hn::ConvertTo(Integers(), hn::IfThenZeroElse(hn::IsNaN(x), x));
    const auto high = hn::RebindMask(Integers(), hn::Ge(x, hn::Set(d, 2147483648.0f)));
    return hn::IfThenElse(high, hn::Set(Integers(), INT32_MAX), whole);
  };
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(convert(hn::LoadU(d, from + i)), Integers(), to + i);
  if (i == count) return;
  const auto rest = hn::FirstN(d, count - i);
  hn::BlendedStore(convert(hn::MaskedLoad(rest, d, from + i)), hn::FirstN(Integers(), count - i), Integers(), to + i);
}
void from_int32(const int32_t* from, float* to, size_t count) {
  size_t i = whole_vectors(count, [&](size_t at) HWY_ATTR {
    hn::StoreU(hn::ConvertTo(Floats(), hn::LoadU(Integers(), from + at)), Floats(), to + at);
  });
  for (; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu {
namespace {

// A kernel took a tensor that it should have refused: the task fails before memory is touched.
[[noreturn]] void fail_on(DataType type) {
  throw std::invalid_argument(formatted("elements of {} are neither read nor written as floats", graph::name_of(type)));
}

}  // namespace

HWY_EXPORT(load_half);
HWY_EXPORT(store_half);
HWY_EXPORT(load_bf16);
HWY_EXPORT(store_bf16);
HWY_EXPORT(to_int32);
HWY_EXPORT(from_int32);

bool is_float_storage(DataType type) {
  return type == DataType::Float || type == DataType::Float16 || type == DataType::BFloat16;
}

void load_floats(DataType type, const void* from, float* to, size_t count) {
  if (type == DataType::Float)
    std::memmove(to, from, count * sizeof(float));
  else if (type == DataType::Float16)
    HWY_DYNAMIC_DISPATCH(load_half)(static_cast<const uint16_t*>(from), to, count);
  else if (type == DataType::BFloat16)
    HWY_DYNAMIC_DISPATCH(load_bf16)(static_cast<const uint16_t*>(from), to, count);
  else
    fail_on(type);
}

void store_floats(DataType type, const float* from, void* to, size_t count) {
  if (type == DataType::Float)
    std::memmove(to, from, count * sizeof(float));
  else if (type == DataType::Float16)
    HWY_DYNAMIC_DISPATCH(store_half)(from, static_cast<uint16_t*>(to), count);
  else if (type == DataType::BFloat16)
    HWY_DYNAMIC_DISPATCH(store_bf16)(from, static_cast<uint16_t*>(to), count);
  else
    fail_on(type);
}

void floats_to_int32(const float* from, int32_t* to, size_t count) { HWY_DYNAMIC_DISPATCH(to_int32)(from, to, count); }
void int32_to_floats(const int32_t* from, float* to, size_t count) {
  HWY_DYNAMIC_DISPATCH(from_int32)(from, to, count);
}

}  // namespace belay::backend::cpu
#endif
