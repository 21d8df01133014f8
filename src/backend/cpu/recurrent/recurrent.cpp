// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and plain recurrent layers: the products with the input for all steps at once, then step by step.
#include <algorithm>

#include "backend/cpu/element.h"
#include "backend/cpu/function_kernel.h"
#include "backend/cpu/gemm.h"
#include "backend/cpu/recurrent/layer.h"
#include "backend/cpu/rows.h"

namespace belay::backend::cpu {
namespace {

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

template <class C, class T>
void run_direction(const Recurrent& op, size_t d, const RecurrentSizes& s, const std::vector<int64_t>& lengths,
                   const Arguments<C, T>& a, Outputs out) {
  const auto n = int64_t(d);
  const int64_t rows = op.gates * s.hidden, state = s.batch * s.hidden;
  const C* r = a.r.part(n, rows * s.hidden);
  const TimesR<C> times_r = [&](const C* h, int64_t first, int64_t gates, C beta, C* y, int64_t y_row) {
    gemm(s.batch, gates * s.hidden, s.hidden, Matrix<C>{h, s.hidden},
         Matrix<C>{r + first * s.hidden * s.hidden, s.hidden, true}, beta, y, y_row);
  };
  const CellWeights<C> weights{times_r, a.b.part(2 * n, rows), a.b.part(2 * n + 1, rows), a.p.part(n, 3 * s.hidden)};
  const auto cell = make_cell(op, s, weights, op.options_of(d));
  const auto bias = cell->bias();
  std::vector<C> gates(size_t(s.steps * s.batch * rows));
  for (int64_t i = 0; i < s.steps * s.batch; ++i) std::copy(bias.begin(), bias.end(), &gates[size_t(i * rows)]);
  gemm(s.steps * s.batch, rows, s.input, Matrix<C>{a.x.part(0, 0), s.input},
       Matrix<C>{a.w.part(n, rows * s.input), s.input, true}, C(1), gates.data(), rows);
  std::vector<C> h(static_cast<size_t>(state)), c(static_cast<size_t>(state));
  if (const C* given = a.h.part(n, state)) h.assign(given, given + state);
  if (const C* given = a.c.part(n, state)) c.assign(given, given + state);
  std::vector<bool> active(static_cast<size_t>(s.batch));
  for (int64_t i = 0; i < s.steps; ++i) {
    const int64_t t = op.backwards(d) ? s.steps - 1 - i : i;
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

MadeKernel make(const KernelRequest& request) {
  const Recurrent op = TRY(read_recurrent(request));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return run_layer(op, in, out); });
}

constexpr KernelRow rows[] = {
    {"CommonLSTM", "reference", make},
    {"CommonGRU", "reference", make},
    {"CommonRNN", "reference", make},
};

}  // namespace

std::span<const KernelRow> recurrent_rows() { return rows; }

}  // namespace belay::backend::cpu
