// SPDX-License-Identifier: Apache-2.0
// What Winograd's convolutions promise (backend/cpu/winograd/guard.h), against sums in double.
#include "base/half.h"
#include "unit/executor/one_node_models.h"

namespace belay::executor {
namespace {

using Floats = std::vector<float>;
using Fill = void (*)(const Shape& shape, std::mt19937& random, Floats& values);

// A convolution of 3 x 3 with a border of 1.
struct Conv {
  Shape x;
  int64_t outputs;
  Shape filter() const { return {outputs, x[1], 3, 3}; }
  ConvCase as_case() const { return {x, filter(), {1, 1}, {1, 1, 1, 1}}; }
};

Case model_of(const Conv& c, const Floats& x, const Floats& weights) {
  Builder b("conv");
  b.outputs({b.op("Conv2D", "conv",
                  {b.data("x", DataType::Float, c.x, 0), b.constant("w", DataType::Float, c.filter(), weights)},
                  attributes_of(c.as_case()))});
  return {b.model(), {{c.x, x}}};
}

std::vector<uint16_t> halves_of(const Floats& values) {
  std::vector<uint16_t> bits;
  for (const float value : values) bits.push_back(float_to_half(value));
  return bits;
}

Floats run_half(const Conv& c, const Floats& x, const Floats& weights) {
  Builder b("conv");
  b.outputs({b.op(
      "Conv2D", "conv",
      {b.data("x", DataType::Float16, c.x, 0), b.constant("w", DataType::Float16, c.filter(), halves_of(weights))},
      attributes_of(c.as_case()))});
  auto loaded = load(std::make_shared<const graph::Model>(b.model()), {});
  EXPECT_TRUE(loaded.ok()) << loaded.status().message;
  if (!loaded.ok()) return {};
  std::vector<uint16_t> bits = halves_of(x);
  const std::vector<Tensor> taken = {{DataType::Float16, c.x, backend::Layout::Plain, bits.data()}};
  std::vector<Tensor> given(1);
  EXPECT_TRUE((*loaded)->run({}, taken, given).ok());
  Floats result;
  for (int64_t i = 0; i < given[0].count(); ++i) result.push_back(half_to_float(given[0].as<uint16_t>()[i]));
  std::free(given[0].data);
  return result;
}

// A result in double, and how far another may be from it.
struct Exact {
  double sum = 0, bound = 0;
};

Exact exact_at(const Conv& c, const Floats& x, const Floats& weights, int64_t image, int64_t output, int64_t row,
               int64_t column) {
  const int64_t inputs = c.x[1], height = c.x[2], width = c.x[3];
  Exact y;
  double seen = 0, all_weights = 0, products = 0, count = 0;
  for (int64_t k = 0; k < inputs * 9; ++k) {
    const double weight = weights[size_t(output * inputs * 9 + k)];
    all_weights += std::fabs(weight);
    const int64_t r = row + k / 3 % 3 - 1, s = column + k % 3 - 1;
    if (r < 0 || r >= height || s < 0 || s >= width) continue;
    const double value = x[size_t(((image * inputs + k / 9) * height + r) * width + s)];
    y.sum += value * weight;
    seen += std::fabs(value);
    products += std::fabs(value * weight);
    count += 1;
  }
  const double terms = 9.0 * double(inputs);
  y.bound = std::max(terms * 0x1p-23 * (seen / count) * all_weights, terms * 0x1p-24 * products);
  return y;
}

std::vector<Exact> exactly(const Conv& c, const Floats& x, const Floats& weights) {
  std::vector<Exact> y;
  for (int64_t image = 0; image < c.x[0]; ++image)
    for (int64_t output = 0; output < c.outputs; ++output)
      for (int64_t row = 0; row < c.x[2]; ++row)
        for (int64_t column = 0; column < c.x[3]; ++column)
          y.push_back(exact_at(c, x, weights, image, output, row, column));
  return y;
}

// `step`: of a result, what the type's own rounding may add.
void expect_promise(const std::vector<Exact>& exact, const Floats& y, double step = 0) {
  ASSERT_EQ(y.size(), exact.size());
  for (size_t i = 0; i < y.size(); ++i)
    ASSERT_NEAR(double(y[i]), exact[i].sum, exact[i].bound + step * std::fabs(exact[i].sum)) << "element " << i;
}

int64_t row_of(const Shape& shape, size_t i) { return static_cast<int64_t>(i) / shape[3] % shape[2]; }
int64_t column_of(const Shape& shape, size_t i) { return static_cast<int64_t>(i) % shape[3]; }
int64_t channel_of(const Shape& shape, size_t i) { return static_cast<int64_t>(i) / shape[3] / shape[2] % shape[1]; }

template <int power>
void spike_everywhere(const Shape& shape, std::mt19937& random, Floats& values) {
  const auto row = int64_t(random() % uint32_t(shape[2])), column = int64_t(random() % uint32_t(shape[3]));
  for (size_t i = 0; i < values.size(); ++i)
    if (row_of(shape, i) == row && column_of(shape, i) == column) values[i] *= float(std::pow(10.0, power));
}
template <int power>
void spike(const Shape&, std::mt19937& random, Floats& values) {
  values[random() % values.size()] = float(std::pow(10.0, power));
}

const std::pair<const char*, Fill> kinds[] = {
    {"as it is", [](const Shape&, std::mt19937&, Floats&) {}},
    {"1e3 in a pixel", spike_everywhere<3>},
    {"1e8 in a pixel", spike_everywhere<8>},
    {"1e28 in a pixel", spike_everywhere<28>},
    {"1e3 once", spike<3>},
    {"1e30 once", spike<30>},
    {"zeros on the left",
     [](const Shape& shape, std::mt19937&, Floats& values) {
       for (size_t i = 0; i < values.size(); ++i)
         if (column_of(shape, i) < 17) values[i] = 0;
     }},
    {"small below",
     [](const Shape& shape, std::mt19937&, Floats& values) {
       for (size_t i = 0; i < values.size(); ++i)
         if (row_of(shape, i) > 13) values[i] *= 0.02f;
     }},
    {"rows of growing size",
     [](const Shape& shape, std::mt19937&, Floats& values) {
       for (size_t i = 0; i < values.size(); ++i) values[i] *= std::ldexp(1.0f, int(row_of(shape, i)));
     }},
    {"channels of many sizes",
     [](const Shape& shape, std::mt19937&, Floats& values) {
       for (size_t i = 0; i < values.size(); ++i)
         values[i] *= std::ldexp(1.0f, int(channel_of(shape, i) * 7 % 31) - 15);
     }},
    {"one channel above all",
     [](const Shape& shape, std::mt19937&, Floats& values) {
       for (size_t i = 0; i < values.size(); ++i)
         if (channel_of(shape, i) != 3) values[i] *= 0x1p-11f;
     }},
    {"mostly zeros",
     [](const Shape&, std::mt19937& random, Floats& values) {
       for (float& value : values) value = random() % 10 < 7 ? 0 : std::fabs(value);
     }},
    {"signs",
     [](const Shape&, std::mt19937&, Floats& values) {
       for (float& value : values) value = std::copysign(1 + std::fabs(value) * 0x1p-10f, value);
     }},
};

Floats normal_floats(const Shape& shape, std::mt19937& random) {
  std::normal_distribution<float> normal;
  Floats values(static_cast<size_t>(graph::element_count(shape)));
  for (float& value : values) value = normal(random);
  return values;
}

Floats weights_of(const Conv& c, int kind, std::mt19937& random) {
  Floats weights = normal_floats(c.filter(), random);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (kind == 1 && i % 9 != i / 9 / size_t(c.x[1]) % 9) weights[i] = 0;     // one tap
    if (kind == 2 && channel_of(c.filter(), i) != 3) weights[i] *= 0x1p-11f;  // one channel
    if (kind == 3) weights[i] = 1;
  }
  return weights;
}

// The second has tiles of 2 x 2 only: there are few of 4 x 4.
const Conv convs[] = {{{1, 32, 30, 29}, 17}, {{1, 16, 18, 21}, 17}, {{1, 80, 26, 27}, 16}};

TEST(WinogradErrors, StayWithinThePromiseWhateverTheInput) {
  std::mt19937 random(7);
  for (const Conv& c : convs)
    for (const auto& [name, fill] : kinds)
      for (const int kind : {0, 1, 2, 3}) {
        SCOPED_TRACE(graph::to_text(c.x) + " " + name + ", weights " + std::to_string(kind));
        Floats x = normal_floats(c.x, random);
        const Floats weights = weights_of(c, kind, random);
        fill(c.x, random, x);
        const Case model = model_of(c, x, weights);
        const std::vector<Exact> exact = exactly(c, x, weights);
        expect_promise(exact, run(model, ""));  // the row that a user gets
        if (kind != 0) continue;                // the weights of few channels are refused
        const bool large = c.x[2] > 20;
        expect_promise(exact, run(model, large ? "winograd 4" : "winograd", 2));
        if (large) expect_promise(exact, run(model, "winograd", 2));
      }
}

TEST(WinogradErrors, StayWithinThePromiseOfHalves) {
  std::mt19937 random(8);
  for (const Conv& c : convs)
    for (const auto& [name, fill] : kinds) {
      SCOPED_TRACE(graph::to_text(c.x) + " " + name);
      Floats x = normal_floats(c.x, random), weights = normal_floats(c.filter(), random);
      fill(c.x, random, x);
      for (float& value : x) value = half_to_float(float_to_half(std::clamp(value, -500.0f, 500.0f)));
      for (float& value : weights) value = half_to_float(float_to_half(value / 64));
      expect_promise(exactly(c, x, weights), run_half(c, x, weights), 0x1p-10);
    }
}

TEST(WinogradErrors, APixelIsNotFeltWhereItIsNotSeen) {
  const Conv c = {{1, 32, 56, 56}, 32};
  const Floats weights(32 * 32 * 9, 1.0f);
  for (const char* row : {"winograd 4", "winograd", ""})
    for (const float pixel : {1e4f, 1e6f, 1e10f, 1e20f, 1e30f}) {
      SCOPED_TRACE(row + std::string(" ") + std::to_string(pixel));
      Floats x(32 * 56 * 56, 1.0f);
      for (size_t channel = 0; channel < 32; ++channel) x[channel * 56 * 56] = pixel;
      const Floats y = run(model_of(c, x, weights), row);
      ASSERT_EQ(y.size(), x.size());
      for (const size_t place : {1, 2, 3}) EXPECT_EQ(y[3 * 56 + place], 9 * 32) << place;
      EXPECT_EQ(y[2 * 56 + 2], 9 * 32);
    }
}

TEST(WinogradErrors, ZerosGiveZero) {
  const Conv c = {{2, 32, 40, 40}, 32};
  std::mt19937 random(9);
  Floats x = normal_floats(c.x, random);
  for (size_t i = 0; i < x.size(); ++i)
    if (column_of(c.x, i) < 18) x[i] = 0;
  for (const char* row : {"winograd 4", "winograd"}) {
    const Floats y = run(model_of(c, x, normal_floats(c.filter(), random)), row);
    int64_t wrong = 0;
    for (size_t i = 0; i < y.size(); ++i) wrong += i % 40 < 17 && y[i] != 0;
    EXPECT_EQ(wrong, 0) << row;
  }
}

TEST(WinogradErrors, TheNumberOfThreadsDoesNotChangeABitWhereSomeTilesAreComputedPlainly) {
  const Conv c = {{2, 32, 30, 29}, 80};
  std::mt19937 random(10);
  Floats x = normal_floats(c.x, random);
  const Floats weights = normal_floats(c.filter(), random);
  for (const int power : {0, 5}) x[x.size() / 7 * size_t(power + 1)] = 1e6f;
  for (const char* row : {"winograd 4", "winograd"}) {
    const Case model = model_of(c, x, weights);
    const Floats one = run(model, row, 1);
    for (const int threads : {2, 3, 7, 64}) EXPECT_EQ(one, run(model, row, threads)) << row << " " << threads;
  }
}

TEST(WinogradErrors, WeightsOfOneChannelAreRefused) {
  const Conv c = {{1, 64, 40, 40}, 32};
  std::mt19937 random(11);
  LoadOptions options;
  options.only_kernels = "winograd 4";
  const Case model = model_of(c, normal_floats(c.x, random), weights_of(c, 2, random));
  const auto loaded = load(std::make_shared<const graph::Model>(model.model), options);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.status().message.find("weights that are mostly of few"), std::string::npos);
}

}  // namespace
}  // namespace belay::executor
