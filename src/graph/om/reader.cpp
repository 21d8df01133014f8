// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/exception_words.h"
#include "base/files/mapped_file.h"
#include "base/text.h"
#include "graph/ge_ir/reader.h"
#include "graph/om/byte_reader.h"
#include "graph/om/container.h"
#include "graph/om/external_weights.h"
#include "graph/om/in_out.h"
#include "graph/om/om.h"
#include "graph/om/writer.h"
#include "graph/tensor/sizes.h"

namespace belay::graph {
namespace {

constexpr uint32_t kKernelMagic = 0x5D776EFD;

Status bad_model(const std::string& why) {
  return {ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED, "MODEL_DEF: " + why};
}

// Tasks drive the device; here they only have to be whole.
Status check_tasks(std::span<const std::byte> bytes) {
  try {
    protozero::pbf_reader message(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (message.next()) message.skip();
  } catch (const protozero::exception& error) {
    return {ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED,
            formatted("TASK_INFO: the message is damaged ({})", exception_words(error))};
  }
  return {};
}

// Device kernels are not run; here they only have to be whole.
Status check_kernels(PartitionType type, std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  for (size_t item = 0; in.left() > 0; ++item) {
    const auto magic = in.take<uint32_t>(), name = in.take<uint32_t>(), binary = in.take<uint32_t>();
    if (!magic || *magic != kKernelMagic || !name || !binary || !in.take(*name) || !in.take(*binary))
      return {ACL_ERROR_GE_EXEC_LOAD_KERNEL_PARTITION_FAILED,
              formatted("{}: kernel {} is damaged or longer than the partition", name_of(type), item)};
  }
  return {};
}

Status check_device_partitions(const PartitionGroup& group) {
  TRY(check_tasks(find_partition(group, PartitionType::TaskInfo)));
  for (const auto type : {PartitionType::TbeKernels, PartitionType::CustAicpuKernels})
    TRY(check_kernels(type, find_partition(group, type)));
  return {};
}

Result<GeIrModel> read_group(const PartitionGroup& group, const std::shared_ptr<const void>& owner,
                             const AttributeDecoder* inherited) {
  const auto model_def = find_partition(group, PartitionType::ModelDef);
  if (model_def.empty()) return bad_model("the partition is missing or empty");
  TRY(check_device_partitions(group));
  return read_ge_ir({model_def, find_partition(group, PartitionType::WeightsData), owner}, inherited);
}

// The groups after the first hold the compiled subgraphs of a dynamic-shape model, named as the graphs they stand for.
void take_subgraph(Model& model, Model compiled) {
  compiled.main().name = compiled.name;
  for (Graph& graph : compiled.graphs) {
    if (Graph* known = model.find_graph(graph.name))
      *known = std::move(graph);
    else
      model.graphs.push_back(std::move(graph));
  }
}

// A constant must have all the bytes that its shape asks for.
Status check_constants(const Model& model) {
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) {
      if (!is_constant(node)) continue;
      const auto* value = get_if<Constant>(node.attributes, "value");
      if (!value) return bad_model(formatted("constant {} has no value", node.name));
      if (value->bytes.size() < bytes_of(value->type, element_count(value->shape)))
        return {ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED,
                formatted("constant {} {} has only {} bytes", node.name, to_text(value->shape), value->bytes.size())};
    }
  return {};
}

Result<Model> read_groups(const OmContainer& container, const std::shared_ptr<const void>& owner) {
  const auto& groups = container.groups;
  if (groups[0].size() == 1) return bad_model("the file holds only the original graph, which can be shown but not run");
  GeIrModel first = TRY(read_group(groups[0], owner, nullptr));
  if (groups.size() > 1) first.model.attributes[std::string(kFileModels)] = static_cast<int64_t>(groups.size());
  for (size_t i = 1; i < groups.size(); ++i) {
    auto part = read_group(groups[i], owner, &first.decoder);
    if (!part.ok())
      return Status{part.status().code,
                    formatted("model {} of the {} in the file: {}", i + 1, groups.size(), part.status().message)};
    take_subgraph(first.model, std::move(part).value().model);
  }
  if (const Status status = first.model.check(); !status.ok()) return bad_model(status.message);
  TRY(check_constants(first.model));
  first.model.attributes.erase(std::string(kPadding));
  return std::move(first.model);
}

// Programs take their buffers' sizes from the description, kernels theirs from the graph: both must tell the same
// story.
Status check_description(const char* what, const std::vector<InOutInfo>& told, const std::vector<InOutInfo>& real) {
  if (told.size() != real.size())
    return bad_model(formatted("MODEL_INOUT_INFO has {} {}, the graph {}", told.size(), what, real.size()));
  for (size_t i = 0; i < told.size(); ++i)
    if (told[i].size < real[i].size || bits_of(told[i].type) != bits_of(real[i].type))
      return bad_model(formatted("MODEL_INOUT_INFO gives {} of the {} {} bytes, the graph {}", told[i].name, what,
                                 told[i].size, real[i].size));
  return {};
}

// Programs allocate what the description says.
Status check_sizes(const char* what, const std::vector<InOutInfo>& tensors) {
  for (const InOutInfo& tensor : tensors)
    if (tensor.size > kMostBytes)
      return bad_model(formatted("{} {}, {} of {}, is larger than any memory", what, tensor.name, to_text(tensor.dims),
                                 name_of(tensor.type)));
  return {};
}

Result<ModelInOut> read_description(std::span<const std::byte> bytes, const Model& model) {
  ModelInOut real = describe(model);
  if (bytes.empty()) {
    TRY(check_sizes("input", real.inputs));
    TRY(check_sizes("output", real.outputs));
    return real;
  }
  ModelInOut told = TRY(read_in_out(bytes));
  TRY(check_sizes("input", told.inputs));
  TRY(check_sizes("output", told.outputs));
  TRY(check_description("inputs", told.inputs, real.inputs));
  TRY(check_description("outputs", told.outputs, real.outputs));
  return told;
}

Status read_plain(const OmContainer& container, const std::shared_ptr<const void>& owner, OmFile& file) {
  auto model = std::make_shared<Model>(TRY(read_groups(container, owner)));
  if (model->name.empty()) model->name = container.header.name;
  const auto in_out = find_partition(container.groups[0], PartitionType::ModelInOutInfo);
  file.in_out.push_back(TRY(read_description(in_out, *model)));
  file.models.push_back(std::move(model));
  for (const PartitionGroup& group : container.groups)
    for (const Partition& partition : group)
      file.partition_sizes.emplace_back(name_of(partition.type), partition.bytes.size());
  return {};
}

Status read_bundle(const OmContainer& bundle, const std::shared_ptr<const void>& owner, OmFile& file) {
  file.bundle = true;
  for (const Partition& partition : bundle.groups[0]) {
    if (partition.type == PartitionType::BundleModelVarInfo)
      file.variable_bytes = ByteReader(partition.bytes).take<uint64_t>().value_or(0);
    if (partition.type != PartitionType::BundleModelInfo) continue;
    const OmContainer inner = TRY(read_container(partition.bytes));
    if (inner.header.type == ModelType::Bundle) return bad_model("a bundle inside a bundle is not supported");
    TRY(read_plain(inner, owner, file));
  }
  if (file.models.empty()) return bad_model("the bundle holds no model");
  return {};
}

Result<OmFile> read_image(std::span<const std::byte> image, std::shared_ptr<const void> owner) {
  const OmContainer container = TRY(read_container(image));
  OmFile file;
  if (container.header.type == ModelType::Bundle)
    TRY(read_bundle(container, owner, file));
  else
    TRY(read_plain(container, owner, file));
  return file;
}

// The same with weights that lie in files of their own.
Result<OmFile> read_beside(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                           const std::filesystem::path& weights) {
  OmFile file = TRY(read_image(image, std::move(owner)));
  for (const auto& model : file.models) TRY(bring_in_weights(*model, weights));
  return file;
}

}  // namespace

Result<OmFile> read_om(std::span<const std::byte> image, std::shared_ptr<const void> owner) {
  OmFile file = TRY(read_image(image, std::move(owner)));
  for (const auto& model : file.models)
    if (has_external_weights(*model))
      return Status{ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED,
                    "the model's weights are in the directory \"weight\" beside its file; load it from the file"};
  return file;
}

Result<OmFile> read_om(const std::filesystem::path& path) {
  auto mapped = MappedFile::open(path);
  if (!mapped.ok()) return Status{ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID, mapped.status().message};
  auto file = read_beside((*mapped)->bytes(), *mapped, path.parent_path() / "weight");
  if (file.ok()) return file;
  Status status = file.status();
  status.message = path.string() + ": " + status.message;
  return status;
}

}  // namespace belay::graph
