// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/recurrent/gate_vectors.h"

#include "backend/cpu/simd/targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/recurrent/gate_vectors.cpp"
#include "hwy/foreach_target.h"  // must come before highway.h
#include "hwy/highway.h"

#include "backend/cpu/simd/map_floats.h"
#include "backend/cpu/simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace belay::backend::cpu::HWY_NAMESPACE {

// Loads and stores of whole vectors, or of the last elements.
struct Whole {
  HWY_INLINE Vector load(const float* from) const { return hn::LoadU(Floats(), from); }
  HWY_INLINE void store(Vector value, float* to) const { hn::StoreU(value, Floats(), to); }
};
struct Some {
  hn::Mask<Floats> mask;
  HWY_INLINE Vector load(const float* from) const { return hn::MaskedLoad(mask, Floats(), from); }
  HWY_INLINE void store(Vector value, float* to) const { hn::BlendedStore(value, mask, Floats(), to); }
};

template <class Step>
HWY_INLINE void each_vector(int64_t n, const Step& step) {
  const Floats d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) step(Whole(), i);
  if (i < n) step(Some{hn::FirstN(d, static_cast<size_t>(n - i))}, i);
}

// Gates of units lie in blocks, one gate behind the other; each is the sum of x's part and the state's.
constexpr int64_t block = units_of_panel;

void lstm(const float* x, const float* r, const float* c_before, float* h, float* c, int64_t n) {
  each_vector(n, [=](const auto& memory, int64_t k) HWY_ATTR {
    const auto gate = [&](int64_t which) HWY_ATTR {
      const int64_t at = which * block + k;
      return hn::Add(memory.load(r + at), memory.load(x + at));
    };
    const Vector i = sigmoid(gate(0)), o = sigmoid(gate(1)), f = sigmoid(gate(2)), g = tanh(gate(3));
    const Vector next = hn::MulAdd(f, memory.load(c_before + k), hn::Mul(i, g));
    memory.store(next, c + k);
    memory.store(hn::Mul(o, tanh(next)), h + k);
  });
}

// A step's end: between the candidate and the state before.
HWY_INLINE Vector mix(Vector z, Vector candidate, Vector before) {
  return hn::MulAdd(z, before, hn::Mul(hn::Sub(splat(1.0f), z), candidate));
}

void gru(const float* gates, const float* recurrent, float* h, int64_t n) {
  each_vector(n, [=](const auto& memory, int64_t k) HWY_ATTR {
    const Vector candidate = tanh(hn::Add(memory.load(gates + 2 * n + k), memory.load(recurrent + k)));
    memory.store(mix(memory.load(gates + k), candidate, memory.load(h + k)), h + k);
  });
}

void gru_reset_last(const float* x, const float* r, const float* bias, const float* before, float* h, int64_t n) {
  each_vector(n, [=](const auto& memory, int64_t k) HWY_ATTR {
    const auto gate = [&](int64_t which) HWY_ATTR {
      const int64_t at = which * block + k;
      return sigmoid(hn::Add(memory.load(r + at), memory.load(x + at)));
    };
    Vector state = memory.load(r + 2 * block + k);
    if (bias) state = hn::Add(state, memory.load(bias + k));
    const Vector candidate = tanh(hn::MulAdd(gate(1), state, memory.load(x + 2 * block + k)));
    memory.store(mix(gate(0), candidate, memory.load(before + k)), h + k);
  });
}

}  // namespace belay::backend::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace belay::backend::cpu {

HWY_EXPORT(lstm);
HWY_EXPORT(gru);
HWY_EXPORT(gru_reset_last);

using Kind = GateFunction::Kind;

bool apply_vectors(const GateFunction& f, float* x, int64_t n) {
  const auto map = [&](Map m, const MapParameters& parameters = {}) {
    map_floats(m, parameters, x, x, static_cast<size_t>(n));
    return true;
  };
  if (f.kind == Kind::Sigmoid) return map(Map::Sigmoid);
  if (f.kind == Kind::Tanh) return map(Map::Tanh);
  if (f.kind == Kind::Relu) return map(Map::Relu);
  if (f.kind == Kind::HardSigmoid) return map(Map::HardSigmoid, {f.alpha, f.beta});
  if (f.kind == Kind::LeakyRelu) return map(Map::LeakyRelu, {f.alpha});
  if (f.kind == Kind::Elu) return map(Map::Elu, {f.alpha, 1, 1});
  return false;
}

bool is_usual_lstm(std::span<const GateFunction> f) {
  return f.size() == 3 && f[0].kind == Kind::Sigmoid && f[1].kind == Kind::Tanh && f[2].kind == Kind::Tanh;
}
bool is_usual_gru(std::span<const GateFunction> f) {
  return f.size() == 2 && f[0].kind == Kind::Sigmoid && f[1].kind == Kind::Tanh;
}

void advance_lstm(const float* x, const float* r, const float* c_before, float* h, float* c, int64_t n) {
  HWY_DYNAMIC_DISPATCH(lstm)(x, r, c_before, h, c, n);
}
void advance_gru(const float* gates, const float* recurrent, float* h, int64_t n) {
  HWY_DYNAMIC_DISPATCH(gru)(gates, recurrent, h, n);
}
void advance_gru_reset_last(const float* x, const float* r, const float* bias, const float* before, float* h,
                            int64_t n) {
  HWY_DYNAMIC_DISPATCH(gru_reset_last)(x, r, bias, before, h, n);
}

}  // namespace belay::backend::cpu
#endif
