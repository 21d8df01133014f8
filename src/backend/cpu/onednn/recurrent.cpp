// SPDX-License-Identifier: Apache-2.0
// LSTM and GRU layers with the usual activations and constant weights.
#include <algorithm>
#include <cstring>

#include "backend/cpu/fast_rows.h"
#include "backend/cpu/onednn/call.h"
#include "backend/cpu/onednn/weights.h"
#include "backend/cpu/recurrent/gate_function.h"
#include "graph/infer_arguments.h"

namespace belay::backend::cpu {
namespace {

using namespace onednn;
using Kind = GateFunction::Kind;
using Tag = dnnl::memory::format_tag;
constexpr auto f32 = dnnl::memory::data_type::f32;

struct Sizes {
  int64_t steps, batch, input, hidden, gates, directions;
  bool lstm, linear_before_reset;

  int64_t state() const { return batch * hidden; }
  int64_t bias_gates() const { return !lstm && linear_before_reset ? 4 : gates; }
};

// One direction: a primitive and its weights.
struct Direction {
  Call call;
  PackedWeights weights_layer, weights_iter;
  std::vector<float> bias;
};

// ONNX has the gates i o f c of an LSTM, oneDNN i f c o; those of a GRU agree.
int64_t given_gate(const Sizes& s, int64_t gate) {
  constexpr int64_t lstm[] = {0, 2, 3, 1};
  return s.lstm ? lstm[gate] : gate;
}

const float* constant(const KernelRequest& request, size_t input) {
  const bool known = input < request.inputs.size() && request.inputs[input].present && request.inputs[input].value;
  return known ? reinterpret_cast<const float*>(request.inputs[input].value->bytes.data()) : nullptr;
}

Result<PackedWeights> pack_gates(const Sizes& s, const float* given, int64_t columns, const Desc& wanted) {
  std::vector<float> ordered(static_cast<size_t>(s.gates * s.hidden * columns));
  for (int64_t gate = 0; gate < s.gates; ++gate)
    std::copy_n(given + given_gate(s, gate) * s.hidden * columns, s.hidden * columns,
                ordered.begin() + gate * s.hidden * columns);
  const Desc desc({1, 1, columns, s.gates, s.hidden}, f32, Tag::ldgoi);
  return pack(desc, ordered.data(), wanted, true);
}

// The sum of both biases; of a GRU that resets after the product, the last gate's second one stands alone.
std::vector<float> join_biases(const Sizes& s, const float* given) {
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
  explicit Descs(const Sizes& s)
      : x({s.steps, s.batch, s.input}, f32, Tag::tnc),
        y({s.steps, s.batch, s.hidden}, f32, Tag::tnc),
        state({1, 1, s.batch, s.hidden}, f32, Tag::ldnc),
        weights_layer({1, 1, s.input, s.gates, s.hidden}, f32, Tag::any),
        weights_iter({1, 1, s.hidden, s.gates, s.hidden}, f32, Tag::any),
        bias({1, 1, s.bias_gates(), s.hidden}, f32, Tag::ldgo) {}
  Desc x, y, state, weights_layer, weights_iter, bias;
};

template <class Primitive>
Result<Direction> finish(const typename Primitive::desc& desc, const KernelRequest& request, const Sizes& s,
                         const Descs& d, int64_t direction) {
  const typename Primitive::primitive_desc primitive(desc, with_scratch(), engine());
  const int64_t rows = s.gates * s.hidden;
  Direction made;
  made.call = Call(primitive, Primitive(primitive));
  made.weights_layer =
      TRY(pack_gates(s, constant(request, 1) + direction * rows * s.input, s.input, primitive.weights_layer_desc()));
  made.weights_iter =
      TRY(pack_gates(s, constant(request, 2) + direction * rows * s.hidden, s.hidden, primitive.weights_iter_desc()));
  const float* bias = constant(request, 3);
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

Result<Direction> make_direction(const KernelRequest& request, const Sizes& s, int64_t direction, bool backwards) {
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
  Layer(const Sizes& sizes, std::vector<Direction> directions) : s_(sizes), directions_(std::move(directions)) {
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

  Sizes s_;
  std::vector<Direction> directions_;
  size_t own_ = 0;
  float* zeros_ = nullptr;
};

Status check_options(const KernelRequest& request, const Sizes& s) {
  const auto present = [&](size_t i) { return i < request.inputs.size() && request.inputs[i].present; };
  const graph::Attributes& a = request.node.attributes;
  for (size_t i = 0; i < request.inputs.size(); ++i)
    if (i != 4 && present(i) && request.inputs[i].type != DataType::Float) return refuse("only float");
  if (!constant(request, 1) || !constant(request, 2) || (present(3) && !constant(request, 3)))
    return refuse("weights that are not constants");
  if (present(4) || present(7)) return refuse("lengths or peepholes");
  if (get_or<float>(a, "clip", -1.0f) > 0 || graph::flag_of(request.node, "input_forget", false))
    return refuse("clipping or coupled gates");
  if (s.steps == 0 || s.batch == 0 || s.input == 0 || s.hidden == 0) return refuse("an empty tensor");
  constexpr Kind usual[] = {Kind::Sigmoid, Kind::Tanh, Kind::Tanh};
  const auto functions = TRY(gate_functions(request.node, std::span(usual, s.lstm ? 3 : 2), size_t(s.directions)));
  for (size_t i = 0; i < functions.size(); ++i)
    if (functions[i].kind != usual[i % (s.lstm ? 3 : 2)]) return refuse("other activations than sigmoid and tanh");
  return {};
}

MadeKernel make(const KernelRequest& request) {
  for (size_t i = 0; i < 3; ++i)
    if (request.inputs[i].shape.size() != 3) return refuse("x, w and r must have 3 dimensions");
  const std::string way = graph::text_of(request.node, "direction", "forward");
  const Shape &x = request.inputs[0].shape, &r = request.inputs[2].shape;
  Sizes s{x[0], x[1], x[2], r[2], 3, way == "bidirectional" ? 2 : 1, request.node.type == "CommonLSTM", false};
  if (s.lstm) s.gates = 4;
  s.linear_before_reset = graph::flag_of(request.node, "linear_before_reset", false);
  if (request.inputs[1].shape != Shape{s.directions, s.gates * s.hidden, s.input} ||
      r != Shape{s.directions, s.gates * s.hidden, s.hidden})
    return refuse("weights of another shape");
  TRY(check_options(request, s));
  return making([&]() -> MadeKernel {
    std::vector<Direction> directions;
    for (int64_t d = 0; d < s.directions; ++d)
      directions.push_back(TRY(make_direction(request, s, d, way == "reverse" || d == 1)));
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
