// SPDX-License-Identifier: Apache-2.0
#include "dump/format/record.h"

#include <protozero/pbf_builder.hpp>

#include "base/text.h"
#include "dump/format/record_fields.h"

namespace belay::dump {
namespace {

template <class Tags>
using Builder = protozero::pbf_builder<Tags>;

// proto3 leaves out what is zero or empty.
template <class Tags>
void add_number(Builder<Tags>& out, Tags tag, uint64_t value) {
  if (value != 0) out.add_uint64(tag, value);
}
template <class Tags>
void add_signed(Builder<Tags>& out, Tags tag, int32_t value) {
  if (value != 0) out.add_int32(tag, value);
}
template <class Tags>
void add_text(Builder<Tags>& out, Tags tag, const std::string& text) {
  if (!text.empty()) out.add_string(tag, text);
}

// A sub-message, also when it is empty (protozero's own nesting would drop it then).
template <class SubTags, class Tags, class Fill>
void add_message(Builder<Tags>& out, Tags tag, Fill fill) {
  std::string bytes;
  Builder<SubTags> message(bytes);
  fill(message);
  out.add_message(tag, bytes);
}

template <class Tags>
void add_shape(Builder<Tags>& out, Tags tag, const std::optional<Dims>& shape) {
  if (!shape) return;
  add_message<field::Shape>(out, tag, [&](Builder<field::Shape>& message) {
    if (!shape->empty()) message.add_packed_uint64(field::Shape::dim, shape->begin(), shape->end());
  });
}

void add_original_op(Builder<field::Original>& out, const OriginalOp& op) {
  add_text(out, field::Original::name, op.name);
  add_number(out, field::Original::output_index, op.output_index);
  add_signed(out, field::Original::data_type, op.data_type);
  add_signed(out, field::Original::format, op.format);
}

void add_output(Builder<field::Output>& out, const TensorEntry& tensor) {
  using Tag = field::Output;
  add_signed(out, Tag::data_type, tensor.data_type);
  add_signed(out, Tag::format, tensor.format);
  add_shape(out, Tag::shape, tensor.shape);
  if (tensor.original_op)
    add_message<field::Original>(out, Tag::original_op, [&](auto& op) { add_original_op(op, *tensor.original_op); });
  add_number(out, Tag::size, tensor.size);
  add_shape(out, Tag::original_shape, tensor.original_shape);
  add_signed(out, Tag::sub_format, tensor.sub_format);
  add_number(out, Tag::address, tensor.address);
  for (const auto& [start, end] : tensor.dim_range)
    add_message<field::DimRange>(out, Tag::dim_range, [start = start, end = end](auto& range) {
      add_number(range, field::DimRange::dim_start, start);
      add_number(range, field::DimRange::dim_end, end);
    });
  add_number(out, Tag::offset, tensor.offset);
  add_number(out, Tag::arg_index, tensor.arg_index);
}

void add_input(Builder<field::Input>& out, const TensorEntry& tensor) {
  using Tag = field::Input;
  add_signed(out, Tag::data_type, tensor.data_type);
  add_signed(out, Tag::format, tensor.format);
  add_shape(out, Tag::shape, tensor.shape);
  add_number(out, Tag::size, tensor.size);
  add_shape(out, Tag::original_shape, tensor.original_shape);
  add_signed(out, Tag::sub_format, tensor.sub_format);
  add_number(out, Tag::address, tensor.address);
  add_number(out, Tag::offset, tensor.offset);
  add_number(out, Tag::arg_index, tensor.arg_index);
  add_number(out, Tag::input_type, tensor.input_type);
}

void add_spaces(Builder<field::Dump>& out, field::Dump tag, const std::vector<SpaceEntry>& spaces) {
  for (const SpaceEntry& space : spaces)
    add_message<field::Space>(out, tag, [&](auto& message) {
      add_signed(message, field::Space::type, space.type);
      add_number(message, field::Space::size, space.size);
      add_number(message, field::Space::arg_index, space.arg_index);
    });
}

}  // namespace

uint64_t Header::data_bytes() const {
  uint64_t bytes = 0;
  for (const auto* tensors : {&inputs, &outputs})
    for (const TensorEntry& tensor : *tensors) bytes += tensor.size;
  for (const auto* entries : {&buffers, &spaces})
    for (const SpaceEntry& space : *entries) bytes += space.size;
  return bytes;
}

// Ascending field numbers: equal headers are equal bytes.
std::string encode_message(const Header& header) {
  std::string bytes;
  Builder<field::Dump> out(bytes);
  add_text(out, field::Dump::version, header.version);
  add_number(out, field::Dump::dump_time, header.dump_time);
  for (const TensorEntry& tensor : header.outputs)
    add_message<field::Output>(out, field::Dump::output, [&](auto& message) { add_output(message, tensor); });
  for (const TensorEntry& tensor : header.inputs)
    add_message<field::Input>(out, field::Dump::input, [&](auto& message) { add_input(message, tensor); });
  add_spaces(out, field::Dump::buffer, header.buffers);
  add_text(out, field::Dump::op_name, header.op_name);
  for (const auto& attribute : header.attributes)
    add_message<field::Attr>(out, field::Dump::attr, [&](auto& message) {
      add_text(message, field::Attr::name, attribute.first);
      add_text(message, field::Attr::value, attribute.second);
    });
  add_spaces(out, field::Dump::space, header.spaces);
  add_text(out, field::Dump::dfx_message, header.dfx_message);
  return bytes;
}

Result<std::string> encode(const Header& header) {
  const std::string message = encode_message(header);
  if (message.size() > INT32_MAX)
    return Status{ACL_ERROR_INTERNAL_ERROR, formatted("the dump header of {} is too long", header.op_name)};
  std::string bytes(8, '\0');
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(uint64_t{message.size()} >> 8 * i);
  return bytes + message;
}

}  // namespace belay::dump
