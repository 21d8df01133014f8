// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "support/op_call.h"

namespace belay::test {
namespace {

// The oracle is the C library in double precision, and arithmetic by hand for integers.
struct UnaryCase {
  const char* op;
  double (*want)(double);
  std::vector<double> at;
};

const UnaryCase cases[] = {
    {"Abs", std::fabs, {-2, 0, 3}},
    {"Acos", std::acos, {-1, 0, 0.5}},
    {"Acosh", std::acosh, {1, 2, 10}},
    {"Asin", std::asin, {-1, 0, 0.5}},
    {"Asinh", std::asinh, {-3, 0, 2}},
    {"Atan", std::atan, {-3, 0, 2}},
    {"Atanh", std::atanh, {-0.5, 0, 0.75}},
    {"Ceil", std::ceil, {-1.5, 0, 1.25}},
    {"Cos", std::cos, {-3, 0, 2}},
    {"Cosh", std::cosh, {-3, 0, 2}},
    {"Erf", std::erf, {-3, 0, 0.5}},
    {"Exp", std::exp, {-3, 0, 2}},
    {"Expm1", std::expm1, {-3, 0, 2}},
    {"Floor", std::floor, {-1.5, 0, 1.25}},
    {"Log", std::log, {0.5, 1, 8}},
    {"Log1p", std::log1p, {-0.5, 0, 8}},
    {"Neg", [](double x) { return -x; }, {-2, 0, 3}},
    {"Reciprocal", [](double x) { return 1 / x; }, {-2, 0.5, 8}},
    {"Round", std::nearbyint, {-1.5, 0.5, 2.5}},
    {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }, {0.25, 1, 9}},
    {"Sign", [](double x) { return double((x > 0) - (x < 0)); }, {-2, 0, 3}},
    {"Sin", std::sin, {-3, 0, 2}},
    {"Sinh", std::sinh, {-3, 0, 2}},
    {"Sqrt", std::sqrt, {0.25, 1, 9}},
    {"Square", [](double x) { return x * x; }, {-2, 0, 3}},
    {"Tan", std::tan, {-1, 0, 1}},
    {"Tanh", std::tanh, {-3, 0, 2}},
};

double precision_of(DataType type) {
  if (type == DataType::Double) return 1e-14;
  return type == DataType::Float ? 1e-6 : type == DataType::Float16 ? 1e-3 : 8e-3;
}

TEST(Unary, AgreesWithTheCLibraryInEveryFloatType) {
  for (const UnaryCase& c : cases) {
    for (const DataType type : {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16}) {
      SCOPED_TRACE(std::string(c.op) + " " + std::string(graph::name_of(type)));
      std::vector<double> want;
      for (const double x : c.at) want.push_back(c.want(x));
      expect_near(numbers({c.op, {tensor(type, {3}, c.at)}}), want, precision_of(type));
    }
  }
}

TEST(Unary, IntegersWrapAround) {
  EXPECT_EQ(numbers({"Neg", {tensor<int8_t>({3}, {-128, 5, 0})}}), (std::vector<double>{-128, -5, 0}));
  EXPECT_EQ(numbers({"Abs", {tensor<int32_t>({2}, {-7, 7})}}), (std::vector<double>{7, 7}));
  EXPECT_EQ(numbers({"Square", {tensor<uint8_t>({2}, {16, 3})}}), (std::vector<double>{0, 9}));
}

TEST(Unary, AnUnsupportedTypeIsRefusedByName) {
  const auto result = run({"Sin", {tensor<int32_t>({1}, {1})}});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code, ACL_ERROR_GE_FAILURE);
  EXPECT_NE(result.status().message.find("DT_INT32"), std::string::npos) << result.status().message;
}

}  // namespace
}  // namespace belay::test
