// SPDX-License-Identifier: Apache-2.0
// Attributes and tensors of GE IR messages.
#include <algorithm>
#include <protozero/pbf_writer.hpp>

#include "base/text.h"
#include "graph/ge_ir/fields.h"
#include "graph/ge_ir/origin_form.h"
#include "graph/ge_ir/parser.h"

namespace belay::graph {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using namespace ge_ir;

namespace {

constexpr int kMostNesting = 50;  // of attributes in tensors or graphs in attributes

// Numeric repeated fields may be packed or not.
void append_ints(pbf_reader& field, std::vector<int64_t>& list) {
  if (field.wire_type() == pbf_wire_type::varint) {
    list.push_back(field.get_int64());
  } else if (field.wire_type() == pbf_wire_type::length_delimited) {
    for (const int64_t each : field.get_packed_int64()) list.push_back(each);
  } else {
    field.skip();
  }
}

void append_floats(pbf_reader& field, std::vector<float>& list) {
  if (field.wire_type() == pbf_wire_type::fixed32) {
    list.push_back(field.get_float());
  } else if (field.wire_type() == pbf_wire_type::length_delimited) {
    for (const float each : field.get_packed_float()) list.push_back(each);
  } else {
    field.skip();
  }
}

std::vector<std::vector<int64_t>> parse_int_lists(pbf_reader message) {
  std::vector<std::vector<int64_t>> lists;
  while (message.next(ListOfLists::list, pbf_wire_type::length_delimited)) {
    pbf_reader inner = message.get_message();
    auto& list = lists.emplace_back();
    while (inner.next(InnerList::value)) append_ints(inner, list);
  }
  return lists;
}

std::vector<std::vector<float>> parse_float_lists(pbf_reader message) {
  std::vector<std::vector<float>> lists;
  while (message.next(ListOfLists::list, pbf_wire_type::length_delimited)) {
    pbf_reader inner = message.get_message();
    auto& list = lists.emplace_back();
    while (inner.next(InnerList::value)) append_floats(inner, list);
  }
  return lists;
}

EncodedAttribute encoded(const pbf_reader& message) {
  const auto view = message.data();
  return {std::string(view.data(), view.size())};
}

// "FRACTAL_Z:32" is a format with a group count.
Format parse_layout(std::string_view layout) {
  if (layout.starts_with("FORMAT_")) layout.remove_prefix(7);
  return format_named(layout.substr(0, layout.find(':')));
}

// Moves what the format itself keeps among a tensor's attributes into the fields that stand for it.
void take_origin(TensorDesc& desc) {
  Attributes& attributes = desc.attributes;
  if (const auto* full = get_if<int64_t>(attributes, kFormatInt)) {
    desc.format = static_cast<Format>(*full & 0xFF);
    if (*full == (*full & 0xFF)) attributes.erase(attributes.find(kFormatInt));  // else it says more than the format
  }
  desc.origin_format = desc.format;
  desc.origin_shape = desc.shape;
  if (const auto* name = get_if<std::string>(attributes, kOriginFormat)) desc.origin_format = parse_layout(*name);
  if (const auto* full = get_if<int64_t>(attributes, kOriginFormatInt))
    desc.origin_format = static_cast<Format>(*full & 0xFF);
  if (const auto* shape = get_if<Shape>(attributes, kOriginShape))
    if (!shape->empty() || get_or<bool>(attributes, kOriginShapeSet, false)) desc.origin_shape = *shape;
  for (const auto& range : get_or<std::vector<std::vector<int64_t>>>(attributes, kShapeRange, {}))
    if (range.size() == 2) desc.range.emplace_back(range[0], range[1]);
  for (const auto name : {kOriginFormat, kOriginFormatInt, kOriginType, kOriginShapeSet, kOriginShape, kShapeRange})
    if (const auto found = attributes.find(name); found != attributes.end()) attributes.erase(found);
}

}  // namespace

Status GeIrParser::parse_map_entry(pbf_reader message, Attributes& attributes) {
  std::string key;
  AttributeValue value;
  while (message.next()) switch (message.tag_and_type()) {
      case length_field(MapEntry::key):
        key = message.get_string();
        break;
      case length_field(MapEntry::value):
        TRY(parse_attribute(message.get_message(), value));
        break;
      default:
        message.skip();
    }
  attributes[std::move(key)].value = std::move(value);
  return {};
}

Status GeIrParser::parse_attribute(pbf_reader message, AttributeValue& value) {
  if (++depth_ > kMostNesting)
    return {ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED, "MODEL_DEF: attributes are nested too deeply"};
  const pbf_reader whole = message;
  while (message.next()) switch (message.tag_and_type()) {
      case length_field(AttrDef::list):
        TRY(parse_list(message.get_message(), value));
        break;
      case length_field(AttrDef::s):
        value = message.get_string();
        break;
      case varint_field(AttrDef::i):
        value = message.get_int64();
        break;
      case fixed32_field(AttrDef::f):
        value = message.get_float();
        break;
      case varint_field(AttrDef::b):
        value = message.get_bool();
        break;
      case varint_field(AttrDef::dt):
        value = static_cast<DataType>(message.get_int64());
        break;
      case length_field(AttrDef::list_list_int):
        value = parse_int_lists(message.get_message());
        break;
      case length_field(AttrDef::list_list_float):
        value = parse_float_lists(message.get_message());
        break;
      case length_field(AttrDef::g):
        TRY(parse_nested_graph(message.get_message(), value));
        break;
      case length_field(AttrDef::t): {
        Constant constant;
        TRY(parse_constant(message.get_message(), constant));
        value = std::move(constant);
        break;
      }
      default:
        value = encoded(whole);
        message.skip();
    }
  --depth_;
  return {};
}

Status GeIrParser::parse_list(pbf_reader message, AttributeValue& value) {
  const pbf_reader whole = message;
  auto type = ListType::None, seen = ListType::None;
  std::vector<std::string> texts;
  std::vector<int64_t> ints, bools, types;
  std::vector<float> floats;
  std::vector<Constant> constants;
  while (message.next()) {
    switch (message.tag()) {
      case ListValue::i:
        append_ints(message, ints), seen = ListType::Int;
        continue;
      case ListValue::f:
        append_floats(message, floats), seen = ListType::Float;
        continue;
      case ListValue::b:
        append_ints(message, bools), seen = ListType::Bool;
        continue;
      case ListValue::dt:
        append_ints(message, types), seen = ListType::DataType;
        continue;
      default:
        break;
    }
    switch (message.tag_and_type()) {
      case length_field(ListValue::s):
        texts.push_back(message.get_string()), seen = ListType::String;
        break;
      case length_field(ListValue::t):
        TRY(parse_constant(message.get_message(), constants.emplace_back()));
        seen = ListType::Tensor;
        break;
      case varint_field(ListValue::val_type):
        type = static_cast<ListType>(message.get_int32());
        break;
      default:
        seen = ListType::Bytes, message.skip();
    }
  }
  switch (type == ListType::None ? seen : type) {
    case ListType::None:
      break;  // says nothing
    case ListType::String:
      value = std::move(texts);
      return {};
    case ListType::Int:
      value = std::move(ints);
      return {};
    case ListType::Float:
      value = std::move(floats);
      return {};
    case ListType::Bool:
      value = std::vector<bool>(bools.begin(), bools.end());
      return {};
    case ListType::Tensor:
      value = std::move(constants);
      return {};
    case ListType::DataType: {
      std::vector<DataType> list;
      for (const int64_t each : types) list.push_back(static_cast<DataType>(each));
      value = std::move(list);
      return {};
    }
    case ListType::Bytes:
    case ListType::TensorDesc:
    case ListType::Graph:
    case ListType::NamedAttrs:
      break;
  }
  std::string attribute;  // as the AttrDef that the list came in
  protozero::pbf_writer(attribute).add_message(AttrDef::list, encoded(whole).message);
  value = EncodedAttribute{std::move(attribute)};
  return {};
}

Status GeIrParser::parse_desc(pbf_reader message, TensorDesc& desc, Placement* placement) {
  Placement place;
  desc.type = DataType::Undefined;
  while (message.next()) switch (message.tag_and_type()) {
      case length_field(TensorDescriptor::name):
        desc.name = message.get_string();
        break;
      case varint_field(TensorDescriptor::dtype):
        desc.type = from_proto(message.get_int32());
        break;
      case length_field(TensorDescriptor::layout):
        desc.format = parse_layout(message.get_string());
        break;
      case length_field(TensorDescriptor::attr):
        TRY(parse_map_entry(message.get_message(), desc.attributes));
        break;
      case varint_field(TensorDescriptor::weight_size):
        place.bytes = message.get_uint64();
        break;
      case varint_field(TensorDescriptor::data_offset):
        place.offset = message.get_uint64();
        break;
      case length_field(TensorDescriptor::shape): {
        pbf_reader shape = message.get_message();
        while (shape.next(ShapeDef::dim)) append_ints(shape, desc.shape);
        break;
      }
      default:
        message.skip();
    }
  if (decoder_) TRY(decoder_->decode(desc.attributes));
  take_origin(desc);
  if (placement) *placement = place;
  return {};
}

Status GeIrParser::parse_constant(pbf_reader message, Constant& constant) {
  TensorDesc desc;
  Placement place;
  protozero::data_view data;
  while (message.next()) switch (message.tag_and_type()) {
      case length_field(TensorDef::desc):
        TRY(parse_desc(message.get_message(), desc, &place));
        break;
      case length_field(TensorDef::data):
        data = message.get_view();
        break;
      default:
        message.skip();
    }
  constant = {desc.type, desc.shape, desc.format, {}, owner_};
  if (data.size() > 0) {
    constant.bytes = std::as_bytes(std::span(data.data(), data.size()));
  } else if (place.bytes > 0) {
    if (place.offset > weights_.size() || place.bytes > weights_.size() - place.offset)
      return {ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED,
              formatted("WEIGHTS_DATA has {} bytes, but a constant of {} bytes lies at {}", weights_.size(),
                        place.bytes, place.offset)};
    constant.bytes = weights_.subspan(place.offset, place.bytes);
  }
  return settle_constant(desc, constant);
}

}  // namespace belay::graph
