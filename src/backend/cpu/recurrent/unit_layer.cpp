// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/recurrent/unit_layer.h"

#include <algorithm>

#include "backend/cpu/matmul/product.h"
#include "backend/cpu/recurrent/unit_weights.h"
#include "base/threads/parallel.h"
#include "base/threads/steps.h"

namespace belay::backend::cpu {
namespace {

constexpr int64_t first_only[] = {0};
constexpr int64_t rows_together = 96;  // of a product with one panel: their sums stay in the cache

size_t lines(int64_t bytes) { return static_cast<size_t>(bytes + 63) / 64 * 64; }
size_t lines_of_floats(int64_t count) { return lines(count * static_cast<int64_t>(sizeof(float))); }

// How many threads a step pays for: it is short, and each has to see what the others did before the next.
int64_t pieces_of_step(const RecurrentSizes& s, const UnitColumns& columns, int64_t threads) {
  constexpr double operations_a_second = 40e9, worth = 4e-6;
  const double operations = 2.0 * double(s.batch * s.hidden) * double(columns.of_direction());
  const auto paid = static_cast<int64_t>(operations / operations_a_second / worth);
  return std::clamp<int64_t>(std::min({threads, paid, columns.panels()}), 1, 64);
}

class UnitLayer : public Kernel {
 public:
  UnitLayer(Recurrent op, const RecurrentSizes& sizes, UnitWeights w, UnitWeights r, int threads)
      : op_(std::move(op)),
        s_(sizes),
        columns_{int64_t(op_.directions), op_.gates, s_.hidden},
        w_(std::move(w)),
        r_(std::move(r)),
        of_input_({.m = s_.steps * s_.batch,
                   .n = row(),
                   .k = s_.input,
                   .a_row = s_.input,
                   .y_row = row(),
                   .a_starts = first_only,
                   .b_starts = first_only,
                   .packed = true},
                  threads),
        pieces_(pieces_of_step(s_, columns_, threads)) {
    const double operations = 2.0 * double(s_.steps * s_.batch * s_.hidden) * double(row());
    members_ = std::min<int64_t>(threads, threads_for(operations, 0));
  }

  Status run(std::span<const Tensor> in, std::span<Tensor> out) override {
    const auto lengths = TRY(lengths_of(op_, in, s_));
    w_.pack_at_run(in);
    r_.pack_at_run(in);
    put_bias(in);
    of_input_.run({in[0].as<float>(), w_.data(), {.bias = bias_}, gates_}, scratch_);
    for (int64_t d = 0; d < columns_.directions; ++d) start(in, d);
    const Run run{this, lengths, candidate_bias(in)};
    if (pieces_ > 1 && std::min<int64_t>(members_, current_threads()) > 1) {
      Together together(run);
      run_steps(columns_.directions * s_.steps, pieces_, std::min(members_, pieces_), together);
    } else {
      parallel_pieces(columns_.directions, members_, [&](int64_t d, int64_t) { run_alone(run, d); });
    }
    put_results(lengths, out);
    return {};
  }

  bool packed(size_t i) const override { return (i == 1 && w_.packed()) || (i == 2 && r_.packed()); }
  size_t scratch_bytes() const override {
    return of_input_.scratch_bytes() + bias_bytes() + gate_bytes() + 2 * state_bytes() +
           static_cast<size_t>(owners()) * own_bytes() + w_.memory_bytes() + r_.memory_bytes();
  }
  void set_scratch(void* scratch) override {
    scratch_ = scratch;
    auto* at = static_cast<std::byte*>(scratch) + of_input_.scratch_bytes();
    const auto take = [&](size_t bytes) { return reinterpret_cast<float*>(std::exchange(at, at + bytes)); };
    bias_ = take(bias_bytes());
    gates_ = take(gate_bytes());
    h_ = take(state_bytes());
    c_ = take(state_bytes());
    own_ = reinterpret_cast<std::byte*>(take(static_cast<size_t>(owners()) * own_bytes()));
    w_.set_memory(take(w_.memory_bytes()));
    r_.set_memory(take(r_.memory_bytes()));
  }

 private:
  // What a run of it has besides.
  struct Run {
    const UnitLayer* layer;
    const std::vector<int64_t>& lengths;
    const float* candidate_bias;  // of the state's part, of the first direction; null: none
  };
  // States of some units of all batches, wherever they are.
  struct States {
    float *h, *c;
    int64_t row;  // from a batch to the next
  };
  // Memory of one thread.
  struct Own {
    float* sums;
    const float** rows;
    States states;
  };

  // The steps of one direction after the other: so each thread has fewer weights to keep in its cache.
  class Together final : public SteppedWork {
   public:
    explicit Together(const Run& run) : run_(run), layer_(*run.layer) {}
    void compute(int64_t step, int64_t piece, int64_t member) override {
      const Own own = layer_.own_of(member);
      const auto [begin, end] = panels_of(piece);
      layer_.advance(run_, step / layer_.s_.steps, step % layer_.s_.steps, begin, end, own, own.states);
    }
    void publish(int64_t step, int64_t piece, int64_t member) override {
      const auto [begin, end] = panels_of(piece);
      const States from = layer_.own_of(member).states,
                   to = layer_.states_at(step / layer_.s_.steps, step % layer_.s_.steps + 1);
      const int64_t unit = begin * units_of_panel, count = std::min(end * units_of_panel, layer_.s_.hidden) - unit;
      for (int64_t b = 0; b < layer_.s_.batch; ++b) {
        std::copy_n(from.h + b * from.row, count, to.h + b * to.row + unit);
        if (layer_.op_.lstm) std::copy_n(from.c + b * from.row, count, to.c + b * to.row + unit);
      }
    }

   private:
    std::pair<int64_t, int64_t> panels_of(int64_t piece) const {
      const int64_t panels = layer_.columns_.panels();
      return {panels * piece / layer_.pieces_, panels * (piece + 1) / layer_.pieces_};
    }
    const Run& run_;
    const UnitLayer& layer_;
  };

  void run_alone(const Run& run, int64_t d) const {
    for (int64_t i = 0; i < s_.steps; ++i) advance(run, d, i, 0, columns_.panels(), own_of(d), states_at(d, i + 1));
  }

  // Step i of a direction, for the units of some panels; `to` is where the states of the first unit go. The panels are
  // read forwards and backwards in turn: so the last ones are still in the cache.
  void advance(const Run& run, int64_t d, int64_t i, int64_t begin, int64_t end, const Own& own, States to) const {
    for (int64_t n = 0; n < end - begin; ++n) {
      const int64_t panel = i % 2 == 0 ? begin + n : end - 1 - n, unit = (panel - begin) * units_of_panel;
      for (int64_t b = 0; b < s_.batch; b += rows_together)
        advance_rows(run, d, i, panel, b, std::min(s_.batch, b + rows_together), own,
                     {to.h + unit, to.c + unit, to.row});
    }
  }

  void advance_rows(const Run& run, int64_t d, int64_t i, int64_t panel, int64_t first, int64_t end, const Own& own,
                    States to) const {
    const int64_t t = time_of(d, i), width = columns_.width(), units = columns_.units(panel),
                  unit = panel * units_of_panel, count = end - first;
    const States from = states_at(d, i);
    for (int64_t b = first; b < end; ++b) own.rows[b - first] = from.h + b * from.row;
    panels::multiply({own.rows, count, count, 1, s_.hidden}, r_.of_direction(d) + panel * width * s_.hidden, width, {},
                     own.sums, own.sums, width);
    for (int64_t b = first; b < end; ++b) {
      const float *x = gates_ + (t * s_.batch + b) * row() + d * columns_.of_direction() + panel * width,
                  *r = own.sums + (b - first) * width, *h = from.h + b * from.row + unit,
                  *c = from.c + b * from.row + unit;
      float *next_h = to.h + b * to.row, *next_c = to.c + b * to.row;
      if (t >= run.lengths[size_t(b)]) {
        std::copy_n(h, units, next_h);
        if (op_.lstm) std::copy_n(c, units, next_c);
      } else if (op_.lstm) {
        advance_lstm(x, r, c, next_h, next_c, units);
      } else {
        const float* bias = run.candidate_bias;
        advance_gru_reset_last(x, r, bias ? bias + 2 * d * op_.gates * s_.hidden + unit : nullptr, h, next_h, units);
      }
    }
  }

  // The sums of both biases, in the order of the columns. A GRU's candidate has only the first here.
  void put_bias(std::span<const Tensor> in) const {
    const bool given = in.size() > 3 && in[3].present;
    for (int64_t column = 0; column < row(); ++column) {
      const int64_t unit = column % units_of_panel, block = column / units_of_panel, gate = block % op_.gates,
                    panel = block / op_.gates % columns_.panels(), d = block / op_.gates / columns_.panels();
      bias_[column] = 0;
      if (!given || unit >= columns_.units(panel)) continue;
      const float* w = in[3].as<float>() + (2 * d * op_.gates + gate) * s_.hidden + panel * units_of_panel + unit;
      bias_[column] = op_.gru && gate == 2 ? *w : w[0] + w[op_.gates * s_.hidden];
    }
  }
  const float* candidate_bias(std::span<const Tensor> in) const {
    return op_.gru && in.size() > 3 && in[3].present ? in[3].as<float>() + (op_.gates + 2) * s_.hidden : nullptr;
  }

  // The states before the first step.
  void start(std::span<const Tensor> in, int64_t d) const {
    const auto put = [&](size_t i, float* to) {
      if (i < in.size() && in[i].present)
        std::copy_n(in[i].as<float>() + d * state(), state(), to);
      else
        std::fill_n(to, state(), 0.0f);
    };
    put(5, states_at(d, 0).h);
    if (op_.lstm) put(6, states_at(d, 0).c);
  }

  void put_results(const std::vector<int64_t>& lengths, std::span<Tensor> out) const {
    if (out[0].present && out[0].data)
      parallel_for(columns_.directions * s_.steps, std::max<int64_t>(1, 65536 / state()),
                   [&](int64_t begin, int64_t end) {
                     for (int64_t step = begin; step < end; ++step)
                       put_step(lengths, step / s_.steps, step % s_.steps, out[0].as<float>());
                   });
    const auto keep = [&](size_t o, int64_t d, const float* from) {
      if (o < out.size() && out[o].data) std::copy_n(from, state(), out[o].as<float>() + d * state());
    };
    for (int64_t d = 0; d < columns_.directions; ++d) {
      keep(1, d, states_at(d, s_.steps).h);
      if (op_.lstm) keep(2, d, states_at(d, s_.steps).c);
    }
  }

  // The states after a step as results: zeros for batches that are over.
  void put_step(const std::vector<int64_t>& lengths, int64_t d, int64_t i, float* y) const {
    const int64_t t = time_of(d, i);
    const States from = states_at(d, i + 1);
    y += (t * columns_.directions + d) * state();
    for (int64_t b = 0; b < s_.batch; ++b)
      if (t < lengths[size_t(b)])
        std::copy_n(from.h + b * from.row, s_.hidden, y + b * s_.hidden);
      else
        std::fill_n(y + b * s_.hidden, s_.hidden, 0.0f);
  }

  int64_t row() const { return columns_.directions * columns_.of_direction(); }  // of the gates
  int64_t state() const { return s_.batch * s_.hidden; }
  int64_t time_of(int64_t d, int64_t i) const { return op_.backwards(size_t(d)) ? s_.steps - 1 - i : i; }
  // Before step i. All are kept: a thread that was displaced may still read old ones.
  States states_at(int64_t d, int64_t i) const {
    const int64_t at = (d * (s_.steps + 1) + i) * state();
    return {h_ + at, c_ + at, s_.hidden};
  }

  int64_t owners() const { return std::max(pieces_, columns_.directions); }
  int64_t most_units() const { return (columns_.panels() / pieces_ + 1) * units_of_panel; }  // of a piece
  size_t sum_bytes() const { return lines_of_floats(std::min(s_.batch, rows_together) * columns_.width()); }
  size_t pointer_bytes() const {
    return lines(std::min(s_.batch, rows_together) * static_cast<int64_t>(sizeof(float*)));
  }
  size_t own_state_bytes() const { return lines_of_floats(s_.batch * most_units()); }
  size_t own_bytes() const { return sum_bytes() + pointer_bytes() + 2 * own_state_bytes(); }
  Own own_of(int64_t member) const {
    std::byte* own = own_ + static_cast<size_t>(member) * own_bytes();
    auto* h = reinterpret_cast<float*>(own + sum_bytes() + pointer_bytes());
    return {reinterpret_cast<float*>(own),
            reinterpret_cast<const float**>(own + sum_bytes()),
            {h, h + own_state_bytes() / sizeof(float), most_units()}};
  }
  size_t bias_bytes() const { return lines_of_floats(row()); }
  size_t gate_bytes() const { return lines_of_floats(s_.steps * s_.batch * row()); }
  size_t state_bytes() const { return lines_of_floats(columns_.directions * (s_.steps + 1) * state()); }

  const Recurrent op_;
  const RecurrentSizes s_;
  const UnitColumns columns_;
  UnitWeights w_, r_;
  const matmul::Product of_input_;
  const int64_t pieces_;  // of a step, when threads share it
  int64_t members_;       // threads, at the most
  void* scratch_ = nullptr;
  float *bias_ = nullptr, *gates_ = nullptr, *h_ = nullptr, *c_ = nullptr;
  std::byte* own_ = nullptr;
};

}  // namespace

bool is_unit_layer(const Recurrent& op, const KernelRequest& request) {
  const auto& in = request.inputs;
  if (op.clip > 0 || op.couple || (op.lstm && in.size() > 7 && in[7].present)) return false;
  for (size_t d = 0; d < op.directions; ++d) {
    const auto functions = op.options_of(d).functions;
    if (!(op.lstm && is_usual_lstm(functions)) && !(op.gru && op.linear_before_reset && is_usual_gru(functions)))
      return false;
  }
  return true;
}

MadeKernel make_unit_layer(const Recurrent& op, const RecurrentSizes& s, const KernelRequest& request) {
  constexpr int64_t blocks = panels::panel_width / units_of_panel;
  const UnitColumns columns{int64_t(op.directions), op.gates, s.hidden};
  UnitWeights w(1, columns, s.input, blocks), r(2, columns, s.hidden, op.gates);
  TRY(w.pack_constant(request));
  TRY(r.pack_constant(request));
  return std::unique_ptr<Kernel>(new UnitLayer(op, s, std::move(w), std::move(r), request.threads));
}

}  // namespace belay::backend::cpu
