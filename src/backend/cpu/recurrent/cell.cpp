// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/recurrent/cell.h"

#include <algorithm>
#include <type_traits>

#include "backend/cpu/recurrent/gate_vectors.h"

namespace belay::backend::cpu {
namespace {

template <class C>
void clip(C* x, int64_t n, double limit) {
  if (limit <= 0) return;
  for (int64_t i = 0; i < n; ++i) x[i] = std::clamp(x[i], C(-limit), C(limit));
}

template <class C>
std::vector<C> both_biases(const CellWeights<C>& weights, int64_t count) {
  std::vector<C> sum(static_cast<size_t>(count));
  for (size_t i = 0; i < sum.size(); ++i)
    sum[i] = (weights.w_bias ? weights.w_bias[i] : 0) + (weights.r_bias ? weights.r_bias[i] : 0);
  return sum;
}

// x += y * z, element by element.
template <class C>
void add_product(C* x, const C* y, const C* z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] += y[i] * z[i];
}

// The activation of a gate.
template <class C>
void apply(const CellOptions& options, size_t function, C* x, int64_t n) {
  if constexpr (std::is_same_v<C, float>)
    if (options.vectors && apply_vectors(options.functions[function], x, n)) return;
  options.functions[function].apply(x, n);
}

// Gates i, o, f, c; activations f, g, h.
template <class C>
class Lstm : public Cell<C> {
 public:
  Lstm(const RecurrentSizes& sizes, const CellWeights<C>& weights, const CellOptions& options)
      : sizes_(sizes), weights_(weights), options_(options), squashed_(static_cast<size_t>(sizes.hidden)) {}

  int64_t gates() const override { return 4; }
  std::vector<C> bias() const override { return both_biases(weights_, 4 * sizes_.hidden); }

  void step(C* x, C* h, C* c, const std::vector<bool>& active) override {
    const int64_t n = sizes_.hidden;
    weights_.times_r(h, 0, 4, C(1), x, 4 * n);
    for (int64_t b = 0; b < sizes_.batch; ++b)
      if (active[size_t(b)]) advance(x + b * 4 * n, h + b * n, c + b * n);
  }

 private:
  void advance(C* x, C* h, C* c) {
    const int64_t n = sizes_.hidden;
    C *i = x, *o = x + n, *f = x + 2 * n, *g = x + 3 * n;
    if (weights_.peepholes) {
      add_product(i, weights_.peepholes, c, n);
      add_product(f, weights_.peepholes + 2 * n, c, n);
    }
    clip(i, n, options_.clip);
    clip(f, 2 * n, options_.clip);
    apply(options_, 0, i, n);
    apply(options_, 0, f, n);
    apply(options_, 1, g, n);
    if (options_.couple)
      for (int64_t k = 0; k < n; ++k) f[k] = 1 - i[k];
    for (int64_t k = 0; k < n; ++k) c[k] = f[k] * c[k] + i[k] * g[k];
    if (weights_.peepholes) add_product(o, weights_.peepholes + n, c, n);
    clip(o, n, options_.clip);
    apply(options_, 0, o, n);
    std::copy_n(c, n, squashed_.data());
    apply(options_, 2, squashed_.data(), n);
    for (int64_t k = 0; k < n; ++k) h[k] = o[k] * squashed_[size_t(k)];
  }

  RecurrentSizes sizes_;
  CellWeights<C> weights_;
  CellOptions options_;
  std::vector<C> squashed_;
};

// Gates z, r, h; activations f, g.
template <class C>
class Gru : public Cell<C> {
 public:
  Gru(const RecurrentSizes& sizes, const CellWeights<C>& weights, const CellOptions& options)
      : sizes_(sizes),
        weights_(weights),
        options_(options),
        usual_(options.vectors && options.clip <= 0 && !options.linear_before_reset && is_usual_gru(options.functions)),
        reset_(static_cast<size_t>(sizes.batch * sizes.hidden)),
        recurrent_(static_cast<size_t>(sizes.batch * sizes.hidden)) {}

  int64_t gates() const override { return 3; }

  std::vector<C> bias() const override {
    auto sum = both_biases(weights_, 3 * sizes_.hidden);
    if (!options_.linear_before_reset || !weights_.r_bias) return sum;
    for (int64_t k = 2 * sizes_.hidden; k < 3 * sizes_.hidden; ++k)  // this one is reset as well
      sum[size_t(k)] = weights_.w_bias ? weights_.w_bias[k] : 0;
    return sum;
  }

  void step(C* x, C* h, C*, const std::vector<bool>& active) override {
    const int64_t n = sizes_.hidden, batch = sizes_.batch;
    weights_.times_r(h, 0, 2, C(1), x, 3 * n);
    for (int64_t b = 0; b < batch; ++b) {
      C* gates = x + b * 3 * n;
      clip(gates, 2 * n, options_.clip);
      apply(options_, 0, gates, 2 * n);
      for (int64_t k = 0; k < n; ++k) reset_[size_t(b * n + k)] = gates[n + k] * h[b * n + k];
    }
    const C* source = options_.linear_before_reset ? h : reset_.data();
    weights_.times_r(source, 2, 1, C(0), recurrent_.data(), n);
    for (int64_t b = 0; b < batch; ++b)
      if (active[size_t(b)]) advance(x + b * 3 * n, &recurrent_[size_t(b * n)], h + b * n);
  }

 private:
  void advance(C* gates, const C* recurrent, C* h) {
    const int64_t n = sizes_.hidden;
    C *z = gates, *r = gates + n, *candidate = gates + 2 * n;
    if constexpr (std::is_same_v<C, float>)
      if (usual_) return advance_gru(gates, recurrent, h, n);
    for (int64_t k = 0; k < n; ++k) {
      if (!options_.linear_before_reset)
        candidate[k] += recurrent[k];
      else
        candidate[k] += r[k] * (recurrent[k] + (weights_.r_bias ? weights_.r_bias[2 * n + k] : 0));
    }
    clip(candidate, n, options_.clip);
    apply(options_, 1, candidate, n);
    for (int64_t k = 0; k < n; ++k) h[k] = (1 - z[k]) * candidate[k] + z[k] * h[k];
  }

  RecurrentSizes sizes_;
  CellWeights<C> weights_;
  CellOptions options_;
  bool usual_;  // one pass does the candidate and the state
  std::vector<C> reset_, recurrent_;
};

template <class C>
class Rnn : public Cell<C> {
 public:
  Rnn(const RecurrentSizes& sizes, const CellWeights<C>& weights, const CellOptions& options)
      : sizes_(sizes), weights_(weights), options_(options) {}

  int64_t gates() const override { return 1; }
  std::vector<C> bias() const override { return both_biases(weights_, sizes_.hidden); }

  void step(C* x, C* h, C*, const std::vector<bool>& active) override {
    const int64_t n = sizes_.hidden;
    weights_.times_r(h, 0, 1, C(1), x, n);
    clip(x, sizes_.batch * n, options_.clip);
    apply(options_, 0, x, sizes_.batch * n);
    for (int64_t b = 0; b < sizes_.batch; ++b)
      if (active[size_t(b)]) std::copy_n(x + b * n, n, h + b * n);
  }

 private:
  RecurrentSizes sizes_;
  CellWeights<C> weights_;
  CellOptions options_;
};

}  // namespace

template <class C>
std::unique_ptr<Cell<C>> make_lstm(const RecurrentSizes& s, const CellWeights<C>& w, const CellOptions& o) {
  return std::make_unique<Lstm<C>>(s, w, o);
}
template <class C>
std::unique_ptr<Cell<C>> make_gru(const RecurrentSizes& s, const CellWeights<C>& w, const CellOptions& o) {
  return std::make_unique<Gru<C>>(s, w, o);
}
template <class C>
std::unique_ptr<Cell<C>> make_rnn(const RecurrentSizes& s, const CellWeights<C>& w, const CellOptions& o) {
  return std::make_unique<Rnn<C>>(s, w, o);
}

template std::unique_ptr<Cell<float>> make_lstm(const RecurrentSizes&, const CellWeights<float>&, const CellOptions&);
template std::unique_ptr<Cell<double>> make_lstm(const RecurrentSizes&, const CellWeights<double>&, const CellOptions&);
template std::unique_ptr<Cell<float>> make_gru(const RecurrentSizes&, const CellWeights<float>&, const CellOptions&);
template std::unique_ptr<Cell<double>> make_gru(const RecurrentSizes&, const CellWeights<double>&, const CellOptions&);
template std::unique_ptr<Cell<float>> make_rnn(const RecurrentSizes&, const CellWeights<float>&, const CellOptions&);
template std::unique_ptr<Cell<double>> make_rnn(const RecurrentSizes&, const CellWeights<double>&, const CellOptions&);

}  // namespace belay::backend::cpu
