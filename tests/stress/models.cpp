// SPDX-License-Identifier: Apache-2.0
// Many threads load and run models at the same time, each time with another limit of threads:
//   stress_models ROUNDS [SEED]
// Every run gives the bits of a run alone on one thread. The random choices are fixed by the seed; what the threads
// make of them is not.
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "convert/convert.h"
#include "executor/loaded_model.h"
#include "support/onnx_writer.h"

namespace {

using namespace belay;
using test::OnnxWriter;

constexpr int kThreads = 8, kMostThreads = 16;
using Floats = std::vector<float>;

Floats random_floats(const std::vector<int64_t>& shape, float scale, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-scale, scale);
  size_t count = 1;
  for (const int64_t dim : shape) count *= static_cast<size_t>(dim);
  Floats made(count);
  for (float& value : made) value = values(random);
  return made;
}

// A writer of nodes that have weights.
struct Net : OnnxWriter {
  std::string weights(const std::string& name, const std::vector<int64_t>& shape) {
    floats(name, shape, random_floats(shape, 0.2f, ++seed));
    return name;
  }
  unsigned seed = 0;
};

struct Case {
  Net net;
  std::vector<int64_t> input;
  std::shared_ptr<const graph::Model> model;
  Floats values, alone;
};

// Convolutions of each kind, pooling, a residual sum.
void image_network(Case& c) {
  c.input = {1, 16, 33, 31};
  Net& n = c.net;
  n.opset(13).input("x", c.input);
  n.node("c1", "Conv", {"x", n.weights("w1", {48, 16, 3, 3})}, {"a"}, {{"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  n.node("r1", "Relu", {"a"}, {"b"});
  n.node("c2", "Conv", {"b", n.weights("w2", {48, 1, 3, 3})}, {"c"},
         {{"group", 48}, {"pads", std::vector<int64_t>{1, 1, 1, 1}}});
  n.node("c3", "Conv", {"c", n.weights("w3", {48, 48, 1, 1})}, {"d"});
  n.node("s", "Add", {"d", "b"}, {"e"});
  n.node("p", "MaxPool", {"e"}, {"f"},
         {{"kernel_shape", std::vector<int64_t>{3, 3}}, {"strides", std::vector<int64_t>{2, 2}}});
  n.node("c4", "Conv", {"f", n.weights("w4", {64, 48, 5, 5})}, {"y"}, {{"strides", std::vector<int64_t>{2, 2}}});
  n.output("y");
}

// What comes up to larger sizes again.
void growing_network(Case& c) {
  c.input = {2, 24, 17, 19};
  Net& n = c.net;
  n.opset(13).input("x", c.input);
  n.node("t", "ConvTranspose", {"x", n.weights("w1", {24, 20, 2, 2})}, {"a"},
         {{"strides", std::vector<int64_t>{2, 2}}});
  n.node("s", "Sigmoid", {"a"}, {"b"});
  n.node("m", "Mul", {"a", "b"}, {"c"});
  n.node("p", "AveragePool", {"c"}, {"d"}, {{"kernel_shape", std::vector<int64_t>{3, 3}}});
  n.node("h", "Transpose", {"d"}, {"e"}, {{"perm", std::vector<int64_t>{0, 2, 3, 1}}});
  n.node("f", "Softmax", {"e"}, {"y"}, {{"axis", -1}});
  n.output("y");
}

void product_network(Case& c) {
  c.input = {3, 65, 96};
  Net& n = c.net;
  n.opset(13).input("x", c.input);
  n.node("m1", "MatMul", {"x", n.weights("w1", {96, 200})}, {"a"});
  n.node("b1", "Add", {"a", n.weights("b", {200})}, {"b1"});
  n.node("t", "Tanh", {"b1"}, {"c"});
  n.node("m2", "MatMul", {"c", n.weights("w2", {200, 96})}, {"d"});
  n.node("s", "Add", {"d", "x"}, {"e"});
  n.node("r", "Transpose", {"e"}, {"f"}, {{"perm", std::vector<int64_t>{0, 2, 1}}});
  n.node("m3", "MatMul", {"e", "f"}, {"g"});
  n.node("mean", "ReduceMean", {"g"}, {"h"}, {{"axes", std::vector<int64_t>{2}}});
  n.node("z", "Sub", {"g", "h"}, {"y"});
  n.output("y");
}

void recurrent_network(Case& c) {
  c.input = {20, 2, 40};
  Net& n = c.net;
  n.opset(13).input("x", c.input);
  n.node("l", "LSTM", {"x", n.weights("w", {1, 4 * 72, 40}), n.weights("r", {1, 4 * 72, 72})}, {"a"},
         {{"hidden_size", 72}});
  n.ints("axes", {1}).node("s", "Squeeze", {"a", "axes"}, {"b"});
  n.node("g", "GRU", {"b", n.weights("w2", {1, 3 * 33, 72}), n.weights("r2", {1, 3 * 33, 33})}, {"y"},
         {{"hidden_size", 33}});
  n.output("y");
}

Result<Floats> run(const Case& c, int threads) {
  const auto loaded = TRY(executor::load(c.model, {.threads = threads}));
  Floats values = c.values;
  const std::vector<backend::Tensor> inputs = {
      {graph::DataType::Float, c.input, backend::Layout::Plain, values.data()}};
  std::vector<backend::Tensor> outputs = {{graph::DataType::Float, {}, backend::Layout::Plain, nullptr}};
  TRY(loaded->run({}, inputs, outputs));
  const auto* data = static_cast<const float*>(outputs[0].data);
  Floats result(data, data + outputs[0].count());
  std::free(outputs[0].data);
  return result;
}

bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

Status prepare(Case& c, unsigned seed) {
  const test::OnnxImage image(c.net.model());
  convert::ConvertOptions options;
  options.name = "net";
  c.model = TRY(convert::convert_onnx(image.bytes(), image.owner, ".", options)).model;
  c.values = random_floats(c.input, 1, seed);
  c.alone = TRY(run(c, 1));
  return c.alone.empty() ? Status{ACL_ERROR_FAILURE, "a network without results"} : Status{};
}

std::atomic<int> faults{0};

void work(std::span<const Case> cases, int rounds, unsigned seed) {
  std::mt19937 random(seed);
  for (int i = 0; i < rounds; ++i) {
    const size_t which = random() % cases.size();
    const int threads = 1 + static_cast<int>(random() % kMostThreads);
    const auto result = run(cases[which], threads);
    if (result.ok() && same_bits(*result, cases[which].alone)) continue;
    std::fprintf(stderr, "fault: network %zu with %d threads: %s\n", which, threads,
                 result.ok() ? "other bits than alone" : result.status().message.c_str());
    ++faults;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int rounds = count > 1 ? std::atoi(arguments[1]) : 0;
  const auto seed = static_cast<unsigned>(count > 2 ? std::atoi(arguments[2]) : 1);
  if (rounds <= 0) return std::fprintf(stderr, "usage: stress_models ROUNDS [SEED]\n"), 2;
  std::array<Case, 4> cases;
  image_network(cases[0]), growing_network(cases[1]), product_network(cases[2]), recurrent_network(cases[3]);
  for (unsigned i = 0; i < cases.size(); ++i)
    if (const Status status = prepare(cases[i], i); !status.ok())
      return std::fprintf(stderr, "network %u: %s\n", i, status.message.c_str()), 1;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back(work, cases, rounds, seed * 100 + t);
  for (std::thread& thread : threads) thread.join();
  std::printf("%d runs, %d faults\n", kThreads * rounds, faults.load());
  return faults > 0;
}
