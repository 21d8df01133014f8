// SPDX-License-Identifier: Apache-2.0
#include "graph/om/in_out.h"

#include "base/text.h"
#include "graph/om/byte_reader.h"

namespace belay::graph {
namespace {

enum class Block : uint32_t {
  Inputs = 0,
  Outputs = 1,
  DynamicBatch = 2,
  DynamicHw = 3,
  DynamicDims = 4,
  DynamicOutputShapes = 5,
  UserShapeOrder = 6,
};

// The fixed part of a tensor's record; lengths are in bytes.
struct RawTensor {
  uint64_t size;
  uint32_t format, type, name_length, dims_length, dims_v2_length, range_length;
};
static_assert(sizeof(RawTensor) == 32);

using Numbers = std::vector<int64_t>;

void put_block(ByteWriter& out, Block type, ByteWriter content) {
  const auto bytes = std::move(content).finish();
  out.put(static_cast<uint32_t>(type));
  out.put(static_cast<uint32_t>(bytes.size()));
  out.put_bytes(bytes);
}

void put_tensors(ByteWriter& out, Block type, const std::vector<InOutInfo>& tensors) {
  if (tensors.empty()) return;
  ByteWriter content;
  content.put(static_cast<uint32_t>(tensors.size()));
  for (const InOutInfo& tensor : tensors) {
    content.put(RawTensor{.size = tensor.size,
                          .format = static_cast<uint32_t>(tensor.format),
                          .type = static_cast<uint32_t>(tensor.type),
                          .name_length = static_cast<uint32_t>(tensor.name.size()),
                          .dims_length = static_cast<uint32_t>(tensor.dims.size() * 8),
                          .dims_v2_length = static_cast<uint32_t>(tensor.dims_v2.size() * 8),
                          .range_length = static_cast<uint32_t>(tensor.range.size() * 16)});
    content.put_text(tensor.name);
    content.put_list(tensor.dims);
    content.put_list(tensor.dims_v2);
    for (const auto& [low, high] : tensor.range) {
      content.put(low);
      content.put(high);
    }
  }
  put_block(out, type, std::move(content));
}

void put_numbers(ByteWriter& out, Block type, const Numbers& numbers) {
  if (numbers.empty()) return;
  ByteWriter content;
  content.put(static_cast<uint32_t>(numbers.size()));
  content.put_list(numbers);
  put_block(out, type, std::move(content));
}

// A count, all lengths, then all contents: lists of numbers and texts alike.
template <class List, class Put>
void put_lists(ByteWriter& out, Block type, const std::vector<List>& lists, Put put) {
  if (lists.empty()) return;
  ByteWriter content;
  content.put(static_cast<uint32_t>(lists.size()));
  for (const List& list : lists) content.put(static_cast<uint32_t>(list.size()));
  for (const List& list : lists) put(content, list);
  put_block(out, type, std::move(content));
}

Status damaged(Block type) {
  return {ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED,
          formatted("MODEL_INOUT_INFO: block {} is shorter than its content", static_cast<uint32_t>(type))};
}

Result<InOutInfo> take_tensor(ByteReader& in, Block type) {
  const auto raw = in.take<RawTensor>();
  if (!raw) return damaged(type);
  InOutInfo tensor;
  tensor.size = raw->size;
  tensor.format = static_cast<Format>(raw->format);
  tensor.type = static_cast<DataType>(raw->type);
  auto name = in.take_text(raw->name_length);
  auto dims = in.take_list<int64_t>(raw->dims_length / 8);
  auto dims_v2 = in.take_list<int64_t>(raw->dims_v2_length / 8);
  const auto range = in.take_list<int64_t>(raw->range_length / 16 * 2);
  if (!name || !dims || !dims_v2 || !range) return damaged(type);
  tensor.name = std::move(*name);
  tensor.dims = std::move(*dims);
  tensor.dims_v2 = std::move(*dims_v2);
  for (size_t i = 0; i < range->size(); i += 2) tensor.range.emplace_back((*range)[i], (*range)[i + 1]);
  return tensor;
}

Result<std::vector<InOutInfo>> take_tensors(ByteReader in, Block type) {
  const auto count = in.take<uint32_t>();
  if (!count) return damaged(type);
  std::vector<InOutInfo> tensors;
  for (uint32_t i = 0; i < *count; ++i) tensors.push_back(TRY(take_tensor(in, type)));
  return tensors;
}

Result<Numbers> take_numbers(ByteReader in, Block type) {
  const auto count = in.take<uint32_t>();
  auto numbers = count ? in.take_list<int64_t>(*count) : std::nullopt;
  if (!numbers) return damaged(type);
  return std::move(*numbers);
}

template <class List, class Take>
Result<std::vector<List>> take_lists(ByteReader in, Block type, Take take) {
  const auto count = in.take<uint32_t>();
  const auto lengths = count ? in.take_list<uint32_t>(*count) : std::nullopt;
  if (!lengths) return damaged(type);
  std::vector<List> lists;
  for (const uint32_t length : *lengths) {
    auto list = take(in, length);
    if (!list) return damaged(type);
    lists.push_back(std::move(*list));
  }
  return lists;
}

Status take_block(ModelInOut& made, Block type, ByteReader content) {
  const auto numbers = [](ByteReader& in, uint32_t length) { return in.take_list<int64_t>(length); };
  const auto text = [](ByteReader& in, uint32_t length) { return in.take_text(length); };
  switch (type) {
    case Block::Inputs:
      made.inputs = TRY(take_tensors(content, type));
      break;
    case Block::Outputs:
      made.outputs = TRY(take_tensors(content, type));
      break;
    case Block::DynamicBatch:
      made.dynamic_batch = TRY(take_numbers(content, type));
      break;
    case Block::DynamicHw:
      made.dynamic_hw = TRY(take_lists<Numbers>(content, type, numbers));
      break;
    case Block::DynamicDims:
      made.dynamic_dims = TRY(take_lists<Numbers>(content, type, numbers));
      break;
    case Block::DynamicOutputShapes:
      made.dynamic_output_shapes = TRY(take_lists<std::string>(content, type, text));
      break;
    case Block::UserShapeOrder:
      made.user_shape_order = TRY(take_lists<std::string>(content, type, text));
      break;
  }
  return {};
}

}  // namespace

std::vector<std::byte> write_in_out(const ModelInOut& in_out) {
  const auto numbers = [](ByteWriter& out, const Numbers& list) { out.put_list(list); };
  const auto text = [](ByteWriter& out, const std::string& each) { out.put_text(each); };
  ByteWriter out;
  put_tensors(out, Block::Inputs, in_out.inputs);
  put_tensors(out, Block::Outputs, in_out.outputs);
  put_numbers(out, Block::DynamicBatch, in_out.dynamic_batch);
  put_lists(out, Block::DynamicHw, in_out.dynamic_hw, numbers);
  put_lists(out, Block::DynamicDims, in_out.dynamic_dims, numbers);
  put_lists(out, Block::DynamicOutputShapes, in_out.dynamic_output_shapes, text);
  put_lists(out, Block::UserShapeOrder, in_out.user_shape_order, text);
  return std::move(out).finish();
}

Result<ModelInOut> read_in_out(std::span<const std::byte> partition) {
  ModelInOut made;
  ByteReader in(partition);
  while (in.left() > 0) {
    const auto type = in.take<uint32_t>(), length = in.take<uint32_t>();
    const auto content = type && length ? in.take(*length) : std::nullopt;
    if (!content)
      return Status{ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED,
                    "MODEL_INOUT_INFO: a block is longer than the partition"};
    TRY(take_block(made, static_cast<Block>(*type), ByteReader(*content)));
  }
  return made;
}

}  // namespace belay::graph
