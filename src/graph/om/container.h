// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace belay::graph {

// What a partition of an .om file holds; the numbers stand in the file.
enum class PartitionType : uint32_t {
  ModelDef = 0,
  WeightsData = 1,
  TaskInfo = 2,
  TbeKernels = 3,
  CustAicpuKernels = 4,
  SoBins = 5,
  FlowModel = 6,
  FlowSubmodel = 7,
  ModelInOutInfo = 8,
  TilingData = 12,
  BundleModelInfo = 24,
  BundleModelVarInfo = 25,
  CustomOps = 26,
};
std::string_view name_of(PartitionType type);  // "MODEL_DEF"; "partition" for a number without a name

enum class ModelType : uint8_t { Ir = 0, Standard = 1, Tiny = 2, Flow = 3, Lite = 4, Bundle = 5 };

// The 256 bytes at the start of a file, as far as they mean something.
struct OmHeader {
  uint32_t version = 0x20000000;
  ModelType type = ModelType::Ir;
  bool encrypted = false;
  std::string name;
  uint32_t model_count = 1;
  std::string platform_version;
  uint64_t body_bytes = 0;  // after the header; of a bundle the whole file
  bool wide_table = true;
  bool dynamic_shape = false;
};

struct Partition {
  PartitionType type;
  std::span<const std::byte> bytes;  // borrowed from the image
};

// One model's table: its partitions in file order.
using PartitionGroup = std::vector<Partition>;
// The first partition of that type; empty when there is none.
std::span<const std::byte> find_partition(const PartitionGroup& group, PartitionType type);

struct OmContainer {
  OmHeader header;
  std::vector<PartitionGroup> groups;  // one for each model; of a bundle one, whose partitions are whole files
};

// Reads the header and the tables. 145006 when the image is not a whole .om file, 145000 when its header asks for
// something that is not supported; the message says what and where.
Result<OmContainer> read_container(std::span<const std::byte> image);

struct PartitionSize {
  PartitionType type;
  uint64_t bytes;
};
// What a file with one model, or a bundle, begins with: header and table. The partitions follow without gaps.
std::vector<std::byte> write_head(const OmHeader& header, std::span<const PartitionSize> partitions);
// Bytes before the first partition of a file with so many.
size_t first_partition_offset(size_t partitions, bool wide_table);

}  // namespace belay::graph
