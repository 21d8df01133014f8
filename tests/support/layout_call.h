// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/layout.h"
#include "support/op_call.h"

// Runs one operator whose inputs come in the layouts that its neighbours would give them.
namespace belay::test {

struct LayoutCall {
  std::string op;
  std::vector<Value> inputs;
  Attributes attributes = {};
  std::string how = "";
  std::vector<Layout> layouts = {};  // of the inputs; those that are missing are Plain
  int threads = 1;
  bool constant = false;  // whether all inputs but the first are constants
  size_t output = 0;
};

// Its output in plain order; a failure of the test when the call is refused.
inline std::vector<double> numbers_in_layout(const LayoutCall& call) {
  const ThreadScope scope(call.threads);
  graph::Node node{.name = "node", .type = call.op, .attributes = call.attributes};
  std::vector<graph::Constant> constants;
  for (const Value& input : call.inputs)
    constants.push_back({input.type, input.shape, graph::Format::ND, input.bytes, nullptr});
  std::vector<graph::TensorInfo> infos;
  for (size_t i = 0; i < call.inputs.size(); ++i)
    infos.push_back({call.inputs[i].type, call.inputs[i].shape, &constants[i]});
  graph::InferContext context(node, infos);
  const Status inferred = graph::infer(context);
  EXPECT_TRUE(inferred.ok()) << inferred.message;
  for (size_t i = 0; i < infos.size(); ++i)
    if (!call.constant || i == 0) infos[i].value = nullptr;
  std::vector<Layout> layouts = call.layouts;
  layouts.resize(call.inputs.size(), Layout::Plain);
  auto made = backend::make_kernel({node, infos, context.outputs, layouts, call.threads}, call.how);
  if (!inferred.ok() || !made.ok()) {
    ADD_FAILURE() << call.op << ": " << made.status().message;
    return {};
  }
  const auto kernel = std::move(made).value();

  std::vector<std::vector<std::byte>> memory;
  std::vector<backend::Tensor> inputs;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const Value& input = call.inputs[i];
    const backend::Tensor plain{input.type, input.shape, Layout::Plain, const_cast<std::byte*>(input.bytes.data())};
    backend::Tensor moved = plain;
    moved.layout = kernel->wants(i);
    memory.emplace_back(moved.bytes());
    moved.data = memory.back().data();
    EXPECT_TRUE(backend::reorder(plain, moved).ok());
    inputs.push_back(moved);
  }
  std::vector<backend::Tensor> outputs;
  for (size_t o = 0; o < context.outputs.size(); ++o) {
    backend::Tensor given{context.outputs[o].type, context.outputs[o].shape, kernel->gives(o)};
    memory.emplace_back(given.bytes(), std::byte(0xFF));  // NaNs
    given.data = memory.back().data();
    outputs.push_back(given);
  }
  const graph::TensorInfo& info = context.outputs[call.output];
  std::vector<std::byte> scratch(kernel->scratch_bytes() + 64);
  void* aligned = scratch.data();
  size_t space = scratch.size();
  kernel->set_scratch(std::align(64, kernel->scratch_bytes(), aligned, space));
  const Status status = kernel->run(inputs, outputs);
  EXPECT_TRUE(status.ok()) << status.message;

  Value plain{info.type, info.shape,
              std::vector<std::byte>(graph::bytes_of(info.type, graph::element_count(info.shape)))};
  backend::Tensor to{info.type, info.shape, Layout::Plain, plain.bytes.data()};
  EXPECT_TRUE(backend::reorder(outputs[call.output], to).ok());
  return plain.numbers();
}

}  // namespace belay::test
