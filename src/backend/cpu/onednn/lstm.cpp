// SPDX-License-Identifier: Apache-2.0
// LSTM layers of few batches: one product with the input for all steps, then a small product for each step.
#include <algorithm>
#include <cstring>

#include "backend/cpu/fast_rows.h"
#include "backend/cpu/onednn/call.h"
#include "backend/cpu/onednn/recurrent_layer.h"
#include "backend/cpu/onednn/weights.h"
#include "backend/cpu/simd/map_floats.h"

namespace belay::backend::cpu {
namespace {

using namespace onednn;

constexpr int64_t most_batches = 8;  // above it oneDNN's own layer is faster

// gates = rows of x * transposed weights (+ bias, or + what gates holds).
struct Product {
  Call call;
  PackedWeights weights;
  std::vector<float> bias;
};

Result<Product> make_product(int64_t rows, int64_t inner, int64_t gates, PackedWeights weights,
                             std::vector<float> bias) {
  const Desc x = strided({rows, inner}, {inner, 1}), y = strided({rows, gates}, {gates, 1});
  const Desc bias_desc = bias.empty() ? Desc() : strided({1, gates}, {gates, 1});
  dnnl::post_ops post;
  if (bias.empty()) post.append_sum(1.0f);
  const dnnl::matmul::primitive_desc desc(dnnl::matmul::desc(x, any_order({inner, gates}), bias_desc, y),
                                          with_scratch(post), engine());
  Product made{Call(desc, dnnl::matmul(desc)), {}, std::move(bias)};
  made.weights = TRY(pack(strided({inner, gates}, {1, inner}), std::move(weights), desc.weights_desc()));
  made.call.add(DNNL_ARG_SRC, x);
  made.call.add(DNNL_ARG_WEIGHTS, desc.weights_desc());
  made.call.add(DNNL_ARG_DST, y);
  made.call.set(DNNL_ARG_WEIGHTS, made.weights.get());
  if (made.bias.empty()) return made;
  made.call.add(DNNL_ARG_BIAS, bias_desc);
  made.call.set(DNNL_ARG_BIAS, made.bias.data());
  return made;
}

struct Direction {
  Product of_input, of_state;
};

Result<Direction> make_direction(const KernelRequest& request, const RecurrentLayer& s, int64_t d) {
  const int64_t rows = s.gates * s.hidden;
  std::vector<float> bias(static_cast<size_t>(rows));
  if (const float* given = constant_floats(request, 3))
    for (int64_t i = 0; i < rows; ++i)
      bias[static_cast<size_t>(i)] = given[2 * d * rows + i] + given[(2 * d + 1) * rows + i];
  Direction made;
  const auto weights = [&](size_t input, int64_t columns) {
    return bytes_of(*request.inputs[input].value, sizeof(float) * static_cast<size_t>(d * rows * columns));
  };
  made.of_input = TRY(make_product(s.steps * s.batch, s.input, rows, weights(1, s.input), std::move(bias)));
  made.of_state = TRY(make_product(s.batch, s.hidden, rows, weights(2, s.hidden), {}));
  return made;
}

// Scratch: oneDNN's own, the gates of all steps, the states h and c, tanh(c).
class Lstm : public Kernel {
 public:
  Lstm(const RecurrentLayer& layer, std::vector<Direction> directions) : s_(layer), directions_(std::move(directions)) {
    for (const Direction& d : directions_)
      own_ = std::max({own_, d.of_input.call.scratch_bytes(), d.of_state.call.scratch_bytes()});
    own_ = (own_ + 63) / 64 * 64;
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    for (size_t d = 0; d < directions_.size(); ++d) TRY(run_direction(d, inputs, outputs));
    return {};
  }
  bool packed(size_t i) const override { return i >= 1 && i <= 3; }
  size_t scratch_bytes() const override {
    return own_ + sizeof(float) * static_cast<size_t>(s_.steps * row() + 3 * s_.state());
  }
  void set_scratch(void* scratch) override {
    for (Direction& direction : directions_) {
      direction.of_input.call.set_scratch(scratch);
      direction.of_state.call.set_scratch(scratch);
    }
    gates_ = reinterpret_cast<float*>(static_cast<std::byte*>(scratch) + own_);
  }

 private:
  int64_t row() const { return s_.batch * s_.gates * s_.hidden; }

  Status run_direction(size_t d, std::span<const Tensor> in, std::span<Tensor> out) {
    const auto direction = static_cast<int64_t>(d);
    float *h = gates_ + s_.steps * row(), *c = h + s_.state();
    const auto start = [&](size_t i, float* state) {
      if (i < in.size() && in[i].present)
        std::copy_n(in[i].as<float>() + direction * s_.state(), s_.state(), state);
      else
        std::fill_n(state, s_.state(), 0.0f);
    };
    start(5, h);
    start(6, c);
    Call &all = directions_[d].of_input.call, &one = directions_[d].of_state.call;
    all.set(DNNL_ARG_SRC, in[0].data);
    all.set(DNNL_ARG_DST, gates_);
    TRY(all.run());
    one.set(DNNL_ARG_SRC, h);
    for (int64_t i = 0; i < s_.steps; ++i) {
      const int64_t t = s_.backwards(direction) ? s_.steps - 1 - i : i;
      one.set(DNNL_ARG_DST, gates_ + t * row());
      TRY(one.run());
      for (int64_t b = 0; b < s_.batch; ++b)
        advance(gates_ + t * row() + b * s_.gates * s_.hidden, h + b * s_.hidden, c + b * s_.hidden);
      if (out[0].data) std::copy_n(h, s_.state(), out[0].as<float>() + (t * s_.directions + direction) * s_.state());
    }
    const auto keep = [&](size_t o, const float* state) {
      if (o < out.size() && out[o].data) std::copy_n(state, s_.state(), out[o].as<float>() + direction * s_.state());
    };
    keep(1, h);
    keep(2, c);
    return {};
  }

  // ONNX's order of gates: i, o, f, c.
  void advance(float* gates, float* h, float* c) const {
    const int64_t n = s_.hidden;
    float* squashed = gates_ + s_.steps * row() + 2 * s_.state();
    map_floats(Map::Sigmoid, {}, gates, gates, static_cast<size_t>(3 * n));
    map_floats(Map::Tanh, {}, gates + 3 * n, gates + 3 * n, static_cast<size_t>(n));
    const float *i = gates, *o = gates + n, *f = gates + 2 * n, *g = gates + 3 * n;
    for (int64_t k = 0; k < n; ++k) c[k] = f[k] * c[k] + i[k] * g[k];
    map_floats(Map::Tanh, {}, c, squashed, static_cast<size_t>(n));
    for (int64_t k = 0; k < n; ++k) h[k] = o[k] * squashed[k];
  }

  RecurrentLayer s_;
  std::vector<Direction> directions_;
  size_t own_ = 0;
  float* gates_ = nullptr;
};

MadeKernel make(const KernelRequest& request) {
  const RecurrentLayer s = TRY(read_recurrent(request));
  if (s.batch > most_batches) return refuse("many batches");
  return making([&]() -> MadeKernel {
    std::vector<Direction> directions;
    for (int64_t d = 0; d < s.directions; ++d) directions.push_back(TRY(make_direction(request, s, d)));
    return std::unique_ptr<Kernel>(std::make_unique<Lstm>(s, std::move(directions)));
  });
}

constexpr KernelRow rows[] = {{"CommonLSTM", "onednn", make}};

}  // namespace

std::span<const KernelRow> onednn_lstm_rows() { return rows; }

}  // namespace belay::backend::cpu
