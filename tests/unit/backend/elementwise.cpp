// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "support/op_call.h"

namespace belay::test {
namespace {

using Numbers = std::vector<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// Values by hand: the formulas of the operators in double precision.
TEST(Activation, FollowsItsFormula) {
  const Numbers at = {-4, -1, 0, 0.5, 3};
  const auto each = [&](double (*f)(double)) {
    Numbers want;
    for (const double x : at) want.push_back(f(x));
    return want;
  };
  const Value x = tensor<float>({5}, at);
  const auto check = [&](const char* op, Attributes attributes, double (*f)(double)) {
    SCOPED_TRACE(op);
    expect_near(numbers({op, {x}, attributes}), each(f), 2e-6);
  };
  check("Relu", {}, [](double v) { return std::max(v, 0.0); });
  check("Relu6", {}, [](double v) { return std::min(std::max(2 * v, 0.0), 12.0) / 2; });
  check("LeakyRelu", {{"negative_slope", 0.1f}}, [](double v) { return v < 0 ? 0.1f * v : v; });
  check("Elu", {{"alpha", 2.0f}}, [](double v) { return v < 0 ? 2 * (std::exp(v) - 1) : v; });
  check("Celu", {{"alpha1", 2.0f}, {"alpha2", 2.0f}}, [](double v) { return v < 0 ? 2 * (std::exp(v / 2) - 1) : v; });
  check("Selu", {}, [](double v) { return v < 0 ? 1.7580993408473766 * (std::exp(v) - 1) : 1.0507009873554805 * v; });
  check("HardSigmoid", {{"alpha", 0.25f}, {"beta", 0.5f}},
        [](double v) { return std::min(std::max(0.25 * v + 0.5, 0.0), 1.0); });
  check("HardSwish", {}, [](double v) { return v * std::min(std::max(v + 3, 0.0), 6.0) / 6; });
  check("Swish", {{"scale", 2.0f}}, [](double v) { return v / (1 + std::exp(-2 * v)); });
  check("Sigmoid", {}, [](double v) { return 1 / (1 + std::exp(-v)); });
  check("Softplus", {}, [](double v) { return std::log(1 + std::exp(v)); });
  check("Softsign", {}, [](double v) { return v / (1 + std::fabs(v)); });
  check("Mish", {}, [](double v) { return v * std::tanh(std::log(1 + std::exp(v))); });
  check("Gelu", {}, [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); });
  check("GeluV2", {{"approximate", "tanh"}},
        [](double v) { return 0.5 * v * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))); });
  check("FastGelu", {}, [](double v) { return v / (1 + std::exp(-1.702 * v)); });
  check("Shrink", {{"lambd", 1.0f}, {"bias", 0.5f}}, [](double v) { return v < -1 ? v + 0.5 : v > 1 ? v - 0.5 : 0.0; });
  check("Threshold", {{"threshold", 0.25f}}, [](double v) { return v > 0.25 ? 1.0 : 0.0; });
}

TEST(Activation, HardSwishOfLargeNumbersIsFinite) {
  const Numbers large = {5e37f, 6e37f, 1e38f, 3e38f};  // six times most of them is more than a float can be
  const auto got = numbers({"HardSwish", {tensor<float>({4}, large)}, {}});
  ASSERT_EQ(got.size(), large.size());
  for (size_t i = 0; i < large.size(); ++i) EXPECT_EQ(got[i], large[i]);
}

TEST(Binary, BroadcastsBothSides) {
  const Value column = tensor<float>({2, 1}, {10, 20}), row = tensor<float>({1, 3}, {1, 2, 3});
  EXPECT_EQ(numbers({"Add", {column, row}}), (Numbers{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(numbers({"Sub", {row, column}}), (Numbers{-9, -8, -7, -19, -18, -17}));
  EXPECT_EQ(numbers({"Mul", {tensor<float>({}, {2}), row}}), (Numbers{2, 4, 6}));
  EXPECT_EQ(numbers({"Add", {tensor<float>({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), tensor<float>({2, 1}, {10, 20})}}),
            (Numbers{11, 12, 23, 24, 15, 16, 27, 28}));
}

TEST(Binary, EmptyTensorsGiveEmptyResults) {
  EXPECT_EQ(numbers({"Add", {tensor<float>({0, 3}, {}), tensor<float>({3}, {1, 2, 3})}}), Numbers{});
}

TEST(Binary, EveryNumberTypeAdds) {
  for (const DataType type :
       {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16, DataType::Int8, DataType::Int16,
        DataType::Int32, DataType::Int64, DataType::UInt8, DataType::UInt16, DataType::UInt32, DataType::UInt64})
    EXPECT_EQ(numbers({"Add", {tensor(type, {2}, {1, 2}), tensor(type, {2}, {10, 20})}}), (Numbers{11, 22}))
        << graph::name_of(type);
}

TEST(Binary, HalfIsRoundedOnce) {
  // 2048 + 1 lies between two binary16 numbers and goes to the even one.
  EXPECT_EQ(numbers({"Add", {tensor<Half>({2}, {2048, 2050}), tensor<Half>({2}, {1, 1})}}), (Numbers{2048, 2052}));
  EXPECT_EQ(numbers({"Mul", {tensor<Half>({1}, {60000}), tensor<Half>({1}, {2})}}), Numbers{infinity});
}

TEST(Binary, DivisionsFollowTheirNames) {
  const Value x = tensor<int32_t>({5}, {7, -7, 7, -7, 1}), y = tensor<int32_t>({5}, {2, 2, -2, -2, 0});
  EXPECT_EQ(numbers({"RealDiv", {x, y}}), (Numbers{3, -3, -3, 3, 0}));
  EXPECT_EQ(numbers({"FloorDiv", {x, y}}), (Numbers{3, -4, -4, 3, 0}));
  EXPECT_EQ(numbers({"Mod", {x, y}}), (Numbers{1, -1, 1, -1, 0}));
  EXPECT_EQ(numbers({"FloorMod", {x, y}}), (Numbers{1, 1, -1, -1, 0}));
  const Value a = tensor<float>({3}, {7.5, -7.5, 1}), b = tensor<float>({3}, {2, 2, 0});
  EXPECT_EQ(numbers({"RealDiv", {a, b}}), (Numbers{3.75, -3.75, infinity}));
  EXPECT_EQ(numbers({"DivNoNan", {a, b}}), (Numbers{3.75, -3.75, 0}));
  EXPECT_EQ(numbers({"RealDiv", {tensor<int32_t>({1}, {-2147483648.0}), tensor<int32_t>({1}, {-1})}}),
            Numbers{-2147483648.0});
}

TEST(Binary, PowersOfIntegersAreExact) {
  EXPECT_EQ(numbers({"Pow", {tensor<int64_t>({3}, {3, 2, -2}), tensor<int64_t>({3}, {4, -1, 3})}}),
            (Numbers{81, 0, -8}));
  expect_near(numbers({"Pow", {tensor<float>({2}, {2, 9}), tensor<float>({2}, {-1, 0.5})}}), {0.5, 3}, 1e-6);
}

TEST(Binary, MaximumAndMinimumKeepNaN) {
  const Value x = tensor<float>({3}, {1, nan, 3}), y = tensor<float>({3}, {2, 5, nan});
  expect_near(numbers({"Maximum", {x, y}}), {2, nan, nan}, 0);
  expect_near(numbers({"Minimum", {x, y}}), {1, nan, nan}, 0);
}

TEST(Binary, ShiftsBeyondTheWidthGiveZero) {
  EXPECT_EQ(numbers({"LeftShift", {tensor<uint8_t>({3}, {1, 255, 3}), tensor<uint8_t>({3}, {7, 1, 9})}}),
            (Numbers{128, 254, 0}));
  EXPECT_EQ(numbers({"RightShift", {tensor<int32_t>({2}, {-8, 8}), tensor<int32_t>({2}, {1, 40})}}), (Numbers{-4, 0}));
}

TEST(Binary, MixedTypesAreRefused) {
  const auto result = run({"Add", {tensor<float>({1}, {1}), tensor<int32_t>({1}, {1})}});
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.status().message.find("DT_FLOAT and DT_INT32"), std::string::npos) << result.status().message;
}

TEST(Compare, GivesBools) {
  const Value x = tensor<float>({4}, {1, 2, 3, nan}), y = tensor<float>({4}, {2, 2, 2, nan});
  EXPECT_EQ(numbers({"Less", {x, y}}), (Numbers{1, 0, 0, 0}));
  EXPECT_EQ(numbers({"LessEqual", {x, y}}), (Numbers{1, 1, 0, 0}));
  EXPECT_EQ(numbers({"Greater", {x, y}}), (Numbers{0, 0, 1, 0}));
  EXPECT_EQ(numbers({"GreaterEqual", {x, y}}), (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(numbers({"Equal", {x, y}}), (Numbers{0, 1, 0, 0}));
  EXPECT_EQ(numbers({"NotEqual", {x, y}}), (Numbers{1, 0, 1, 1}));
  const Value p = tensor<Bool>({2, 2}, {0, 0, 1, 1}), q = tensor<Bool>({2}, {0, 1});
  EXPECT_EQ(numbers({"LogicalAnd", {p, q}}), (Numbers{0, 0, 0, 1}));
  EXPECT_EQ(numbers({"LogicalOr", {p, q}}), (Numbers{0, 1, 1, 1}));
  EXPECT_EQ(numbers({"LogicalNot", {q}}), (Numbers{1, 0}));
  EXPECT_EQ(numbers({"IsNan", {x}}), (Numbers{0, 0, 0, 1}));
}

TEST(Ternary, ChoosesClipsAndCombines) {
  const Value condition = tensor<Bool>({2, 1}, {1, 0});
  EXPECT_EQ(numbers({"SelectV2", {condition, tensor<float>({3}, {1, 2, 3}), tensor<float>({1}, {9})}}),
            (Numbers{1, 2, 3, 9, 9, 9}));
  EXPECT_EQ(numbers({"Select",
                     {tensor<Bool>({2}, {1, 0}), tensor<int64_t>({2, 2}, {1, 2, 3, 4}),
                      tensor<int64_t>({2, 2}, {5, 6, 7, 8})}}),
            (Numbers{1, 2, 7, 8}));
  EXPECT_EQ(
      numbers({"ClipByValue", {tensor<float>({3}, {-5, 0.5, 5}), tensor<float>({}, {-1}), tensor<float>({}, {1})}}),
      (Numbers{-1, 0.5, 1}));
  EXPECT_EQ(
      numbers({"FusedMulAdd", {tensor<float>({2}, {2, 3}), tensor<float>({1}, {10}), tensor<float>({2}, {1, 2})}}),
      (Numbers{21, 32}));
}

TEST(Channelwise, OperandsBelongToChannels) {
  const Value x = tensor<float>({1, 2, 3}, {-1, -2, 3, -4, 5, -6});
  EXPECT_EQ(numbers({"PRelu", {x, tensor<float>({2}, {0.5, 0.25})}}), (Numbers{-0.5, -1, 3, -1, 5, -1.5}));
  EXPECT_EQ(numbers({"PRelu", {x, tensor<float>({3}, {1, 2, 3})}}), (Numbers{-1, -4, 3, -4, 5, -18}));
  EXPECT_EQ(numbers({"BiasAdd", {x, tensor<float>({2}, {10, 20})}, {{"data_format", "NCHW"}}}),
            (Numbers{9, 8, 13, 16, 25, 14}));
  EXPECT_EQ(numbers({"BiasAdd", {x, tensor<float>({3}, {1, 2, 3})}}), (Numbers{0, 0, 6, -3, 7, -3}));
  EXPECT_EQ(numbers({"Scale", {x, tensor<float>({2}, {2, 3}), tensor<float>({2}, {1, 0})}}),
            (Numbers{-1, -3, 7, -12, 15, -18}));
}

TEST(Accumulate, RoundsOnceAtTheEnd) {
  // Each 0.5 alone would be lost against 2048 in binary16.
  const Value large = tensor<Half>({1}, {2048}), small = tensor<Half>({1}, {0.75});
  EXPECT_EQ(numbers({"AccumulateNV2", {large, small, small}}), Numbers{2050});
  const Value a = tensor<float>({2}, {1, 2}), b = tensor<float>({2}, {3, 1});
  EXPECT_EQ(numbers({"Eltwise", {a, b}, {{"mode", 0}}}), (Numbers{3, 2}));
  EXPECT_EQ(numbers({"Eltwise", {a, b}, {{"mode", 1}, {"coeff", std::vector<float>{2, -1}}}}), (Numbers{-1, 3}));
  EXPECT_EQ(numbers({"Eltwise", {a, b}, {{"mode", 2}}}), (Numbers{3, 2}));
}

Numbers cast(const Value& x, DataType to) { return numbers({"Cast", {x}, {{"dst_type", static_cast<int>(to)}}}); }

TEST(Cast, LimitsFloatsAndWrapsIntegers) {
  const Value x = tensor<float>({6}, {1.9, -1.9, 300, -300, nan, infinity});
  EXPECT_EQ(cast(x, DataType::Int8), (Numbers{1, -1, 127, -128, 0, 127}));
  EXPECT_EQ(cast(x, DataType::UInt8), (Numbers{1, 0, 255, 0, 0, 255}));
  EXPECT_EQ(cast(tensor<double>({2}, {1e30, -1e30}), DataType::Int64),
            (Numbers{9223372036854775807.0, -9223372036854775808.0}));
  EXPECT_EQ(cast(tensor<int32_t>({3}, {300, -1, 128}), DataType::Int8), (Numbers{44, -1, -128}));
  EXPECT_EQ(cast(tensor<float>({3}, {0, 0.25, nan}), DataType::Bool), (Numbers{0, 1, 1}));
  EXPECT_EQ(cast(tensor<float>({2}, {65520, 65519}), DataType::Float16), (Numbers{infinity, 65504}));
  EXPECT_EQ(cast(tensor<Bool>({2}, {0, 1}), DataType::Float), (Numbers{0, 1}));
}

}  // namespace
}  // namespace belay::test
