// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU layers with the usual activations and constant weights.
#include <algorithm>
#include <cstring>

#include "backend/cpu/fast_rows.h"
#include "backend/cpu/onednn/call.h"
#include "backend/cpu/onednn/recurrent_layer.h"
#include "backend/cpu/onednn/weights.h"

namespace belay::backend::cpu {
namespace {

using namespace onednn;
using Tag = dnnl::memory::format_tag;
constexpr auto f32 = dnnl::memory::data_type::f32;

// One direction: a primitive and its weights.
struct Direction {
  Call call;
  PackedWeights weights_layer, weights_iter;
  std::vector<float> bias;
};

// ONNX has the gates i o f c of an LSTM, oneDNN i f c o; those of a GRU agree.
int64_t given_gate(const RecurrentLayer& s, int64_t gate) {
  constexpr int64_t lstm[] = {0, 2, 3, 1};
  return s.lstm ? lstm[gate] : gate;
}

Result<PackedWeights> pack_gates(const RecurrentLayer& s, const float* given, int64_t columns, const Desc& wanted) {
  std::vector<float> ordered(static_cast<size_t>(s.gates * s.hidden * columns));
  for (int64_t gate = 0; gate < s.gates; ++gate)
    std::copy_n(given + given_gate(s, gate) * s.hidden * columns, s.hidden * columns,
                ordered.begin() + gate * s.hidden * columns);
  const Desc desc({1, 1, columns, s.gates, s.hidden}, f32, Tag::ldgoi);
  return pack_copy(desc, ordered.data(), wanted);
}

// The sum of both biases; of a GRU that resets after the product, the last gate's second one stands alone.
std::vector<float> join_biases(const RecurrentLayer& s, const float* given) {
  std::vector<float> joined(static_cast<size_t>(s.bias_gates() * s.hidden));
  if (!given) return joined;
  for (int64_t gate = 0; gate < s.bias_gates(); ++gate)
    for (int64_t k = 0; k < s.hidden; ++k) {
      const bool apart = s.bias_gates() > s.gates && gate >= 2;
      const int64_t row = given_gate(s, std::min(gate, s.gates - 1)) * s.hidden + k;
      const float of_input = given[row], of_state = given[s.gates * s.hidden + row];
      joined[static_cast<size_t>(gate * s.hidden + k)] = !apart ? of_input + of_state : gate == 2 ? of_input : of_state;
    }
  return joined;
}

// What the primitives of all kinds of cell are made from.
struct Descs {
  explicit Descs(const RecurrentLayer& s)
      : x({s.steps, s.batch, s.input}, f32, Tag::tnc),
        y({s.steps, s.batch, s.hidden}, f32, Tag::tnc),
        state({1, 1, s.batch, s.hidden}, f32, Tag::ldnc),
        weights_layer({1, 1, s.input, s.gates, s.hidden}, f32, Tag::any),
        weights_iter({1, 1, s.hidden, s.gates, s.hidden}, f32, Tag::any),
        bias({1, 1, s.bias_gates(), s.hidden}, f32, Tag::ldgo) {}
  Desc x, y, state, weights_layer, weights_iter, bias;
};

template <class Primitive>
Result<Direction> finish(const typename Primitive::desc& desc, const KernelRequest& request, const RecurrentLayer& s,
                         const Descs& d, int64_t direction) {
  const typename Primitive::primitive_desc primitive(desc, with_scratch(), engine());
  const int64_t rows = s.gates * s.hidden;
  Direction made;
  made.call = Call(primitive, Primitive(primitive));
  made.weights_layer = TRY(
      pack_gates(s, constant_floats(request, 1) + direction * rows * s.input, s.input, primitive.weights_layer_desc()));
  made.weights_iter = TRY(pack_gates(s, constant_floats(request, 2) + direction * rows * s.hidden, s.hidden,
                                     primitive.weights_iter_desc()));
  const float* bias = constant_floats(request, 3);
  made.bias = join_biases(s, bias ? bias + direction * 2 * rows : nullptr);
  made.call.add(DNNL_ARG_SRC_LAYER, d.x);
  made.call.add(DNNL_ARG_SRC_ITER, d.state);
  made.call.add(DNNL_ARG_WEIGHTS_LAYER, primitive.weights_layer_desc());
  made.call.add(DNNL_ARG_WEIGHTS_ITER, primitive.weights_iter_desc());
  made.call.add(DNNL_ARG_BIAS, d.bias);
  made.call.add(DNNL_ARG_DST_LAYER, d.y);
  made.call.add(DNNL_ARG_DST_ITER, d.state);
  if (s.lstm) made.call.add(DNNL_ARG_SRC_ITER_C, d.state);
  if (s.lstm) made.call.add(DNNL_ARG_DST_ITER_C, d.state);
  made.call.set(DNNL_ARG_WEIGHTS_LAYER, made.weights_layer.get());
  made.call.set(DNNL_ARG_WEIGHTS_ITER, made.weights_iter.get());
  made.call.set(DNNL_ARG_BIAS, made.bias.data());
  return made;
}

Result<Direction> make_direction(const KernelRequest& request, const RecurrentLayer& s, int64_t direction,
                                 bool backwards) {
  const Descs d(s);
  constexpr auto inference = dnnl::prop_kind::forward_inference;
  const auto way =
      backwards ? dnnl::rnn_direction::unidirectional_right2left : dnnl::rnn_direction::unidirectional_left2right;
  if (s.lstm)
    return finish<dnnl::lstm_forward>(
        {inference, way, d.x, d.state, d.state, d.weights_layer, d.weights_iter, d.bias, d.y, d.state, d.state},
        request, s, d, direction);
  if (s.linear_before_reset)
    return finish<dnnl::lbr_gru_forward>(
        {inference, way, d.x, d.state, d.weights_layer, d.weights_iter, d.bias, d.y, d.state}, request, s, d,
        direction);
  return finish<dnnl::gru_forward>(
      {inference, way, d.x, d.state, d.weights_layer, d.weights_iter, d.bias, d.y, d.state}, request, s, d, direction);
}

// Scratch: oneDNN's own, then states that nobody gave or wants, then the results of a direction when there are two.
class Layer : public Kernel {
 public:
  Layer(const RecurrentLayer& sizes, std::vector<Direction> directions)
      : s_(sizes), directions_(std::move(directions)) {
    for (const Direction& direction : directions_) own_ = std::max(own_, direction.call.scratch_bytes());
    own_ = (own_ + 63) / 64 * 64;
  }

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    for (size_t d = 0; d < directions_.size(); ++d) TRY(run_direction(directions_[d], d, inputs, outputs));
    return {};
  }
  bool packed(size_t i) const override { return i >= 1 && i <= 3; }
  size_t scratch_bytes() const override {
    return own_ + sizeof(float) * static_cast<size_t>(3 * s_.state() + results());
  }
  void set_scratch(void* scratch) override {
    for (Direction& direction : directions_) direction.call.set_scratch(scratch);
    zeros_ = reinterpret_cast<float*>(static_cast<std::byte*>(scratch) + own_);
  }

 private:
  int64_t results() const { return s_.steps * s_.state(); }

  Status run_direction(Direction& direction, size_t d, std::span<const Tensor> in, std::span<Tensor> out) {
    const int64_t offset = static_cast<int64_t>(d) * s_.state();
    const auto given = [&](size_t i) -> const float* {
      return i < in.size() && in[i].present ? in[i].as<float>() + offset : zeros_;
    };
    const auto wanted = [&](size_t o, int64_t unused) {
      return o < out.size() && out[o].data ? out[o].as<float>() + offset : zeros_ + unused * s_.state();
    };
    std::memset(zeros_, 0, sizeof(float) * static_cast<size_t>(s_.state()));
    const bool whole = s_.directions == 1 && !out.empty() && out[0].data;
    float* y = whole ? out[0].as<float>() : zeros_ + 3 * s_.state();
    Call& call = direction.call;
    call.set(DNNL_ARG_SRC_LAYER, in[0].data);
    call.set(DNNL_ARG_SRC_ITER, given(5));
    call.set(DNNL_ARG_DST_LAYER, y);
    call.set(DNNL_ARG_DST_ITER, wanted(1, 1));
    if (s_.lstm) call.set(DNNL_ARG_SRC_ITER_C, given(6));
    if (s_.lstm) call.set(DNNL_ARG_DST_ITER_C, wanted(2, 2));
    TRY(call.run());
    if (whole || out.empty() || !out[0].data) return {};
    for (int64_t t = 0; t < s_.steps; ++t)
      std::copy_n(y + t * s_.state(), s_.state(), out[0].as<float>() + t * s_.directions * s_.state() + offset);
    return {};
  }

  RecurrentLayer s_;
  std::vector<Direction> directions_;
  size_t own_ = 0;
  float* zeros_ = nullptr;
};

MadeKernel make(const KernelRequest& request) {
  const RecurrentLayer s = TRY(read_recurrent(request));
  return making([&]() -> MadeKernel {
    std::vector<Direction> directions;
    for (int64_t d = 0; d < s.directions; ++d) directions.push_back(TRY(make_direction(request, s, d, s.backwards(d))));
    return std::unique_ptr<Kernel>(std::make_unique<Layer>(s, std::move(directions)));
  });
}

constexpr KernelRow rows[] = {
    {"CommonGRU", "onednn", make},
    {"CommonLSTM", "onednn", make},
};

}  // namespace

std::span<const KernelRow> onednn_recurrent_rows() { return rows; }

}  // namespace belay::backend::cpu
