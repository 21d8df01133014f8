// SPDX-License-Identifier: Apache-2.0
#include "commands/blame_inputs.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "commands/run_inputs.h"
#include "commands/tensor_io.h"
#include "inspect/dump_tree.h"

namespace belay::tools {
namespace {

bool fits(const graph::Shape& shape, const graph::Shape& declared) {
  if (std::ranges::find(declared, -2) != declared.end()) return true;
  return std::ranges::equal(shape, declared, [](int64_t dim, int64_t wanted) { return wanted < 0 || dim == wanted; });
}

// Statistics have names of dump files and hold no tensors.
bool only_statistics(const std::filesystem::path& dump) {
  const auto found = inspect::find_dumps({dump});
  return found.ok() && !(*found).files.empty() &&
         std::ranges::all_of((*found).files, [](const inspect::FoundDump& each) { return each.statistics; });
}

}  // namespace

blame::GivenTensors blame_inputs(const std::vector<std::string>& files, const graph::Model& model) {
  std::vector<std::string> names;
  const graph::Graph& main = model.main();
  for (const int node : main.input_nodes()) names.push_back(main.nodes[static_cast<size_t>(node)].name);
  const GivenInputs given(files, {}, names);
  blame::GivenTensors tensors;
  for (const int index : main.input_nodes()) {
    const graph::Node& node = main.nodes[static_cast<size_t>(index)];
    const std::string file = given.file(node.name);
    if (file.empty() || node.outputs.empty()) continue;
    const graph::TensorDesc& desc = node.outputs[0];
    const HostTensor wanted{node.name, static_cast<aclDataType>(desc.type), desc.shape, {}};
    auto read = std::make_shared<const HostTensor>(read_tensor(file, wanted));
    if (!fits(read->shape, desc.shape))
      throw std::runtime_error(file + " has the shape " + graph::to_text(read->shape) + "; input " + node.name +
                               " of the model has " + graph::to_text(desc.shape));
    tensors[node.name] = or_throw(blame::source_of(desc.type, read->shape, read->bytes, read));
  }
  return tensors;
}

compare::Side open_dump_with_tensors(const std::filesystem::path& dump) {
  auto side = compare::open_side(dump);
  if (!side.ok() && only_statistics(dump))
    throw std::runtime_error(dump.string() +
                             " holds statistics only; blame needs the tensors: dump with \"dump_data\":\"tensor\" and "
                             "\"dump_mode\":\"all\" (or \"output\")");
  return or_throw(std::move(side));
}

}  // namespace belay::tools
