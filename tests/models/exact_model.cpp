// SPDX-License-Identifier: Apache-2.0
// Computes a whole model in double by src/exact, as one operator whose members are its nodes: writes each output's
// doubles and, behind them, what each may be off by.
// usage: exact_model MODEL.om OUTPUT_STEM INPUT...    (inputs as raw bytes of the model's types; STEM_0, STEM_1...)
#include <fstream>
#include <iostream>
#include <iterator>

#include "exact/evaluate.h"
#include "graph/infer/infer.h"
#include "graph/om/om.h"

namespace {

using namespace belay;

std::vector<std::byte> bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Status run(const std::string& path, const std::string& stem, const std::vector<std::string>& files) {
  const graph::OmFile file = TRY(graph::read_om(path));
  const graph::Model& model = *file.models.front();
  graph::Node node{.name = "all", .type = "All"};
  std::vector<exact::Value> inputs;
  const auto data = model.main().input_nodes();
  for (size_t i = 0; i < data.size(); ++i) {
    const graph::TensorDesc& desc = model.main().nodes[static_cast<size_t>(data[i])].outputs.at(0);
    node.input_descs.push_back(desc);
    node.inputs.emplace_back();
    inputs.push_back(TRY(exact::widened(desc.type, desc.shape, bytes_of(files.at(i)))));
  }
  node.attributes[std::string(graph::kMembers)] = std::make_shared<graph::Graph>(model.main());
  const auto outputs = TRY(exact::evaluate(model, node, inputs));
  for (size_t o = 0; o < outputs.size(); ++o) {
    std::ofstream to(stem + "_" + std::to_string(o), std::ios::binary);
    const auto write = [&](std::span<const double> values) {
      to.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
    };
    write(outputs[o].value.doubles());
    write(outputs[o].allowed);
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return std::cerr << "usage: exact_model MODEL.om OUTPUT_STEM INPUT...\n", 2;
  const Status status = run(arguments[1], arguments[2], {arguments + 3, arguments + count});
  if (!status.ok()) std::cerr << status.message << "\n";
  return status.ok() ? 0 : 1;
}
