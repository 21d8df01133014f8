// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/keys.h"

#include <algorithm>

#include "base/text.h"

namespace belay::backend::cpu::attention {
namespace {

// A tensor of INT32 has 8 INT4 in each element.
Shape shape_in_elements(const graph::TensorInfo& info) {
  Shape shape = info.shape;
  if (info.type == DataType::Int32 && !shape.empty()) shape.back() *= 8;
  return shape;
}

// Blocks as [block, row, width], [block, row, head, size], [block, head, row, size], or in slices of components.
Result<Heads> block_heads(const std::string& what, const Shape& shape, const Keys::Request& request, int64_t& slice) {
  const int64_t heads = request.heads;
  if (shape.size() == 3 && shape[2] % heads == 0)
    return heads_of(what, "BSND", {shape[0], shape[1], heads, shape[2] / heads}, heads);
  if (shape.size() == 4 && shape[1] == heads && shape[2] == request.block_size)
    return heads_of(what, "BNSD", shape, heads);
  if (shape.size() == 4 && shape[2] == heads) return heads_of(what, "BSND", shape, heads);
  if (shape.size() == 5 && shape[1] == heads) {
    slice = shape[4];
    return heads_of(what, "BNSD", {shape[0], shape[1], shape[3], shape[2] * shape[4]}, heads);
  }
  return refuse(
      formatted("{} has shape {}; with a block table it is [blocks, blockSize, heads * size], "
                "[blocks, heads, blockSize, size] or [blocks, heads, size / c, blockSize, c] of {} heads",
                what, graph::to_text(shape), heads));
}

}  // namespace

Result<Keys> Keys::make(const WholeCall& call, const Request& request) {
  Keys made;
  made.inputs_ = call.inputs(request.port);
  made.paged_ = request.paged;
  if (made.inputs_.empty()) return refuse(request.what + " is a list without tensors");
  if (request.paged && made.inputs_.size() != 1) return refuse("a block table goes with one tensor, not with a list");
  for (const size_t input : made.inputs_) {
    const auto& info = call.info(static_cast<int>(input));
    const Shape shape = shape_in_elements(info);
    if (made.type_ == DataType::Undefined) made.type_ = info.type;
    if (info.type != made.type_) return refuse(request.what + " is a list of tensors of different types");
    made.heads_.push_back(TRY(request.paged
                                  ? block_heads(request.what, shape, request, made.slice_)
                                  : heads_of(request.what, request.layout, shape, request.heads, request.size)));
    const Heads& last = made.heads_.back();
    if (made.inputs_.size() > 1 && last.batches != 1)
      return refuse(request.what + " is a list: each of its tensors must have a batch of 1");
    if (last.heads != made.heads_[0].heads || last.size != made.heads_[0].size)
      return refuse(request.what + " is a list of tensors of different heads");
  }
  if (!reads_floats(made.type_))
    return refuse(formatted("{} of type {} is not supported", request.what, graph::name_of(made.type_)));
  made.size_ = made.heads_[0].size;
  if (request.paged) made.block_size_ = made.heads_[0].rows, made.blocks_ = made.heads_[0].batches;
  return made;
}

Status Keys::set_quant(const WholeCall& call, const AntiQuant& quant, int64_t batches, int64_t rows) {
  const bool quantised = type_ == DataType::Int8 || holds_int4(type_);
  if (quantised && quant.scale < 0) return refuse("keys and values of integers need an antiquant scale");
  if (!quantised) return quant.scale < 0 ? Status{} : refuse("an antiquant scale goes with keys of INT8 or INT4");
  if (quant.mode < 0 || quant.mode > 5)
    return refuse(formatted("an antiquant mode of {} is not supported; 0 to 5 are", quant.mode));
  quant_ = quant;
  const Shape& shape = call.info(quant.scale).shape;
  if (quant.part >= 0 && graph::element_count(shape) % 2 != 0)
    return refuse(formatted("an antiquant scale of shape {} has no halves", graph::to_text(shape)));
  scale_count_ = graph::element_count(shape) / (quant.part < 0 ? 1 : 2);
  scale_columns_ = shape.empty() ? 1 : shape.back();
  const bool fits = quant.mode == 0   ? scale_count_ == 1 || scale_count_ == heads() * size_
                    : quant.mode == 2 ? scale_count_ == heads()
                    : quant.mode == 4 ? scale_count_ == blocks_ * block_size_
                    : quant.mode == 5 ? scale_count_ == blocks_ * block_size_ * heads()
                                      : scale_columns_ >= rows &&
                                            scale_count_ >= batches * scale_columns_ * (quant.mode == 3 ? heads() : 1);
  if (!fits)
    return refuse(formatted("an antiquant scale of shape {} does not fit mode {}", graph::to_text(shape), quant.mode));
  if (quant.offset >= 0 && graph::element_count(call.info(quant.offset).shape) != graph::element_count(shape))
    return refuse("the antiquant offset must have the shape of the scale");
  return {};
}

Keys::Source Keys::source(Inputs in, const std::vector<int64_t>& table, int64_t table_width) const {
  Source made{*this,
              in,
              table.data(),
              table_width,
              all_floats(tensor_at(in, quant_.scale)),
              all_floats(tensor_at(in, quant_.offset))};
  const auto take_part = [&](std::vector<float>& numbers) {
    if (quant_.part < 0 || numbers.empty()) return;
    const auto half = static_cast<ptrdiff_t>(numbers.size() / 2);
    quant_.part == 0 ? numbers.erase(numbers.begin() + half, numbers.end())
                     : numbers.erase(numbers.begin(), numbers.begin() + half);
  };
  take_part(made.scales);
  take_part(made.offsets);
  return made;
}

void Keys::read_row(const Tensor& from, int64_t at, float* to) const {
  if (from.type == DataType::Int32) {
    Tensor packed = from;
    packed.type = DataType::Int4;
    return read_row(packed, at, to);
  }
  if (slice_ == 0) return read_floats(from, at, size_, to);
  for (int64_t d = 0; d < size_; d += slice_) read_floats(from, at + d * block_size_, slice_, to + d);
}

float Keys::Source::factor(const std::vector<float>& from, int64_t batch, int64_t head, int64_t row, int64_t block,
                           int64_t in_block, int64_t d) const {
  const int64_t heads = keys.heads(), size = keys.block_size_, columns = keys.scale_columns_;
  switch (keys.quant_.mode) {
    case 0:
      return from[from.size() == 1 ? 0 : static_cast<size_t>(head * keys.size_ + d)];
    case 1:
      return from[static_cast<size_t>(batch * columns + row)];
    case 2:
      return from[static_cast<size_t>(head)];
    case 3:
      return from[static_cast<size_t>((batch * heads + head) * columns + row)];
    case 4:
      return from[static_cast<size_t>(block * size + in_block)];
    default:
      return from[static_cast<size_t>((block * heads + head) * size + in_block)];
  }
}

void Keys::Source::read(int64_t batch, int64_t head, const Rows& rows, int64_t first, int64_t count, float* to,
                        int64_t step) const {
  const bool list = keys.heads_.size() > 1;
  const Heads& heads = keys.shape(batch);
  const Tensor& from = in[keys.inputs_[list ? static_cast<size_t>(batch) : 0]];
  for (int64_t r = first; r < first + count; ++r, to += step) {
    int64_t block = 0, in_block = 0, at = 0;
    const int64_t row = rows.first + r;
    if (keys.paged_) {
      in_block = row % keys.block_size_;
      block = table[batch * table_width + row / keys.block_size_];
      at = keys.slice_ > 0 ? block * heads.batch_step + head * heads.head_step + in_block * keys.slice_
                           : heads.at(block, head, in_block);
    } else {
      at = heads.at(list || heads.joined ? 0 : batch, head, row);
    }
    keys.read_row(from, at, to);
    if (scales.empty()) continue;
    for (int64_t d = 0; d < keys.size_; ++d) {
      const float offset = offsets.empty() ? 0 : factor(offsets, batch, head, row, block, in_block, d);
      to[d] = (to[d] + offset) * factor(scales, batch, head, row, block, in_block, d);
    }
  }
}

}  // namespace belay::backend::cpu::attention
