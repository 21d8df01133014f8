// SPDX-License-Identifier: Apache-2.0
#include "dump/format/opdebug.h"

#include <cstring>

#include "graph/tensor/types.h"

namespace belay::dump {
namespace {

constexpr uint64_t kNoId = 65535;

// What the block begins with; the rest of it is zero.
struct Record {
  uint32_t magic = kOpdebugMagic, version = 0;
  uint32_t valid = 1, acc_type = 0, rsv = 0, data_len = 88;  // acc_type 0: AI Core
  uint64_t model_id = 0, stream_id = 0, task_id = 0, task_type = 0, context_id = kNoId, thread_id = kNoId;
  uint64_t pc_start = 0, para_base = 0, core_id = 0, block_id = 0;
  uint64_t status = 0x20;  // any but 0 tells of an overflow
};
static_assert(offsetof(Record, valid) == kOpdebugRecordAt && offsetof(Record, model_id) == kOpdebugDataAt);
static_assert(sizeof(Record) == kOpdebugDataAt + 88);

}  // namespace

std::string opdebug_block(uint64_t model_id, uint64_t stream_id, uint64_t task_id) {
  const Record record{.model_id = model_id, .stream_id = stream_id, .task_id = task_id};
  std::string block(kOpdebugBytes, '\0');
  std::memcpy(block.data(), &record, sizeof record);
  return block;
}

Header opdebug_header(uint64_t time, const void* address) {
  constexpr auto nd = static_cast<int32_t>(graph::Format::ND);
  TensorEntry entry{
      .data_type = graph::to_proto(graph::DataType::UInt8),
      .format = nd,
      .shape = Dims{kOpdebugBytes},
      .original_op =
          OriginalOp{.name = kOpdebugName, .data_type = static_cast<int32_t>(graph::DataType::UInt8), .format = nd},
      .size = kOpdebugBytes,
      .original_shape = Dims(),  // present and empty
      .address = reinterpret_cast<uint64_t>(address)};
  Header header{.dump_time = time, .op_name = kOpdebugName};
  header.outputs.push_back(std::move(entry));
  return header;
}

}  // namespace belay::dump
