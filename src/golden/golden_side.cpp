// SPDX-License-Identifier: Apache-2.0
#include "golden/golden_side.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "backend/layout.h"
#include "base/files/descriptor.h"
#include "base/files/mapped_file.h"
#include "base/files/nameless_file.h"
#include "base/text.h"
#include "blame/model_file.h"
#include "compare/sides/stored_source.h"
#include "executor/branch.h"
#include "executor/loaded_model.h"
#include "graph/model/origin.h"

namespace belay::golden {

using backend::Tensor;
using Source = std::shared_ptr<const compare::ElementSource>;

namespace {

bool makes_results(const graph::Node& node) {
  return !graph::is_graph_input(node) && !graph::is_constant(node) && node.type != "NetOutput" && !node.name.empty();
}

// Its origin is what the header of a dump file would tell, so that both sides name the same value.
compare::SideTensor tensor_of(const graph::Node& node, size_t output) {
  compare::SideTensor tensor{.op = node.name, .op_type = node.type, .index = output};
  if (const auto origin = graph::original_output(node, output)) {
    tensor.origin = origin->op;
    tensor.origin_index = origin->index;
  }
  return tensor;
}

// What the model gives at the end, by node and output; where that is only given another shape, what it is made of.
std::set<std::pair<int, int>> results_of(const graph::Graph& graph) {
  std::set<std::pair<int, int>> results;
  const int last = graph.output_node();
  if (last < 0) return results;
  for (graph::Edge edge : graph.nodes[static_cast<size_t>(last)].inputs) {
    while (edge.connected() && executor::is_view(graph.nodes[static_cast<size_t>(edge.node)]))
      edge = graph.nodes[static_cast<size_t>(edge.node)].inputs[0];
    if (edge.connected()) results.emplace(edge.node, edge.output);
  }
  return results;
}

}  // namespace

// Keeps what wanted operators make, one after the other in a file.
class GoldenSide::Keeper final : public executor::Observer {
 public:
  explicit Keeper(int file) : file_{file} {}

  void want(const std::string& op, size_t output) { wanted_[op].insert(output); }

  bool wants(const graph::Node& node) const override { return wanted_.contains(node.name); }
  bool keeps_inputs(const graph::Node&) const override { return false; }

  void ran(const executor::RunInfo&, const graph::Node& node, std::span<const Tensor>,
           std::span<const Tensor> outputs) override {
    for (const size_t output : wanted_.at(node.name)) {
      if (output >= outputs.size() || !outputs[output].present) continue;
      const Tensor& tensor = outputs[output];
      kept_[{node.name, output}] = {tensor.type, tensor.shape, end_};
      write(tensor);
    }
  }

  Status finish() {
    if (error_ != 0)
      return {ACL_ERROR_WRITE_FILE, formatted("cannot keep results in $TMPDIR: {}", std::strerror(error_))};
    if (end_ > 0) mapped_ = TRY(MappedFile::open("/proc/self/fd/" + std::to_string(file_.number)));
    return {};
  }

  Result<Source> open(const std::string& op, size_t output) const {
    const auto found = kept_.find({op, output});
    if (found == kept_.end())
      return Status{ACL_ERROR_INVALID_PARAM, formatted("the model did not compute output {} of {}", output, op)};
    const Kept& kept = found->second;
    const size_t bytes = graph::bytes_of(kept.type, graph::element_count(kept.shape));
    const graph::TensorForm form{graph::Format::ND, kept.shape};
    return compare::make_stored_source(
        {.type = kept.type,
         .form = form,
         .logical = form,
         .bytes = bytes == 0 ? std::span<const std::byte>() : mapped_->bytes().subspan(kept.begin, bytes),
         .owner = mapped_});
  }

 private:
  struct Kept {
    graph::DataType type;
    graph::Shape shape;
    size_t begin;
  };

  // In row-major order; convolutions and what follows them have the channels last.
  void write(const Tensor& tensor) {
    if (tensor.layout == backend::Layout::Plain) return write(static_cast<const char*>(tensor.data), tensor.bytes());
    std::vector<char> elements(graph::bytes_of(tensor.type, tensor.count()));
    Tensor plain{tensor.type, tensor.shape, backend::Layout::Plain, elements.data()};
    if (const Status done = backend::reorder(tensor, plain); !done.ok())
      error_ = EINVAL;
    else
      write(elements.data(), elements.size());
  }

  void write(const char* data, size_t size) {
    while (size > 0 && error_ == 0) {
      const ssize_t written = ::write(file_.number, data, size);
      if (written < 0) {
        error_ = errno;
      } else {
        data += written;
        size -= static_cast<size_t>(written);
        end_ += static_cast<size_t>(written);
      }
    }
  }

  const Descriptor file_;
  std::map<std::string, std::set<size_t>> wanted_;
  std::map<std::pair<std::string, size_t>, Kept> kept_;
  std::shared_ptr<const MappedFile> mapped_;
  size_t end_ = 0;
  int error_ = 0;
};

GoldenSide::GoldenSide(std::shared_ptr<const graph::Model> model) : model_(std::move(model)) {
  const auto results = results_of(model_->main());
  for (size_t at = 0; at < model_->main().nodes.size(); ++at) {
    const graph::Node& node = model_->main().nodes[at];
    if (!makes_results(node)) continue;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      compare::SideTensor tensor = tensor_of(node, i);
      tensor.result = results.contains({static_cast<int>(at), static_cast<int>(i)});
      tensor.open = [this, op = node.name, i]() -> Result<Source> {
        if (keeper_) return keeper_->open(op, i);
        return Status{ACL_ERROR_INVALID_PARAM, formatted("the model did not run, so that {} has no result", op)};
      };
      side_.tensors.push_back(std::move(tensor));
    }
  }
}

Result<std::unique_ptr<GoldenSide>> GoldenSide::open(const std::filesystem::path& model) {
  auto read = TRY(blame::read_model(model, false));
  std::unique_ptr<GoldenSide> made(new GoldenSide(std::move(read)));
  made->side_.name = model.string();
  return made;
}

std::vector<Input> GoldenSide::inputs() const {
  std::vector<Input> made;
  const graph::Graph& main = model_->main();
  for (const int index : main.input_nodes()) {
    const graph::Node& node = main.nodes[static_cast<size_t>(index)];
    made.push_back({node.name, node.outputs.front().type, node.outputs.front().shape, {}});
  }
  return made;
}

Status GoldenSide::run(const std::vector<Input>& inputs, const std::vector<size_t>& wanted) {
  keeper_ = std::make_shared<Keeper>(TRY(nameless_file()));
  for (const size_t at : wanted) keeper_->want(side_.tensors[at].op, side_.tensors[at].index);
  executor::LoadOptions options;
  options.observers = {keeper_};
  const auto loaded = TRY(executor::load(model_, options));
  std::vector<Tensor> taken;
  for (const Input& input : inputs)
    taken.push_back({input.type, input.shape, backend::Layout::Plain, const_cast<std::byte*>(input.bytes.data())});
  const graph::Node& results = model_->main().nodes[static_cast<size_t>(model_->main().output_node())];
  std::vector<Tensor> given(results.inputs.size());
  for (size_t i = 0; i < given.size(); ++i) given[i].type = results.input_descs[i].type;
  TRY(loaded->run({}, taken, given));
  for (const Tensor& output : given) std::free(output.data);
  return keeper_->finish();
}

}  // namespace belay::golden
