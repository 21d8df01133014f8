// SPDX-License-Identifier: Apache-2.0
#include "graph/om/writer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <protozero/pbf_writer.hpp>

#include "base/text.h"
#include "graph/ge_ir/writer.h"
#include "graph/om/container.h"
#include "graph/om/in_out.h"
#include "graph/om/om.h"

namespace belay::graph {
namespace {

constexpr size_t kWeightAlignment = 512;
constexpr size_t kMostMessageBytes = std::numeric_limits<int32_t>::max();
constexpr const char* kPlatform = "belay";

std::span<const std::byte> bytes_of_text(const std::string& text) { return std::as_bytes(std::span(text)); }

// ModelTaskDef: no tasks, but a partition must not be empty.
std::string task_message(uint64_t memory_bytes, uint64_t weight_bytes) {
  enum : uint32_t { version = 1, memory_size = 11, stream_num = 12, weight_size = 14 };
  std::string message;
  protozero::pbf_writer out(message);
  out.add_string(version, kPlatform);
  if (memory_bytes) out.add_uint64(memory_size, memory_bytes);
  out.add_uint32(stream_num, 1);
  if (weight_bytes) out.add_uint64(weight_size, weight_bytes);
  return message;
}

// What tools show of a model's resources.
void add_resources(GeIrImage& image, size_t task_bytes) {
  const auto weights = static_cast<int64_t>(image.weights.size());
  Attributes& attributes = image.attributes;
  attributes["memory_size"] = static_cast<int64_t>(image.memory_bytes);
  attributes["weight_size"] = weights;
  attributes["stream_num"] = 1;
  attributes["event_num"] = 0;
  attributes["label_num"] = 0;
  // Bytes of weights, device kernels, AI CPU kernels, tasks, host libraries.
  attributes["om_info_list"] = std::vector<int64_t>{weights, 0, 0, static_cast<int64_t>(task_bytes), 0};
}

// The ModelDef, so long that what follows it at `offset` in the file is aligned.
std::string model_message(GeIrImage& image, size_t offset) {
  const size_t unpadded = offset + image.graphs.size() + write_model_attributes(image.attributes).size();
  for (size_t zeros = 0; zeros < 3 * kWeightAlignment; ++zeros) {
    Attribute padding{std::string(zeros, '\0')};
    const size_t added = write_model_attributes({{std::string(kPadding), padding}}).size();
    if ((unpadded + added) % kWeightAlignment != 0) continue;
    image.attributes[std::string(kPadding)] = std::move(padding);
    break;
  }
  return image.graphs + write_model_attributes(image.attributes);
}

bool has_unknown_inputs(const Graph& graph) {
  return std::ranges::any_of(graph.input_nodes(), [&](int node) {
    const auto& outputs = graph.nodes[node].outputs;
    return !outputs.empty() && !is_known(outputs[0].shape);
  });
}

// What an OmImage owns.
struct OmParts {
  std::vector<std::byte> head, in_out;
  std::string model_def, tasks;
};

uint64_t bytes_in(std::span<const PartitionSize> partitions) {
  uint64_t bytes = 0;
  for (const PartitionSize& partition : partitions) bytes += partition.bytes;
  return bytes;
}

uint64_t bytes_in(const Pieces& pieces) {
  uint64_t bytes = 0;
  for (const auto& piece : pieces) bytes += piece.size();
  return bytes;
}

std::vector<std::byte> joined(const Pieces& pieces) {
  std::vector<std::byte> bytes;
  bytes.reserve(bytes_in(pieces));
  for (const auto& piece : pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

}  // namespace

Result<OmImage> make_om(const Model& model, const OmWriteOptions& options) {
  TRY(model.check());
  GeIrImage image = write_ge_ir(model, options.compress_attributes);
  auto parts = std::make_shared<OmParts>();
  parts->in_out = write_in_out(describe(model));
  parts->tasks = task_message(image.memory_bytes, image.weights.size());
  add_resources(image, parts->tasks.size());
  const bool weights = image.weights.size() > 0;
  const size_t partitions = 2 + !parts->in_out.empty() + weights;
  const size_t before = first_partition_offset(partitions, options.wide_table) + parts->in_out.size();
  parts->model_def = weights ? model_message(image, before) : image.graphs + write_model_attributes(image.attributes);
  if (parts->model_def.size() > kMostMessageBytes)
    return Status{ACL_ERROR_PARSE_MODEL, formatted("the graph alone needs {} bytes; an .om file can hold 2 GiB of it",
                                                   parts->model_def.size())};
  std::vector<PartitionSize> sizes;
  if (!parts->in_out.empty()) sizes.push_back({PartitionType::ModelInOutInfo, parts->in_out.size()});
  sizes.push_back({PartitionType::ModelDef, parts->model_def.size()});
  if (weights) sizes.push_back({PartitionType::WeightsData, image.weights.size()});
  sizes.push_back({PartitionType::TaskInfo, parts->tasks.size()});
  if (!options.wide_table && bytes_in(sizes) + before > std::numeric_limits<uint32_t>::max())
    return Status{ACL_ERROR_PARSE_MODEL, "the file would be longer than 4 GiB, which only a wide table can describe"};
  OmHeader header{.name = model.name, .platform_version = kPlatform, .wide_table = options.wide_table};
  header.dynamic_shape = has_unknown_inputs(model.main());
  parts->head = write_head(header, sizes);
  OmImage made{{parts->head, parts->in_out, bytes_of_text(parts->model_def)}, parts};
  if (weights) std::ranges::copy(image.weights.pieces(), std::back_inserter(made.pieces));
  made.pieces.push_back(bytes_of_text(parts->tasks));
  return made;
}

Result<std::vector<std::byte>> write_om(const Model& model, const OmWriteOptions& options) {
  return joined(TRY(make_om(model, options)).pieces);
}

Result<std::vector<std::byte>> write_bundle(std::span<const Model* const> models, uint64_t variable_bytes) {
  std::vector<OmImage> images;
  std::vector<PartitionSize> sizes{{PartitionType::BundleModelVarInfo, sizeof variable_bytes}};
  for (const Model* model : models) {
    images.push_back(TRY(make_om(*model)));
    sizes.push_back({PartitionType::BundleModelInfo, bytes_in(images.back().pieces)});
  }
  OmHeader header{.type = ModelType::Bundle, .model_count = static_cast<uint32_t>(models.size())};
  const auto head = write_head(header, sizes);
  Pieces pieces{head, std::as_bytes(std::span(&variable_bytes, 1))};
  for (const OmImage& image : images) std::ranges::copy(image.pieces, std::back_inserter(pieces));
  return joined(pieces);
}

}  // namespace belay::graph
