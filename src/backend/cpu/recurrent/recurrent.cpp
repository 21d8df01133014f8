// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and plain recurrent layers: the products with the input for all steps at once, then step by step.
#include <algorithm>

#include "backend/cpu/arguments.h"
#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/gemm.h"
#include "backend/cpu/recurrent/cell.h"
#include "backend/cpu/rows.h"
#include "base/parallel.h"
#include "base/text.h"
#include "graph/infer_arguments.h"

namespace belay::backend::cpu {
namespace {

using Kind = GateFunction::Kind;

// A tensor's elements in the type that is computed with: its own memory, or a copy.
template <class C>
class View {
 public:
  template <class T>
  explicit View(const Tensor& tensor, T (*)()) {
    if (!tensor.present) return;
    if constexpr (std::is_same_v<T, C>) {
      data_ = tensor.as<C>();
    } else {
      copy_.assign(tensor.as<T>(), tensor.as<T>() + tensor.count());
      data_ = copy_.data();
    }
  }
  // Part `i` of `parts` equal ones; null when there is no tensor.
  const C* part(int64_t i, int64_t size) const { return data_ ? data_ + i * size : nullptr; }

 private:
  const C* data_ = nullptr;
  std::vector<C> copy_;
};

struct Recurrent {
  std::string label;
  std::vector<GateFunction> functions;  // direction by direction
  size_t directions = 1, per_direction = 1;
  int64_t gates = 1;
  bool reverse = false, lstm = false, gru = false;
  double clip = -1;
  bool couple = false, linear_before_reset = false;
};

// x, w, r, b, sequence_lens, initial_h, initial_c, p: those that are absent too.
template <class C, class T>
struct Arguments {
  explicit Arguments(Inputs in, const Recurrent& op)
      : x(at(in, 0), type()),
        w(at(in, 1), type()),
        r(at(in, 2), type()),
        b(at(in, 3), type()),
        h(at(in, 5), type()),
        c(op.lstm ? at(in, 6) : absent(), type()),
        p(op.lstm ? at(in, 7) : absent(), type()) {}
  static T (*type())() { return nullptr; }
  static Tensor absent() { return {.present = false}; }
  static Tensor at(Inputs in, size_t i) { return i < in.size() ? in[i] : absent(); }

  View<C> x, w, r, b, h, c, p;
};

Result<std::vector<int64_t>> lengths_of(const Recurrent& op, Inputs in, const RecurrentSizes& sizes) {
  if (in.size() <= 4 || !in[4].present) return std::vector<int64_t>(size_t(sizes.batch), sizes.steps);
  auto lengths = TRY(integers(in[4]));
  if (int64_t(lengths.size()) != sizes.batch) return failed(op.label, "sequence_lens needs a length for each batch");
  for (size_t b = 0; b < lengths.size(); ++b)
    if (lengths[b] < 0 || lengths[b] > sizes.steps)
      return bad_index(op.label, lengths[b], int64_t(b), sizes.steps + 1, false);
  return lengths;
}

template <class C>
std::unique_ptr<Cell<C>> make_cell(const Recurrent& op, const RecurrentSizes& sizes, const CellWeights<C>& weights,
                                   const CellOptions& options) {
  if (op.lstm) return make_lstm<C>(sizes, weights, options);
  return op.gru ? make_gru<C>(sizes, weights, options) : make_rnn<C>(sizes, weights, options);
}

template <class C, class T>
void run_direction(const Recurrent& op, size_t d, const RecurrentSizes& s, const std::vector<int64_t>& lengths,
                   const Arguments<C, T>& a, Outputs out) {
  const auto n = int64_t(d);
  const int64_t rows = op.gates * s.hidden, state = s.batch * s.hidden;
  const CellWeights<C> weights{a.w.part(n, rows * s.input), a.r.part(n, rows * s.hidden), a.b.part(2 * n, rows),
                               a.b.part(2 * n + 1, rows), a.p.part(n, 3 * s.hidden)};
  const CellOptions options{std::span(op.functions).subspan(d * op.per_direction, op.per_direction), op.clip, op.couple,
                            op.linear_before_reset};
  const auto cell = make_cell(op, s, weights, options);
  const auto bias = cell->bias();
  std::vector<C> gates(size_t(s.steps * s.batch * rows));
  for (int64_t i = 0; i < s.steps * s.batch; ++i) std::copy(bias.begin(), bias.end(), &gates[size_t(i * rows)]);
  gemm(s.steps * s.batch, rows, s.input, Matrix<C>{a.x.part(0, 0), s.input}, Matrix<C>{weights.w, s.input, true}, C(1),
       gates.data(), rows);
  std::vector<C> h(static_cast<size_t>(state)), c(static_cast<size_t>(state));
  if (const C* given = a.h.part(n, state)) h.assign(given, given + state);
  if (const C* given = a.c.part(n, state)) c.assign(given, given + state);
  std::vector<bool> active(static_cast<size_t>(s.batch));
  for (int64_t i = 0; i < s.steps; ++i) {
    const int64_t t = op.reverse || d == 1 ? s.steps - 1 - i : i;
    for (size_t b = 0; b < active.size(); ++b) active[b] = t < lengths[b];
    cell->step(&gates[size_t(t * s.batch * rows)], h.data(), c.data(), active);
    if (!out[0].present || !out[0].data) continue;
    T* y = out[0].as<T>() + (t * int64_t(op.directions) + n) * state;
    for (int64_t k = 0; k < state; ++k) y[k] = active[size_t(k / s.hidden)] ? T(h[size_t(k)]) : T(C(0));
  }
  const auto keep = [&](size_t output, const std::vector<C>& from) {
    if (output < out.size() && out[output].data) std::copy(from.begin(), from.end(), out[output].as<T>() + n * state);
  };
  keep(1, h);
  if (op.lstm) keep(2, c);
}

Status run_layer(const Recurrent& op, Inputs in, Outputs out) {
  const RecurrentSizes sizes{in[0].shape[0], in[0].shape[1], in[0].shape[2], in[2].shape[2]};
  const auto lengths = TRY(lengths_of(op, in, sizes));
  return with_type(FloatTypes{}, in[0].type, [&]<class T>() -> Status {
    using C = compute_t<T>;
    const Arguments<C, T> arguments(in, op);
    for (size_t d = 0; d < op.directions; ++d) run_direction(op, d, sizes, lengths, arguments, out);
    return {};
  });
}

Status check_shapes(const KernelRequest& request, const Recurrent& op) {
  const auto& in = request.inputs;
  if (in[0].shape.size() != 3 || in[1].shape.size() != 3 || in[2].shape.size() != 3)
    return refuse("x, w and r must have 3 dimensions");
  const auto directions = int64_t(op.directions);
  const int64_t batch = in[0].shape[1], input = in[0].shape[2], hidden = in[2].shape[2], rows = op.gates * hidden;
  const Shape wanted[] = {{directions, rows, input}, {directions, rows, hidden}, {directions, 2 * rows}};
  for (size_t i = 1; i < 4 && i < in.size(); ++i)
    if (in[i].present && in[i].shape != wanted[i - 1])
      return refuse(formatted("input {} is {}, not {}", i, graph::to_text(in[i].shape), graph::to_text(wanted[i - 1])));
  for (size_t i = 5; i < 7 && i < in.size(); ++i)
    if (in[i].present && in[i].shape != Shape{directions, batch, hidden})
      return refuse("an initial state has another shape than [directions, batch, hidden]");
  if (in.size() > 7 && in[7].present && in[7].shape != Shape{directions, 3 * hidden})
    return refuse("p must be [directions, 3 * hidden]");
  for (const size_t i : {1, 2, 3, 5, 6, 7})
    if (i < in.size() && in[i].present && in[i].type != in[0].type) return refuse("the inputs differ in type");
  return {};
}

MadeKernel make_layer(const KernelRequest& request) {
  const auto& node = request.node;
  const std::string direction = graph::text_of(node, "direction", "forward");
  Recurrent op{.label = label_of(node), .functions = {}};
  op.directions = direction == "bidirectional" ? 2 : 1;
  op.reverse = direction == "reverse";
  op.lstm = node.type == "CommonLSTM";
  op.gru = node.type == "CommonGRU";
  op.gates = op.lstm ? 4 : op.gru ? 3 : 1;
  op.clip = graph::get_or<float>(node.attributes, "clip", -1.0f);
  op.couple = graph::flag_of(node, "input_forget", false);
  op.linear_before_reset = graph::flag_of(node, "linear_before_reset", false);
  constexpr Kind defaults[] = {Kind::Sigmoid, Kind::Tanh, Kind::Tanh}, plain[] = {Kind::Tanh};
  const std::span<const Kind> kinds =
      op.lstm || op.gru ? std::span(defaults, op.lstm ? 3 : 2) : std::span<const Kind>(plain);
  op.per_direction = kinds.size();
  op.functions = TRY(gate_functions(node, kinds, op.directions));
  TRY(check_shapes(request, op));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return run_layer(op, in, out); });
}

constexpr KernelRow rows[] = {
    {"CommonLSTM", "reference", make_layer},
    {"CommonGRU", "reference", make_layer},
    {"CommonRNN", "reference", make_layer},
};

}  // namespace

std::span<const KernelRow> recurrent_rows() { return rows; }

}  // namespace belay::backend::cpu
