// SPDX-License-Identifier: Apache-2.0
// Runs operators on the cases that a script prints, with what numpy says the results are.
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/op_call.h"

namespace {

using belay::graph::Attribute;
using belay::graph::DataType;
using belay::graph::Shape;
using belay::test::OpCall;
using belay::test::Value;
using nlohmann::json;

double number(const json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto text = value.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

std::vector<double> numbers(const json& values) {
  std::vector<double> all;
  for (const auto& value : values) all.push_back(number(value));
  return all;
}

Value value(const json& described) {
  if (described.is_null()) return belay::test::absent();
  const auto type = belay::graph::type_named(described["type"].get<std::string>());
  auto shape = described["shape"].get<Shape>();
  if (type == DataType::Complex64 || type == DataType::Complex128) {  // as pairs of parts
    Shape parts = shape;
    parts.push_back(2);
    const auto part = type == DataType::Complex64 ? DataType::Float : DataType::Double;
    auto made = belay::test::tensor(part, parts, numbers(described["data"]));
    return {type, shape, made.bytes};
  }
  if (type == DataType::Int64) {  // some do not fit a double
    const auto elements = described["data"].get<std::vector<int64_t>>();
    const auto bytes = std::as_bytes(std::span(elements));
    return {type, shape, {bytes.begin(), bytes.end()}};
  }
  return belay::test::tensor(type, shape, numbers(described["data"]));
}

Attribute attribute(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<float>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("type")) return belay::graph::type_named(value["type"].get<std::string>());
  if (value.is_object() && value.contains("ints")) return value["ints"].get<std::vector<int64_t>>();
  if (value.is_object()) return value["floats"].get<std::vector<float>>();
  if (!value.empty() && value[0].is_array()) return value.get<std::vector<std::vector<int64_t>>>();
  if (!value.empty() && value[0].is_string()) return value.get<std::vector<std::string>>();
  if (!value.empty() && value[0].is_number_float()) return value.get<std::vector<float>>();
  return value.get<std::vector<int64_t>>();
}

std::vector<double> parts(Value tensor) {
  if (tensor.type == DataType::Complex64) tensor.type = DataType::Float;
  if (tensor.type == DataType::Complex128) tensor.type = DataType::Double;
  return tensor.numbers();
}

class Case : public testing::Test {
 public:
  Case(json described, int threads) : case_(std::move(described)), threads_(threads) {}

  void TestBody() override {
    OpCall call{.op = case_["op"].get<std::string>(), .inputs = {}, .threads = threads_};
    for (const auto& input : case_["inputs"]) call.inputs.push_back(value(input));
    for (const auto& [name, held] : case_["attributes"].items()) call.attributes[name] = attribute(held);
    const auto results = belay::test::run(call);
    if (case_.contains("because")) return expect_refusal(results);
    ASSERT_TRUE(results.ok()) << results.status().message;
    ASSERT_GE((*results).size(), case_["outputs"].size());
    for (size_t i = 0; i < case_["outputs"].size(); ++i)
      if (!case_["outputs"][i].is_null()) compare((*results)[i], value(case_["outputs"][i]), i);
  }

 private:
  void compare(const Value& got, const Value& want, size_t output) {
    SCOPED_TRACE("output " + std::to_string(output));
    EXPECT_EQ(belay::graph::name_of(got.type), belay::graph::name_of(want.type));
    EXPECT_EQ(belay::graph::to_text(got.shape), belay::graph::to_text(want.shape));
    if (got.type == want.type) belay::test::expect_near(parts(got), parts(want), case_["tolerance"].get<double>());
  }

  void expect_refusal(const belay::Result<std::vector<Value>>& results) {
    ASSERT_FALSE(results.ok()) << "was accepted";
    EXPECT_NE(results.status().message.find(case_["because"].get<std::string>()), std::string::npos)
        << results.status().message;
    if (case_.contains("code")) {
      EXPECT_EQ(results.status().code, case_["code"].get<int>());
    }
  }

  const json case_;
  const int threads_;
};

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char part[4096];
  for (size_t read; pipe && (read = fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, read);
  if (!pipe || pclose(pipe) != 0) {
    fprintf(stderr, "%s failed\n", command.c_str());
    exit(1);
  }
  return text;
}

}  // namespace

// operators SCRIPT [gtest options]
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::string lines = output_of(std::string("/usr/bin/python3 ") + argv[1]);
  int position = 0;
  for (size_t at = 0; at < lines.size();) {
    const size_t end = lines.find('\n', at);
    auto described = json::parse(lines.substr(at, end - at));
    at = end + 1;
    for (const int threads : {1, 2}) {
      const std::string name = std::to_string(++position) + " " + described["name"].get<std::string>() +
                               (threads > 1 ? " on 2 threads" : "");
      testing::RegisterTest("Operator", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [described, threads]() -> testing::Test* { return new Case(described, threads); });
    }
  }
  return RUN_ALL_TESTS();
}
