// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "backend/kernel.h"
#include "base/threads/parallel.h"
#include "graph/infer/infer.h"
#include "graph/tensor/element.h"

// Runs one operator as the executor would: shape rule, kernel, tensors in memory of their own.
namespace belay::test {

using backend::Layout;
using graph::Attributes;
using graph::BFloat16;
using graph::Bool;
using graph::DataType;
using graph::Half;
using graph::Shape;

// A tensor that owns its elements.
struct Value {
  DataType type = DataType::Undefined;
  Shape shape;
  std::vector<std::byte> bytes;
  bool present = true;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> elements(bytes.size() / sizeof(T));
    if (!elements.empty()) std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
    return elements;
  }
  // The elements, whatever their type.
  std::vector<double> numbers() const {
    std::vector<double> all;
    const auto added = graph::with_type(graph::AllTypes{}, type, [&]<class T>() -> Status {
      for (const T element : as<T>()) all.push_back(static_cast<double>(graph::compute_t<T>(element)));
      return {};
    });
    if (!added.ok()) ADD_FAILURE() << added.message;
    return all;
  }
};

// tensor<float>({2, 2}, {1, 2, 3, 4}); the elements are converted from doubles.
template <class T>
Value tensor(Shape shape, const std::vector<double>& elements) {
  std::vector<T> converted;
  for (const double element : elements) converted.push_back(static_cast<T>(static_cast<graph::compute_t<T>>(element)));
  EXPECT_EQ(graph::element_count(shape), static_cast<int64_t>(elements.size()));
  Value made{graph::data_type_of<T>(), std::move(shape), {}};
  made.bytes.resize(converted.size() * sizeof(T));
  if (!converted.empty()) std::memcpy(made.bytes.data(), converted.data(), made.bytes.size());
  return made;
}

// The same for a type known at run time only.
inline Value tensor(DataType type, Shape shape, const std::vector<double>& elements) {
  auto made =
      graph::with_type(graph::AllTypes{}, type, [&]<class T>() -> Result<Value> { return tensor<T>(shape, elements); });
  return std::move(made).value();
}

// An optional input left open.
inline Value absent() { return {DataType::Undefined, {}, {}, false}; }

// One call of an operator.
struct OpCall {
  std::string op;
  std::vector<Value> inputs;
  Attributes attributes = {};
  std::string how = "reference";  // "": whichever row comes first
  // Types and shapes of the outputs; empty: the operator's shape rule says.
  std::vector<std::pair<DataType, Shape>> outputs = {};
  bool constant = false;  // whether the kernel is made with the values of all inputs but the first, as of constants
  int threads = 1;
};

// The outputs with their real shapes; or why the rule, the row or the kernel refused.
inline Result<std::vector<Value>> run(const OpCall& call) {
  const ThreadScope threads(call.threads);
  graph::Node node{.name = "node", .type = call.op, .attributes = call.attributes};

  std::vector<graph::Constant> constants;
  for (const Value& input : call.inputs)
    constants.push_back({input.type, input.shape, graph::Format::ND, input.bytes, nullptr});
  std::vector<graph::TensorInfo> infos;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Value& input = call.inputs[i];
    infos.push_back({input.type, input.shape, input.present ? &constants[i] : nullptr, input.present});
    node.inputs.push_back({input.present ? static_cast<int>(i) : -1, 0});
    node.input_descs.push_back({.type = input.type, .shape = input.shape});
  }

  std::vector<graph::TensorInfo> results;
  for (const auto& [type, shape] : call.outputs) results.push_back({type, shape});
  if (results.empty()) {
    graph::InferContext context(node, infos);
    TRY(graph::infer(context));
    results = context.outputs;
  }
  for (const graph::TensorInfo& result : results) node.outputs.push_back({.type = result.type, .shape = result.shape});

  for (size_t i = 0; i < infos.size(); ++i)
    if (!call.constant || i == 0) infos[i].value = nullptr;
  const std::vector<Layout> layouts(infos.size(), Layout::Plain);
  const auto kernel = TRY(backend::make_kernel({node, infos, results, layouts, call.threads}, call.how));

  std::vector<backend::Tensor> inputs, outputs;
  std::vector<Value> values;
  for (const Value& input : call.inputs)
    inputs.push_back(
        {input.type, input.shape, Layout::Plain, const_cast<std::byte*>(input.bytes.data()), input.present});
  for (const graph::TensorInfo& result : results)
    values.push_back({result.type, result.shape,
                      std::vector<std::byte>(graph::bytes_of(result.type, graph::element_count(result.shape)))});
  for (Value& value : values) outputs.push_back({value.type, value.shape, Layout::Plain, value.bytes.data()});
  std::vector<std::byte> scratch(kernel->scratch_bytes() + 64);
  void* aligned = scratch.data();
  size_t space = scratch.size();
  kernel->set_scratch(std::align(64, kernel->scratch_bytes(), aligned, space));
  TRY(kernel->run(inputs, outputs));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i].shape = outputs[i].shape;
    values[i].bytes.resize(graph::bytes_of(values[i].type, outputs[i].count()));
  }
  return values;
}

// The elements of output 0; a failure of the test when the call is refused.
inline std::vector<double> numbers(const OpCall& call) {
  auto results = run(call);
  if (!results.ok()) {
    ADD_FAILURE() << call.op << ": " << results.status().message;
    return {};
  }
  return (*results)[0].numbers();
}

// Equal to `want` within `relative` of the larger of 1 and the wanted magnitude; NaN equals NaN.
inline void expect_near(const std::vector<double>& got, const std::vector<double>& want, double relative) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i]) || std::isinf(want[i])) {
      EXPECT_TRUE(std::isnan(want[i]) ? std::isnan(got[i]) : got[i] == want[i]) << "element " << i << ": " << got[i];
    } else {
      EXPECT_NEAR(got[i], want[i], relative * std::max(1.0, std::abs(want[i]))) << "element " << i;
    }
  }
}

}  // namespace belay::test
