// SPDX-License-Identifier: Apache-2.0
// Recurrent layers against plain loops in double precision, as ONNX describes them.
#include <functional>
#include <random>

#include "base/threads/cores.h"
#include "base/threads/pool.h"
#include "support/older_processor.h"
#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;
using Function = std::function<double(double)>;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double tanh_of(double x) { return std::tanh(x); }

struct Layer {
  std::string op, direction = "forward";
  int64_t steps, batch, input, hidden;
  bool bias = true, states = false, peepholes = false, couple = false, linear_before_reset = false;
  double clip = 0;
  std::vector<int64_t> lengths = {};
  std::vector<std::string> activations = {};  // of one direction
  std::vector<Function> functions = {};       // what they are

  int64_t gates() const { return op == "CommonLSTM" ? 4 : op == "CommonGRU" ? 3 : 1; }
  int64_t directions() const { return direction == "bidirectional" ? 2 : 1; }
};

struct Tensors {
  Numbers x, w, r, b, h, c, p;
};

Numbers random(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  Numbers all(static_cast<size_t>(count));
  for (double& number : all)
    number = static_cast<double>(static_cast<float>(static_cast<int>(generator() % 2001) / 1000.0 - 1));
  return all;
}

Tensors random_tensors(const Layer& l) {
  const int64_t rows = l.gates() * l.hidden, d = l.directions();
  Tensors t;
  t.x = random(l.steps * l.batch * l.input, 1);
  t.w = random(d * rows * l.input, 2);
  t.r = random(d * rows * l.hidden, 3);
  t.b = l.bias ? random(d * 2 * rows, 4) : Numbers(static_cast<size_t>(d * 2 * rows));
  const int64_t state = d * l.batch * l.hidden;
  t.h = l.states ? random(state, 5) : Numbers(static_cast<size_t>(state));
  t.c = l.states ? random(state, 6) : Numbers(static_cast<size_t>(state));
  t.p = l.peepholes ? random(d * 3 * l.hidden, 7) : Numbers(static_cast<size_t>(d * 3 * l.hidden));
  return t;
}

struct Results {
  Numbers y, h, c;
};

// One unit of one batch, step by step: everything by index.
class Plain {
 public:
  Plain(const Layer& layer, const Tensors& tensors) : l(layer), t(tensors) {}

  Results run() {
    Results out{Numbers(size_t(l.steps * l.directions() * l.batch * l.hidden)), t.h, t.c};
    for (d = 0; d < l.directions(); ++d)
      for (b = 0; b < l.batch; ++b) {
        const int64_t steps = l.lengths.empty() ? l.steps : l.lengths[size_t(b)];
        Numbers h = part(t.h), c = part(t.c);
        for (int64_t i = 0; i < steps; ++i) {
          const bool back = l.direction == "reverse" || d == 1;
          step = back ? steps - 1 - i : i;
          advance(h, c);
          for (int64_t k = 0; k < l.hidden; ++k)
            out.y[size_t(((step * l.directions() + d) * l.batch + b) * l.hidden + k)] = h[size_t(k)];
        }
        std::copy(h.begin(), h.end(), out.h.begin() + (d * l.batch + b) * l.hidden);
        std::copy(c.begin(), c.end(), out.c.begin() + (d * l.batch + b) * l.hidden);
      }
    return out;
  }

 private:
  Numbers part(const Numbers& all) const {
    const auto first = all.begin() + (d * l.batch + b) * l.hidden;
    return {first, first + l.hidden};
  }
  double clipped(double x) const { return l.clip > 0 ? std::clamp(x, -l.clip, l.clip) : x; }
  double of_x(int64_t gate, int64_t k) const {
    const int64_t row = (d * l.gates() + gate) * l.hidden + k;
    double sum = t.b[size_t(d * 2 * l.gates() * l.hidden + gate * l.hidden + k)];
    for (int64_t j = 0; j < l.input; ++j)
      sum += t.x[size_t((step * l.batch + b) * l.input + j)] * t.w[size_t(row * l.input + j)];
    return sum;
  }
  double of_h(const Numbers& h, int64_t gate, int64_t k) const {
    const int64_t row = (d * l.gates() + gate) * l.hidden + k;
    double sum = 0;
    for (int64_t j = 0; j < l.hidden; ++j) sum += h[size_t(j)] * t.r[size_t(row * l.hidden + j)];
    return sum;
  }
  double r_bias(int64_t gate, int64_t k) const {
    return t.b[size_t((d * 2 + 1) * l.gates() * l.hidden + gate * l.hidden + k)];
  }
  double peep(int64_t which, int64_t k) const { return t.p[size_t((d * 3 + which) * l.hidden + k)]; }

  void advance(Numbers& h, Numbers& c) {
    const Numbers before = h;
    Numbers reset(before.size());
    const auto n = size_t(l.hidden);
    if (l.op == "CommonGRU")
      for (size_t k = 0; k < n; ++k)
        reset[k] = before[k] *
                   l.functions[0](clipped(of_x(1, int64_t(k)) + of_h(before, 1, int64_t(k)) + r_bias(1, int64_t(k))));
    for (size_t i = 0; i < n; ++i) {
      const auto k = int64_t(i);
      const auto gate = [&](int64_t g) { return of_x(g, k) + of_h(before, g, k) + r_bias(g, k); };
      if (l.op == "CommonRNN") {
        h[i] = l.functions[0](clipped(gate(0)));
      } else if (l.op == "CommonLSTM") {
        const double in = l.functions[0](clipped(gate(0) + peep(0, k) * c[i]));
        const double forget = l.couple ? 1 - in : l.functions[0](clipped(gate(2) + peep(2, k) * c[i]));
        c[i] = forget * c[i] + in * l.functions[1](clipped(gate(3)));
        h[i] = l.functions[0](clipped(gate(1) + peep(1, k) * c[i])) * l.functions[2](c[i]);
      } else {
        const double z = l.functions[0](clipped(gate(0))), r = l.functions[0](clipped(gate(1)));
        const double state =
            l.linear_before_reset ? r * (of_h(before, 2, k) + r_bias(2, k)) : of_h(reset, 2, k) + r_bias(2, k);
        h[i] = (1 - z) * l.functions[1](clipped(of_x(2, k) + state)) + z * before[i];
      }
    }
  }

  const Layer& l;
  const Tensors& t;
  int64_t d = 0, b = 0, step = 0;
};

void expect_layer(Layer l, bool constant) {
  SCOPED_TRACE(l.op + " " + l.direction + " " + std::to_string(l.steps) + " " + std::to_string(l.batch) + " " +
               std::to_string(l.input) + " " + std::to_string(l.hidden));
  if (l.functions.empty()) l.functions = {sigmoid, tanh_of, tanh_of};
  if (l.op == "CommonRNN" && l.activations.empty()) l.functions = {tanh_of};
  const Tensors t = random_tensors(l);
  const int64_t rows = l.gates() * l.hidden, d = l.directions();
  const Shape state = {d, l.batch, l.hidden};
  std::vector<std::string> activations;
  for (int64_t i = 0; i < d; ++i) activations.insert(activations.end(), l.activations.begin(), l.activations.end());
  OpCall call{l.op,
              {tensor<float>({l.steps, l.batch, l.input}, t.x), tensor<float>({d, rows, l.input}, t.w),
               tensor<float>({d, rows, l.hidden}, t.r), l.bias ? tensor<float>({d, 2 * rows}, t.b) : absent(),
               l.lengths.empty() ? absent() : tensor<int32_t>({l.batch}, Numbers(l.lengths.begin(), l.lengths.end())),
               l.states ? tensor<float>(state, t.h) : absent()},
              {{"direction", l.direction},
               {"hidden_size", l.hidden},
               {"linear_before_reset", int64_t{l.linear_before_reset}},
               {"input_forget", int64_t{l.couple}}},
              "panels"};
  if (l.clip > 0) call.attributes["clip"] = static_cast<float>(l.clip);
  if (!activations.empty()) call.attributes["activations"] = activations;
  if (l.op == "CommonLSTM") {
    call.inputs.push_back(l.states ? tensor<float>(state, t.c) : absent());
    call.inputs.push_back(l.peepholes ? tensor<float>({d, 3 * l.hidden}, t.p) : absent());
  }
  call.constant = constant;
  const Results want = Plain(l, t).run();
  for (const int threads : {1, 2, 5}) {
    call.threads = threads;
    const auto got = run(call);
    ASSERT_TRUE(got.ok()) << got.status().message;
    const double error = 1e-6 * static_cast<double>(8 + l.steps + l.input + l.hidden);
    expect_near((*got)[0].numbers(), want.y, error);
    expect_near((*got)[1].numbers(), want.h, error);
    if (l.op == "CommonLSTM") expect_near((*got)[2].numbers(), want.c, error);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Recurrent, LayersOfOddSizesAgreeWithDoubles) {
  for (const char* op : {"CommonLSTM", "CommonGRU", "CommonRNN"})
    for (const char* direction : {"forward", "reverse", "bidirectional"})
      for (const int64_t batch : {1, 3, 7})
        for (const int64_t hidden : {1, 5, 16, 33, 70})
          for (const bool constant : {false, true}) {
            expect_layer({.op = op, .direction = direction, .steps = 3, .batch = batch, .input = 9, .hidden = hidden},
                         constant);
            if (testing::Test::HasFailure()) return;
          }
}

TEST(Recurrent, OptionsAgreeWithDoubles) {
  const Layer layers[] = {
      {.op = "CommonLSTM", .steps = 5, .batch = 2, .input = 4, .hidden = 17, .bias = false},
      {.op = "CommonLSTM", .steps = 5, .batch = 2, .input = 4, .hidden = 17, .states = true},
      {.op = "CommonLSTM", .steps = 4, .batch = 2, .input = 4, .hidden = 9, .peepholes = true},
      {.op = "CommonLSTM", .steps = 4, .batch = 2, .input = 4, .hidden = 9, .couple = true},
      {.op = "CommonLSTM", .steps = 4, .batch = 2, .input = 4, .hidden = 9, .clip = 0.5},
      {.op = "CommonLSTM", .steps = 6, .batch = 4, .input = 4, .hidden = 9, .states = true, .lengths = {6, 0, 3, 1}},
      {.op = "CommonLSTM",
       .direction = "bidirectional",
       .steps = 6,
       .batch = 3,
       .input = 4,
       .hidden = 9,
       .lengths = {2, 6, 5}},
      {.op = "CommonGRU", .steps = 5, .batch = 2, .input = 4, .hidden = 17, .bias = false, .linear_before_reset = true},
      {.op = "CommonGRU",
       .direction = "bidirectional",
       .steps = 5,
       .batch = 2,
       .input = 4,
       .hidden = 17,
       .states = true,
       .linear_before_reset = true},
      {.op = "CommonGRU", .steps = 5, .batch = 2, .input = 4, .hidden = 17, .states = true, .clip = 0.25},
      {.op = "CommonGRU",
       .direction = "reverse",
       .steps = 6,
       .batch = 3,
       .input = 4,
       .hidden = 9,
       .lengths = {2, 6, 5}},
      {.op = "CommonRNN", .steps = 5, .batch = 3, .input = 4, .hidden = 17, .states = true, .lengths = {5, 2, 4}},
  };
  for (const Layer& layer : layers)
    for (const bool constant : {false, true}) expect_layer(layer, constant);
}

TEST(Recurrent, OtherActivationsAgreeWithDoubles) {
  const Function relu = [](double x) { return std::max(x, 0.0); },
                 softsign = [](double x) { return x / (1 + std::abs(x)); },
                 softplus = [](double x) { return std::log1p(std::exp(x)); },
                 hard = [](double x) { return std::clamp(double(0.2f) * x + 0.5, 0.0, 1.0); },
                 elu = [](double x) { return x >= 0 ? x : std::expm1(x); };
  expect_layer({.op = "CommonRNN",
                .steps = 3,
                .batch = 2,
                .input = 3,
                .hidden = 5,
                .clip = 1.5,
                .activations = {"Relu"},
                .functions = {relu}},
               true);
  expect_layer({.op = "CommonRNN",
                .steps = 3,
                .batch = 2,
                .input = 3,
                .hidden = 5,
                .activations = {"Softplus"},
                .functions = {softplus}},
               true);
  expect_layer({.op = "CommonGRU",
                .steps = 3,
                .batch = 2,
                .input = 3,
                .hidden = 20,
                .activations = {"HardSigmoid", "Elu"},
                .functions = {hard, elu}},
               true);
  expect_layer({.op = "CommonLSTM",
                .direction = "bidirectional",
                .steps = 3,
                .batch = 2,
                .input = 3,
                .hidden = 20,
                .activations = {"HardSigmoid", "Softsign", "Tanh"},
                .functions = {hard, softsign, tanh_of}},
               true);
}

TEST(Recurrent, OlderInstructionSetsAgree) {
  for (const int64_t without : {avx512, int64_t{avx512 | HWY_AVX2}}) {
    const OlderProcessor older(without);
    for (const char* op : {"CommonLSTM", "CommonGRU", "CommonRNN"})
      expect_layer({.op = op, .direction = "bidirectional", .steps = 3, .batch = 2, .input = 5, .hidden = 21}, true);
  }
}

TEST(Recurrent, LayersWhoseStepsThreadsShareAgreeWithDoubles) {
  for (const char* op : {"CommonLSTM", "CommonGRU"})
    for (const int64_t batch : {9, 100})
      expect_layer({.op = op,
                    .direction = "bidirectional",
                    .steps = 5,
                    .batch = batch,
                    .input = 3,
                    .hidden = batch == 9 ? 130 : 34,
                    .states = true,
                    .linear_before_reset = true,
                    .lengths = batch == 9 ? std::vector<int64_t>{5, 4, 3, 2, 1, 0, 5, 5, 2} : std::vector<int64_t>{}},
                   batch == 9);
}

// One loop for all steps, and the bits of one thread.
TEST(Recurrent, ThreadsShareStepsInOneLoop) {
  const int64_t steps = 40, hidden = 256;
  const Layer l{.op = "CommonLSTM", .steps = steps, .batch = 1, .input = 2, .hidden = hidden};
  const Tensors t = random_tensors(l);
  OpCall call{l.op,
              {tensor<float>({steps, 1, 2}, t.x), tensor<float>({1, 4 * hidden, 2}, t.w),
               tensor<float>({1, 4 * hidden, hidden}, t.r)},
              {{"hidden_size", hidden}},
              "panels"};
  call.constant = true;
  call.threads = 1;
  const Numbers one = numbers(call);
  for (const int threads : {2, 3, 8}) {
    call.threads = threads;
    const PoolCounters before = pool_counters();
    EXPECT_EQ(numbers(call), one) << threads;
    const PoolCounters after = pool_counters();
    if (usable_cores() < 2) continue;
    EXPECT_GE(after.pieces - before.pieces, static_cast<uint64_t>(2 * steps)) << threads;
    EXPECT_LT(after.loops - before.loops, static_cast<uint64_t>(steps)) << threads;
  }
}

// A step of such a layer takes a few microseconds: to share it costs more than it brings.
TEST(Recurrent, SmallStepsAreNotShared) {
  const int64_t steps = 200, hidden = 128;
  const Layer l{.op = "CommonLSTM", .steps = steps, .batch = 1, .input = 2, .hidden = hidden};
  const Tensors t = random_tensors(l);
  OpCall call{l.op,
              {tensor<float>({steps, 1, 2}, t.x), tensor<float>({1, 4 * hidden, 2}, t.w),
               tensor<float>({1, 4 * hidden, hidden}, t.r)},
              {{"hidden_size", hidden}},
              "panels"};
  call.constant = true;
  call.threads = 2;
  const uint64_t before = pool_counters().loops;
  numbers(call);
  EXPECT_LT(pool_counters().loops - before, static_cast<uint64_t>(steps));
}

TEST(Recurrent, ANaNStaysInItsBatch) {
  Layer l{.op = "CommonLSTM", .steps = 2, .batch = 2, .input = 3, .hidden = 5};
  Tensors t = random_tensors(l);
  t.x[0] = std::numeric_limits<double>::quiet_NaN();
  OpCall call{l.op,
              {tensor<float>({2, 2, 3}, t.x), tensor<float>({1, 20, 3}, t.w), tensor<float>({1, 20, 5}, t.r)},
              {{"hidden_size", l.hidden}},
              "panels"};
  const Numbers y = numbers(call);
  for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), i / 5 % 2 == 0) << i;
}

}  // namespace
}  // namespace belay::test
