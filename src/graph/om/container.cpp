// SPDX-License-Identifier: Apache-2.0
#include "graph/om/container.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "graph/om/byte_reader.h"

namespace belay::graph {
namespace {

constexpr size_t kHeaderBytes = 256;
constexpr uint32_t kMagic = 0x444F4D49;
constexpr uint32_t kVersion2 = 0x20000000;
constexpr uint32_t kIrVersion = 2;
constexpr uint32_t kMostPartitions = 8, kMostFlowPartitions = 4096;

// As it lies in the file. In version 1.0 files everything from model_count on means something else.
struct [[gnu::packed]] RawHeader {
  uint32_t magic, head_size, version;
  char checksum[64];
  uint32_t length;
  uint8_t is_encrypted, is_checksum, model_type, generation_mode;
  char name[32];
  uint32_t ops;
  char user_info[32];
  uint32_t ir_version, model_count;
  char platform_version[20];
  uint8_t platform_type;
  char pad[3];
  uint64_t model_length;
  uint8_t needs_os_check, is_dynamic_shape;
  char reserved[62];
};
static_assert(sizeof(RawHeader) == kHeaderBytes);

struct WideEntry {
  uint32_t type, pad;
  uint64_t offset, size;
};
struct TinyEntry {
  uint32_t type, offset, size;
};

template <size_t N>
std::string text_in(const char (&field)[N]) {
  return std::string(field, strnlen(field, N));
}

template <size_t N>
void put_text(char (&field)[N], const std::string& text) {
  std::memcpy(field, text.data(), std::min(text.size(), N - 1));
}

Status invalid_file(const std::string& why) {
  return {ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID, "Invalid om file. " + why, "E10001"};
}

Status refused_header(const std::string& why) {
  return {ACL_ERROR_GE_PARAM_INVALID, "The header of the om file is refused: " + why, "E10001"};
}

Result<RawHeader> read_raw_header(std::span<const std::byte> image) {
  const auto raw = ByteReader(image).take<RawHeader>();
  if (image.size() >= 4 && std::memcmp(image.data(), "PK\3\4", 4) == 0)
    return invalid_file("It is a ZIP archive (an .om2 file?), not an .om file.");
  if (!raw) return invalid_file(formatted("It has {} bytes; the header alone has {}.", image.size(), kHeaderBytes));
  const uint32_t magic = raw->magic;
  if (magic != kMagic) return invalid_file("It does not begin with the letters IMOD.");
  return *raw;
}

// The bytes after the header must be as many as the header says. A bundle counts the header too.
Status check_length(const RawHeader& raw, uint64_t image_bytes) {
  const bool new_file = raw.version >= kVersion2;
  const uint64_t wanted = new_file && raw.model_length ? raw.model_length : raw.length;
  const bool bundle = raw.model_type == static_cast<uint8_t>(ModelType::Bundle);
  const uint64_t have = bundle ? image_bytes : image_bytes - kHeaderBytes;
  if (wanted == have) return {};
  return invalid_file(formatted("The header announces {} bytes, the file has {}{}. It was probably cut off.", wanted,
                                have, bundle ? "" : " after the header"));
}

Result<OmHeader> read_header(std::span<const std::byte> image) {
  const RawHeader raw = TRY(read_raw_header(image));
  TRY(check_length(raw, image.size()));
  OmHeader header;
  header.version = raw.version;
  header.type = static_cast<ModelType>(raw.model_type);
  header.encrypted = raw.is_encrypted != 0;
  header.name = text_in(raw.name);
  header.wide_table = false;
  header.body_bytes = image.size() - kHeaderBytes;
  if (raw.version >= kVersion2) {
    header.model_count = raw.model_count;
    header.platform_version = text_in(raw.platform_version);
    header.wide_table = raw.model_length != 0 || header.type == ModelType::Flow;
    header.dynamic_shape = raw.is_dynamic_shape != 0;
  }
  if (header.encrypted) return refused_header("the model is encrypted, which is not supported");
  if (header.type == ModelType::Flow) return refused_header("flow models are not supported");
  if (header.model_count == 0) header.model_count = 1;
  return header;
}

// One table and the partitions behind it. Sizes count; offsets are ignored, as the vendor's loader does.
template <class Entry>
Result<PartitionGroup> read_group(ByteReader& body, size_t group, uint32_t most) {
  const auto where = [&] { return formatted("The partition table of model {}", group); };
  const auto count = body.take<uint32_t>();
  if (!count || (sizeof(Entry) == sizeof(WideEntry) && !body.take<uint32_t>()))
    return invalid_file(where() + " is missing.");
  if (*count == 0 || *count > most)
    return invalid_file(formatted("{} has {} entries; 1 to {} are possible.", where(), *count, most));
  const auto entries = body.take_list<Entry>(*count);
  if (!entries) return invalid_file(where() + " is longer than the file.");
  PartitionGroup partitions;
  for (const Entry& entry : *entries) {
    const auto type = static_cast<PartitionType>(entry.type);
    const auto bytes = body.take(entry.size);
    if (!bytes)
      return invalid_file(formatted("{} announces {} bytes of {}, but only {} are left.", where(), uint64_t{entry.size},
                                    name_of(type), body.left()));
    partitions.push_back({type, *bytes});
  }
  return partitions;
}

// Offsets of a bundle are counted from the end of the header; its partitions still follow one another.
Result<OmContainer> read_bundle(OmHeader header, ByteReader body) {
  OmContainer container{std::move(header), {}};
  container.groups.push_back(TRY(read_group<WideEntry>(body, 0, kMostFlowPartitions)));
  return container;
}

template <class Entry>
void put_entries(ByteWriter& out, std::span<const PartitionSize> partitions, uint64_t offset = 0) {
  for (const PartitionSize& partition : partitions) {
    Entry entry{};
    entry.type = static_cast<uint32_t>(partition.type);
    entry.offset = static_cast<decltype(entry.offset)>(offset);
    entry.size = static_cast<decltype(entry.size)>(partition.bytes);
    out.put(entry);
    offset += partition.bytes;
  }
}

RawHeader to_raw(const OmHeader& header, uint64_t body_bytes) {
  RawHeader raw{};
  raw.magic = kMagic;
  raw.head_size = kHeaderBytes;
  raw.version = header.version;
  raw.model_type = static_cast<uint8_t>(header.type);
  put_text(raw.name, header.name);
  raw.ir_version = kIrVersion;
  raw.model_count = header.model_count;
  put_text(raw.platform_version, header.platform_version);
  raw.is_dynamic_shape = header.dynamic_shape;
  if (header.wide_table)
    raw.model_length = body_bytes;
  else
    raw.length = static_cast<uint32_t>(body_bytes);
  return raw;
}

}  // namespace

std::string_view name_of(PartitionType type) {
  switch (type) {
    case PartitionType::ModelDef:
      return "MODEL_DEF";
    case PartitionType::WeightsData:
      return "WEIGHTS_DATA";
    case PartitionType::TaskInfo:
      return "TASK_INFO";
    case PartitionType::TbeKernels:
      return "TBE_KERNELS";
    case PartitionType::CustAicpuKernels:
      return "CUST_AICPU_KERNELS";
    case PartitionType::SoBins:
      return "SO_BINS";
    case PartitionType::FlowModel:
      return "FLOW_MODEL";
    case PartitionType::FlowSubmodel:
      return "FLOW_SUBMODEL";
    case PartitionType::ModelInOutInfo:
      return "MODEL_INOUT_INFO";
    case PartitionType::TilingData:
      return "TILING_DATA";
    case PartitionType::BundleModelInfo:
      return "BUNDLE_MODEL_INFO";
    case PartitionType::BundleModelVarInfo:
      return "BUNDLE_MODEL_VAR_INFO";
    case PartitionType::CustomOps:
      return "CUSTOM_OPS";
  }
  return "partition";
}

std::span<const std::byte> find_partition(const PartitionGroup& group, PartitionType type) {
  const auto found = std::ranges::find(group, type, &Partition::type);
  return found == group.end() ? std::span<const std::byte>{} : found->bytes;
}

Result<OmContainer> read_container(std::span<const std::byte> image) {
  OmHeader header = TRY(read_header(image));
  ByteReader body(image.subspan(kHeaderBytes));
  if (header.type == ModelType::Bundle) return read_bundle(std::move(header), body);
  OmContainer container{std::move(header), {}};
  for (uint32_t i = 0; i < container.header.model_count; ++i)
    container.groups.push_back(container.header.wide_table ? TRY(read_group<WideEntry>(body, i, kMostPartitions))
                                                           : TRY(read_group<TinyEntry>(body, i, kMostPartitions)));
  if (container.groups.size() > 1 && body.left() > 0)
    return invalid_file(formatted("{} bytes are left after the last model.", body.left()));
  return container;
}

size_t first_partition_offset(size_t partitions, bool wide_table) {
  return kHeaderBytes + (wide_table ? 8 + partitions * sizeof(WideEntry) : 4 + partitions * sizeof(TinyEntry));
}

std::vector<std::byte> write_head(const OmHeader& header, std::span<const PartitionSize> partitions) {
  const size_t before = first_partition_offset(partitions.size(), header.wide_table);
  uint64_t total = before;
  for (const PartitionSize& partition : partitions) total += partition.bytes;
  const bool bundle = header.type == ModelType::Bundle;
  ByteWriter out;
  out.put(to_raw(header, bundle ? total : total - kHeaderBytes));
  out.put(static_cast<uint32_t>(partitions.size()));
  if (header.wide_table) {
    out.put(uint32_t{0});
    put_entries<WideEntry>(out, partitions, bundle ? before - kHeaderBytes : 0);
  } else {
    put_entries<TinyEntry>(out, partitions);
  }
  return std::move(out).finish();
}

}  // namespace belay::graph
