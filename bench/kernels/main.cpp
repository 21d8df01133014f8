// SPDX-License-Identifier: Apache-2.0
// Each operator through its vector row and through its reference row, beside a plain copy of the same bytes. One
// thread. The names are operator/shape/row, so that ratios can be read off.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>

#include "backend/kernel.h"
#include "base/threads/parallel.h"
#include "graph/infer/infer.h"

namespace {

using namespace belay;
using backend::DataType;
using backend::Layout;
using backend::Shape;

struct Case {
  const char* op;
  std::vector<Shape> inputs;
  graph::Attributes attributes = {};
  std::vector<int64_t> numbers = {};  // a constant int64 input behind the others: axes, an order
};

// The shapes that BERT, MobileNet, U-Net and OCR networks have.
const Case cases[] = {
    {"Add", {{128, 768}, {128, 768}}},
    {"Add", {{128, 3072}, {3072}}},
    {"Mul", {{1, 72, 56, 56}, {1, 72, 1, 1}}},
    {"RealDiv", {{12, 128, 128}, {}}},
    {"Relu", {{1, 64, 112, 112}}},
    {"HardSwish", {{1, 64, 112, 112}}},
    {"Sigmoid", {{1, 64, 112, 112}}},
    {"Tanh", {{128, 768}}},
    {"Exp", {{128, 768}}},
    {"Erf", {{128, 3072}}},
    {"Gelu", {{128, 3072}}},
    {"Sin", {{128, 768}}},
    {"Cos", {{128, 768}}},
    {"SoftmaxV2", {{12, 128, 128}}},
    {"LayerNormV3", {{128, 768}, {768}, {768}}, {{"begin_norm_axis", -1}}},
    {"AddLayerNorm", {{128, 768}, {128, 768}, {768}, {768}}},
    {"AddRmsNorm", {{128, 768}, {128, 768}, {768}}},
    {"RotaryMul", {{1, 16, 128, 128}, {1, 1, 128, 128}, {1, 1, 128, 128}}},
    {"InstanceNorm", {{1, 64, 56, 56}, {64}, {64}}, {{"data_format", "NCHW"}}},
    {"ReduceMean", {{128, 768}}, {}, {-1}},
    {"ReduceMean", {{1, 960, 7, 7}}, {}, {2, 3}},
    {"ReduceMax", {{1, 128, 768}}, {}, {1}},
    {"Transpose", {{1, 128, 12, 64}}, {}, {0, 2, 1, 3}},
    {"Transpose", {{1, 128, 12, 64}}, {}, {0, 2, 3, 1}},
};

// One operator made ready, with memory for its tensors.
struct Call {
  Call(const Case& c, const char* how) {
    node.name = node.type = c.op;
    node.attributes = c.attributes;
    for (const Shape& shape : c.inputs) {
      infos.push_back({DataType::Float, shape});
      add(inputs, DataType::Float, shape);
      auto* x = inputs.back().as<float>();
      for (int64_t i = 0; i < inputs.back().count(); ++i) x[i] = static_cast<float>(i % 1009) * 0.005f - 2.5f;
    }
    if (!c.numbers.empty()) {
      const Shape shape = {static_cast<int64_t>(c.numbers.size())};
      add(inputs, DataType::Int64, shape);
      std::memcpy(inputs.back().data, c.numbers.data(), c.numbers.size() * sizeof(int64_t));
      constant = {DataType::Int64, shape, graph::Format::ND, std::span(memory.back()).first(c.numbers.size() * 8),
                  nullptr};
      infos.push_back({DataType::Int64, shape, &constant});
    }
    graph::InferContext context(node, infos);
    if (!graph::infer(context).ok()) return;
    for (const auto& info : context.outputs) add(outputs, info.type, info.shape);
    const std::vector<Layout> layouts(infos.size(), Layout::Plain);
    auto made = backend::make_kernel({node, infos, context.outputs, layouts, 1}, how);
    if (made.ok()) kernel = std::move(made).value();
  }

  void add(std::vector<backend::Tensor>& side, DataType type, const Shape& shape) {
    memory.emplace_back(graph::bytes_of(type, graph::element_count(shape)) + 64);
    bytes += static_cast<int64_t>(memory.back().size());
    side.push_back({type, shape, Layout::Plain, memory.back().data()});
  }

  graph::Node node;
  graph::Constant constant;
  std::vector<graph::TensorInfo> infos;
  std::vector<std::vector<std::byte>> memory;
  std::vector<backend::Tensor> inputs, outputs;
  std::unique_ptr<backend::Kernel> kernel;
  int64_t bytes = 0;
};

void run(benchmark::State& state, const Case& c, const char* how) {
  const ThreadScope threads(1);
  Call call(c, how);
  if (!call.kernel) return state.SkipWithError("there is no such row");
  for (auto _ : state)
    if (!call.kernel->run(call.inputs, call.outputs).ok()) return state.SkipWithError("it failed");
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * call.bytes);
}

void copy(benchmark::State& state) {
  std::vector<char> from(128 * 768 * 4), to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * from.size() * 2));
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  benchmark::RegisterBenchmark("memcpy/128,768", copy);
  for (const Case& c : cases)
    for (const char* how : {"simd", "reference"}) {
      const std::string name = std::string(c.op) + "/" + graph::to_text(c.inputs[0]) + "/" + how;
      benchmark::RegisterBenchmark(name.c_str(), [&c, how](benchmark::State& state) { run(state, c, how); });
    }
  benchmark::RunSpecifiedBenchmarks();
}
