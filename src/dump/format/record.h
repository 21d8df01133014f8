// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

// The bytes of a dump file: the length of the header (8 bytes, little-endian), the header (a protobuf message), then
// the bytes of all inputs, outputs, buffers and workspaces, each group in the order of the header. docs/dump.md has the
// whole format.
namespace belay::dump {

using Dims = std::vector<uint64_t>;

// The operator of the source model that a value came from.
struct OriginalOp {
  std::string name;
  uint32_t output_index = 0;
  int32_t data_type = 0;  // the graph engine's number, not the dump's
  int32_t format = 0;
  bool operator==(const OriginalOp&) const = default;
};

// An input or an output. Fields that are zero are not on the wire; sub-messages may be absent or empty.
struct TensorEntry {
  int32_t data_type = 0;  // the dump's own numbers: see types.h
  int32_t format = 0;
  std::optional<Dims> shape;
  std::optional<OriginalOp> original_op;  // outputs only
  uint64_t size = 0;                      // bytes of data in the file
  std::optional<Dims> original_shape;
  int32_t sub_format = 0;
  uint64_t address = 0;
  std::vector<std::pair<uint64_t, uint64_t>> dim_range;  // outputs only
  uint64_t offset = 0;
  uint32_t arg_index = 0;
  uint32_t input_type = 0;  // inputs only
  bool operator==(const TensorEntry&) const = default;
};

// A buffer (type 0: L1) or a workspace (type 0: log).
struct SpaceEntry {
  int32_t type = 0;
  uint64_t size = 0;
  uint32_t arg_index = 0;  // workspaces only
  bool operator==(const SpaceEntry&) const = default;
};

struct Header {
  std::string version = "2.0";
  uint64_t dump_time = 0;  // microseconds since 1970
  std::vector<TensorEntry> outputs, inputs;
  std::vector<SpaceEntry> buffers;
  std::string op_name;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<SpaceEntry> spaces;
  std::string dfx_message;

  // Bytes of all data behind the header.
  uint64_t data_bytes() const;
  bool operator==(const Header&) const = default;
};

// What a file begins with: the length and the message. 500000 when the message would be longer than 2^31-1 bytes.
Result<std::string> encode(const Header& header);
// The same without the length.
std::string encode_message(const Header& header);

}  // namespace belay::dump
