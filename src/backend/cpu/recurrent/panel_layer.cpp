// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of floats: one product with the input for all steps, then a small product for each step.
#include <algorithm>

#include "backend/cpu/matmul/product.h"
#include "backend/cpu/packed_weights.h"
#include "backend/cpu/recurrent/unit_layer.h"
#include "backend/cpu/rows.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using matmul::Product;

constexpr int64_t first_only[] = {0};

// Rows of weights, [columns, depth], as the right side of a product: transposed, in panels.
struct Part {
  int64_t row, columns, depth;  // of the weights of a direction
  int64_t size() const { return matmul::packed_size(depth, columns); }
};

// The gates that are multiplied together: those of a GRU need the state twice.
std::vector<Part> parts_of(const Recurrent& op, int64_t hidden, int64_t depth, bool together) {
  if (!op.gru || together) return {{0, op.gates * hidden, depth}};
  return {{0, 2 * hidden, depth}, {2 * hidden, hidden, depth}};
}

// Writes the panels of all parts of all directions, one behind the other. On the threads of the scope.
void pack_parts(std::span<const Part> parts, int64_t directions, int64_t rows, const float* weights, float* to) {
  for (int64_t d = 0; d < directions; ++d)
    for (const Part& part : parts) {
      const float* from = weights + (d * rows + part.row) * part.depth;
      parallel_for(matmul::panels_of(part.columns), 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin * panels::panel_width; c < std::min(end * panels::panel_width, part.columns);
             c += panels::panel_width)
          matmul::pack_panel({from + c * part.depth, 1, part.depth}, part.depth, panels::width_at(c, part.columns),
                             to + c * part.depth);
      });
      to += part.size();
    }
}

// Weights as the products want them: packed when the kernel is made, or at each run where they are not constants.
struct Weights {
  size_t input;
  std::vector<Part> parts;
  int64_t directions, rows;
  PackedWeights packed;  // null: at each run, into `memory`
  float* memory = nullptr;

  int64_t size_of_direction() const {
    int64_t floats = 0;
    for (const Part& part : parts) floats += part.size();
    return floats;
  }
  int64_t size() const { return directions * size_of_direction(); }
  const float* of(int64_t direction, size_t part) const {
    const float* at = (packed ? static_cast<const float*>(packed.get()) : memory) + direction * size_of_direction();
    for (size_t p = 0; p < part; ++p) at += parts[p].size();
    return at;
  }
  Status pack(const KernelRequest& request) {
    const graph::Constant* constant = request.inputs[input].value;
    if (!constant) return {};
    const auto* data = reinterpret_cast<const float*>(constant->bytes.data());
    const std::string form =
        formatted("recurrent {} {} {} {}", parts.size(), parts[0].columns, parts[0].depth, directions);
    packed = TRY(pack_as(form, data, constant->bytes.size(), static_cast<size_t>(size()) * sizeof(float),
                         [&](void* to) -> Status {
                           pack_parts(parts, directions, rows, data, static_cast<float*>(to));
                           return {};
                         }));
    return {};
  }
};

matmul::Sizes sizes_of(int64_t m, const Part& part, int64_t y_row) {
  return {.m = m,
          .n = part.columns,
          .k = part.depth,
          .a_row = part.depth,
          .y_row = y_row,
          .a_starts = first_only,
          .b_starts = first_only,
          .packed = true};
}

class PanelLayer : public Kernel {
 public:
  PanelLayer(Recurrent op, const RecurrentSizes& sizes, Weights w, Weights r, int threads)
      : op_(std::move(op)),
        s_(sizes),
        w_(std::move(w)),
        r_(std::move(r)),
        of_input_(sizes_of(s_.steps * s_.batch, w_.parts[0], row()), threads) {
    for (const Part& part : r_.parts)
      of_state_.emplace_back(sizes_of(s_.batch, part, part.row == 0 ? row() : s_.hidden),
                             threads_of_step(part, threads));
    for (const Product& product : of_state_) step_bytes_ = std::max(step_bytes_, product.scratch_bytes());
    const bool alone = threads > 2 && of_state_[0].threads() > 2;  // a direction has work for all
    if (!alone) together_ = threads_for(2.0 * double(op_.directions * state()) * double(s_.steps * row()), 0);
  }

  Status run(std::span<const Tensor> in, std::span<Tensor> out) override {
    const auto lengths = TRY(lengths_of(op_, in, s_));
    for (Weights* weights : {&w_, &r_})
      if (!weights->packed)
        pack_parts(weights->parts, weights->directions, weights->rows, in[weights->input].as<float>(), weights->memory);
    std::vector<std::unique_ptr<Cell<float>>> cells;
    for (size_t d = 0; d < op_.directions; ++d) {
      cells.push_back(make_direction(in, d));
      const auto bias = cells.back()->bias();
      of_input_.run({in[0].as<float>(), w_.of(int64_t(d), 0), {.bias = bias.data()}, gates_of(int64_t(d))},
                    input_scratch_);
    }
    parallel_pieces(int64_t(op_.directions), together_,
                    [&](int64_t d, int64_t) { run_steps(*cells[size_t(d)], lengths, in, out, size_t(d)); });
    return {};
  }

  bool packed(size_t i) const override { return (i == 1 && w_.packed) || (i == 2 && r_.packed); }
  size_t scratch_bytes() const override {
    return of_input_.scratch_bytes() + op_.directions * direction_bytes() + memory_bytes(w_) + memory_bytes(r_);
  }
  void set_scratch(void* scratch) override {
    input_scratch_ = scratch;
    own_ = static_cast<std::byte*>(scratch) + of_input_.scratch_bytes();
    w_.memory = reinterpret_cast<float*>(own_ + op_.directions * direction_bytes());
    r_.memory = w_.memory + memory_bytes(w_) / sizeof(float);
  }

 private:
  // Small weights are in the second cache from the second step on: only the arithmetic counts.
  int64_t threads_of_step(const Part& part, int64_t threads) const {
    constexpr int64_t cached = 1 << 18;  // floats
    if (part.size() > cached) return threads;
    return std::min(threads, threads_for(2.0 * double(s_.batch * part.columns) * double(part.depth), 0));
  }
  int64_t row() const { return op_.gates * s_.hidden; }
  int64_t state() const { return s_.batch * s_.hidden; }
  static size_t lines(int64_t floats) { return (static_cast<size_t>(floats) * sizeof(float) + 63) / 64 * 64; }
  static size_t memory_bytes(const Weights& weights) { return weights.packed ? 0 : lines(weights.size()); }
  size_t gate_bytes() const { return lines(s_.steps * s_.batch * row()); }
  // Of each direction: the products' own memory, the gates of all steps, and the states h and c.
  size_t direction_bytes() const { return step_bytes_ + gate_bytes() + 2 * lines(state()); }
  std::byte* own_of(int64_t direction) const { return own_ + static_cast<size_t>(direction) * direction_bytes(); }
  float* gates_of(int64_t direction) const { return reinterpret_cast<float*>(own_of(direction) + step_bytes_); }

  std::unique_ptr<Cell<float>> make_direction(std::span<const Tensor> in, size_t d) const {
    const auto n = int64_t(d);
    const auto part = [&](size_t i, int64_t at, int64_t size) -> const float* {
      return i < in.size() && in[i].present ? in[i].as<const float>() + at * size : nullptr;
    };
    const TimesR<float> times_r = [this, n](const float* h, int64_t first, int64_t, float beta, float* y, int64_t) {
      const size_t which = first == 0 ? 0 : 1;
      of_state_[which].run({h, r_.of(n, which), {.addend = beta == 0 ? nullptr : y}, y}, own_of(n));
    };
    CellOptions options = op_.options_of(d);
    options.vectors = true;
    return make_cell<float>(
        op_, s_,
        {times_r, part(3, 2 * n, row()), part(3, 2 * n + 1, row()), op_.lstm ? part(7, n, 3 * s_.hidden) : nullptr},
        options);
  }

  void run_steps(Cell<float>& cell, const std::vector<int64_t>& lengths, std::span<const Tensor> in,
                 std::span<Tensor> out, size_t d) const {
    const auto n = int64_t(d);
    float* gates = gates_of(n);
    auto* h = reinterpret_cast<float*>(own_of(n) + step_bytes_ + gate_bytes());
    float* c = h + lines(state()) / sizeof(float);
    const auto start = [&](size_t i, float* to) {
      if (i < in.size() && in[i].present)
        std::copy_n(in[i].as<float>() + n * state(), state(), to);
      else
        std::fill_n(to, state(), 0.0f);
    };
    start(5, h);
    if (op_.lstm) start(6, c);
    std::vector<bool> active(static_cast<size_t>(s_.batch));
    for (int64_t i = 0; i < s_.steps; ++i) {
      const int64_t t = op_.backwards(d) ? s_.steps - 1 - i : i;
      for (size_t b = 0; b < active.size(); ++b) active[b] = t < lengths[b];
      cell.step(gates + t * s_.batch * row(), h, c, active);
      if (out[0].present && out[0].data)
        put_states(h, active, out[0].as<float>() + (t * int64_t(op_.directions) + n) * state());
    }
    const auto keep = [&](size_t o, const float* from) {
      if (o < out.size() && out[o].data) std::copy_n(from, state(), out[o].as<float>() + n * state());
    };
    keep(1, h);
    if (op_.lstm) keep(2, c);
  }

  // The states of a step as results: zeros for batches that are over.
  void put_states(const float* h, const std::vector<bool>& active, float* y) const {
    for (size_t b = 0; b < active.size(); ++b, h += s_.hidden, y += s_.hidden)
      if (active[b])
        std::copy_n(h, s_.hidden, y);
      else
        std::fill_n(y, s_.hidden, 0.0f);
  }

  const Recurrent op_;
  const RecurrentSizes s_;
  Weights w_, r_;
  const Product of_input_;
  std::vector<Product> of_state_;  // by parts of r
  size_t step_bytes_ = 0;
  int64_t together_ = 1;  // directions that run at the same time, at the most
  void* input_scratch_ = nullptr;
  std::byte* own_ = nullptr;
};

MadeKernel make(const KernelRequest& request) {
  Recurrent op = TRY(read_recurrent(request));
  const auto& in = request.inputs;
  for (size_t i = 0; i < in.size(); ++i)
    if (i != 4 && in[i].present && in[i].type != DataType::Float) return refuse("only float");
  const RecurrentSizes s{in[0].shape[0], in[0].shape[1], in[0].shape[2], in[2].shape[2]};
  if (s.steps == 0 || s.batch == 0 || s.input == 0 || s.hidden == 0) return refuse("an empty tensor");
  if (is_unit_layer(op, request)) return make_unit_layer(op, s, request);
  const auto directions = int64_t(op.directions), rows = op.gates * s.hidden;
  Weights w{1, parts_of(op, s.hidden, s.input, true), directions, rows, {}};
  Weights r{2, parts_of(op, s.hidden, s.hidden, false), directions, rows, {}};
  TRY(w.pack(request));
  TRY(r.pack(request));
  return std::unique_ptr<Kernel>(new PanelLayer(std::move(op), s, std::move(w), std::move(r), request.threads));
}

constexpr KernelRow rows[] = {
    {"CommonLSTM", "panels", make},
    {"CommonGRU", "panels", make},
    {"CommonRNN", "panels", make},
};

}  // namespace

std::span<const KernelRow> panel_recurrent_rows() { return rows; }

}  // namespace belay::backend::cpu
