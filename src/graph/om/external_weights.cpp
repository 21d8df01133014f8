// SPDX-License-Identifier: Apache-2.0
#include "graph/om/external_weights.h"

#include <algorithm>
#include <map>

#include "base/files/mapped_file.h"
#include "base/sha256.h"
#include "base/text.h"

namespace belay::graph {
namespace {

constexpr std::string_view kType = "FileConstant";
constexpr uint64_t kAlignment = 512;

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

uint64_t length_of(const WeightFile& file) {
  uint64_t length = 0;
  for (const Constant& piece : file.pieces) length = aligned(length) + piece.bytes.size();
  return length;
}

void turn_out(Node& node, const Constant& value, const std::string& file, uint64_t offset) {
  node.type = kType;
  node.attributes.erase("value");
  node.attributes["shape"] = value.shape;
  node.attributes["dtype"] = value.type;
  node.attributes["location"] = file;
  node.attributes["offset"] = static_cast<int64_t>(offset);
  node.attributes["length"] = static_cast<int64_t>(value.bytes.size());
}

Status missing(const Node& node, const std::string& why) {
  return {ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED, formatted("the weights of {}: {}", node.name, why)};
}

using Files = std::map<std::string, std::shared_ptr<const MappedFile>>;

Status turn_in(Node& node, const std::filesystem::path& directory, Files& files) {
  const auto location = get_or<std::string>(node.attributes, "location", "");
  const auto offset = get_or<int64_t>(node.attributes, "offset", 0);
  const auto length = get_or<int64_t>(node.attributes, "length", 0);
  const std::string name = std::filesystem::path(location).filename().string();  // nothing outside the directory
  if (name.empty() || name == "." || name == "..") return missing(node, "the file has no name");
  auto& file = files[name];
  if (!file) {
    auto opened = MappedFile::open(directory / name);
    if (!opened.ok()) return missing(node, opened.status().message);
    file = std::move(opened).value();
  }
  const auto size = static_cast<int64_t>(file->bytes().size());
  if (offset < 0 || length < 0 || offset > size || length > size - offset)
    return missing(node, formatted("{} has {} bytes, too few for {} at {}", name, size, length, offset));
  Constant value{get_or(node.attributes, "dtype", DataType::Undefined), get_or(node.attributes, "shape", Shape{})};
  if (!node.outputs.empty()) value.format = node.outputs[0].format;
  value.bytes = file->bytes().subspan(static_cast<size_t>(offset), static_cast<size_t>(length));
  value.owner = file;
  if (value.bytes.size() < bytes_of(value.type, element_count(value.shape)) || offset % 8 != 0)
    return missing(node, formatted("{} bytes at {} are not a tensor {}", length, offset, to_text(value.shape)));
  for (const auto attribute : {"shape", "dtype", "location", "offset", "length", "file_path", "file_id"})
    node.attributes.erase(attribute);
  node.type = "Const";
  node.attributes["value"] = std::move(value);
  return {};
}

}  // namespace

std::vector<WeightFile> take_out_weights(Model& model, const std::string& combined) {
  std::vector<WeightFile> files;
  if (!combined.empty()) files.push_back({combined, {}});
  for (Graph& graph : model.graphs)
    for (Node& node : graph.nodes) {
      const auto* held = is_constant(node) ? get_if<Constant>(node.attributes, "value") : nullptr;
      if (!held || held->bytes.empty()) continue;
      const Constant value = *held;
      if (combined.empty()) {
        const std::string name = "weight_" + sha256(value.bytes);
        forget_pages(value.bytes.data(), value.bytes.size());
        if (std::ranges::find(files, name, &WeightFile::name) == files.end()) files.push_back({name, {value}});
        turn_out(node, value, name, 0);
      } else {
        turn_out(node, value, combined, aligned(length_of(files[0])));
        files[0].pieces.push_back(value);
      }
    }
  std::erase_if(files, [](const WeightFile& file) { return file.pieces.empty(); });
  return files;
}

Pieces pieces_of(const WeightFile& file) {
  static constexpr std::byte zeros[kAlignment] = {};
  Pieces pieces;
  uint64_t end = 0;
  for (const Constant& piece : file.pieces) {
    pieces.push_back({zeros, aligned(end) - end});
    pieces.push_back(piece.bytes);
    end = aligned(end) + piece.bytes.size();
  }
  return pieces;
}

bool has_external_weights(const Model& model) {
  return std::ranges::any_of(model.graphs, [](const Graph& graph) {
    return std::ranges::any_of(graph.nodes, [](const Node& node) { return node.type == kType; });
  });
}

Status bring_in_weights(Model& model, const std::filesystem::path& directory) {
  Files files;
  for (Graph& graph : model.graphs)
    for (Node& node : graph.nodes)
      if (node.type == kType) TRY(turn_in(node, directory, files));
  return {};
}

}  // namespace belay::graph
