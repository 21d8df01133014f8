// SPDX-License-Identifier: Apache-2.0
// Attributes and tensors as GE IR messages.
#include <map>

#include "graph/ge_ir/emitter.h"
#include "graph/ge_ir/fields.h"

namespace belay::graph {

using protozero::pbf_writer;
using namespace ge_ir;

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 wants it said

// What the compiled model sets aside for a tensor of so many bytes.
uint64_t padded_size(uint64_t bytes) { return (bytes + 32 + 31) / 32 * 32; }

std::string shape_message(const Shape& shape) {
  std::string message;
  pbf_writer(message).add_packed_int64(ShapeDef::dim, shape.begin(), shape.end());
  return message;
}

std::string layout_text(Format format, int64_t full) {
  if (format == Format::Reserved) return "FORMAT_RESERVED";
  const int64_t sub = (full >> 8) & 0xFFFF;
  return std::string(name_of(format)) + (sub ? ":" + std::to_string(sub) : "");
}

// The tensor attributes of model.md 2.3. The full format may say more than the plain one.
Attributes origin_attributes(const TensorDesc& desc, int64_t full_format) {
  Attributes attributes;
  attributes[std::string(kOriginFormat)] = std::string(name_of(desc.origin_format));
  attributes[std::string(kOriginFormatInt)] = static_cast<int64_t>(desc.origin_format);
  attributes[std::string(kFormatInt)] = full_format;
  attributes[std::string(kOriginType)] = std::string(name_of(desc.type));
  attributes[std::string(kOriginShapeSet)] = true;
  attributes[std::string(kOriginShape)] = desc.origin_shape;
  if (!desc.range.empty()) {
    std::vector<std::vector<int64_t>> range;
    for (const auto& [low, high] : desc.range) range.push_back({low, high});
    attributes[std::string(kShapeRange)] = std::move(range);
  }
  return attributes;
}

template <class Lists, class Add>
std::string lists_message(const Lists& lists, Add add) {
  std::string message;
  pbf_writer writer(message);
  for (const auto& each : lists) {
    std::string inner;  // a nested writer would leave out an empty list
    pbf_writer list(inner);
    add(list, each);
    writer.add_message(ListOfLists::list, inner);
  }
  return message;
}

void put_desc_fields(pbf_writer& writer, const TensorDesc& desc, int64_t full_format) {
  if (!desc.name.empty()) writer.add_string(TensorDescriptor::name, desc.name);
  if (const int32_t type = to_proto(desc.type)) writer.add_enum(TensorDescriptor::dtype, type);
  if (!desc.shape.empty()) writer.add_message(TensorDescriptor::shape, shape_message(desc.shape));
  writer.add_string(TensorDescriptor::layout, layout_text(desc.format, full_format));
}

}  // namespace

void GeIrEmitter::add_map(pbf_writer& message, uint32_t tag, const Attributes& attributes, const Attributes& untyped) {
  auto typed_next = attributes.begin();
  auto untyped_next = untyped.begin();
  while (typed_next != attributes.end() || untyped_next != untyped.end()) {
    const bool typed =
        untyped_next == untyped.end() || (typed_next != attributes.end() && typed_next->first < untyped_next->first);
    const auto& [key, value] = typed ? *typed_next++ : *untyped_next++;
    pbf_writer entry(message, tag);
    entry.add_string(MapEntry::key, key);
    entry.add_message(MapEntry::value, attribute(value, typed));
  }
}

std::string GeIrEmitter::attribute(const Attribute& attribute, bool typed_lists) {
  if (const auto* encoded = std::get_if<EncodedAttribute>(&attribute.value)) return encoded->message;
  std::string message;
  pbf_writer out(message);
  const auto add_list = [&](const auto&) { out.add_message(AttrDef::list, list(attribute.value, typed_lists)); };
  std::visit(
      Overloaded{
          [](std::monostate) {},
          [](const EncodedAttribute&) {},
          [&](bool value) { out.add_bool(AttrDef::b, value); },
          [&](int64_t value) { out.add_int64(AttrDef::i, value); },
          [&](float value) { out.add_float(AttrDef::f, value); },
          [&](const std::string& value) { out.add_bytes(AttrDef::s, value); },
          [&](DataType value) { out.add_int64(AttrDef::dt, static_cast<int64_t>(value)); },
          [&](const Constant& value) { out.add_message(AttrDef::t, constant(value)); },
          [&](const std::shared_ptr<Graph>& value) {
            if (value) out.add_message(AttrDef::g, nested_graph(*value));
          },
          [&](const std::vector<std::vector<int64_t>>& value) {
            out.add_message(AttrDef::list_list_int, lists_message(value, [](pbf_writer& inner, const auto& each) {
                              inner.add_packed_int64(InnerList::value, each.begin(), each.end());
                            }));
          },
          [&](const std::vector<std::vector<float>>& value) {
            out.add_message(AttrDef::list_list_float, lists_message(value, [](pbf_writer& inner, const auto& each) {
                              inner.add_packed_float(InnerList::value, each.begin(), each.end());
                            }));
          },
          add_list,
      },
      attribute.value);
  return message;
}

std::string GeIrEmitter::list(const AttributeValue& value, bool typed) {
  std::string message;
  pbf_writer out(message);
  auto type = ListType::None;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    type = ListType::String;
    for (const std::string& each : *texts) out.add_bytes(ListValue::s, each);
  } else if (const auto* ints = std::get_if<std::vector<int64_t>>(&value)) {
    type = ListType::Int;
    out.add_packed_int64(ListValue::i, ints->begin(), ints->end());
  } else if (const auto* floats = std::get_if<std::vector<float>>(&value)) {
    type = ListType::Float;
    out.add_packed_float(ListValue::f, floats->begin(), floats->end());
  } else if (const auto* bools = std::get_if<std::vector<bool>>(&value)) {
    type = ListType::Bool;
    out.add_packed_bool(ListValue::b, bools->begin(), bools->end());
  } else if (const auto* constants = std::get_if<std::vector<Constant>>(&value)) {
    type = ListType::Tensor;
    for (const Constant& each : *constants) out.add_message(ListValue::t, constant(each));
  } else if (const auto* types = std::get_if<std::vector<DataType>>(&value)) {
    type = ListType::DataType;
    std::vector<int64_t> numbers;
    for (const DataType each : *types) numbers.push_back(static_cast<int64_t>(each));
    out.add_packed_int64(ListValue::dt, numbers.begin(), numbers.end());
  }
  if (typed) out.add_enum(ListValue::val_type, static_cast<int32_t>(type));
  return message;
}

std::string GeIrEmitter::desc(const TensorDesc& desc, const Placement& place) {
  std::string message;
  pbf_writer out(message);
  Attributes own = desc.attributes;
  const int64_t full_format = get_or<int64_t>(own, kFormatInt, static_cast<int64_t>(desc.format));
  if (const auto kept = own.find(kFormatInt); kept != own.end()) own.erase(kept);
  put_desc_fields(out, desc, full_format);
  Attributes all = encoder_ && !nested_ ? encoder_->encode(own) : std::move(own);
  all.merge(origin_attributes(desc, full_format));
  add_map(out, TensorDescriptor::attr, all);
  const uint64_t bytes = bytes_of(desc.type, element_count(desc.shape));
  const uint64_t size = place.padded && is_known(desc.shape) && bits_of(desc.type) ? padded_size(bytes) : bytes;
  if (size) out.add_int64(TensorDescriptor::size, static_cast<int64_t>(size));
  if (place.weight_bytes) out.add_int64(TensorDescriptor::weight_size, static_cast<int64_t>(place.weight_bytes));
  out.add_string(TensorDescriptor::device_type, "NPU");
  if (place.offset) out.add_int64(TensorDescriptor::data_offset, static_cast<int64_t>(place.offset));
  return message;
}

// Tensors inside attributes are not coded.
std::string GeIrEmitter::constant(const Constant& constant) {
  TensorDesc form{.type = constant.type, .shape = constant.shape, .format = constant.format};
  form.origin_shape = constant.shape;
  form.origin_format = constant.format;
  const uint64_t offset = weights_ ? weights_->add(constant.bytes) : 0;
  const bool outer = std::exchange(nested_, true);
  std::string message;
  pbf_writer out(message);
  out.add_message(TensorDef::desc, desc(form, {offset, constant.bytes.size()}));
  if (!weights_)
    out.add_bytes(TensorDef::data, reinterpret_cast<const char*>(constant.bytes.data()), constant.bytes.size());
  nested_ = outer;
  return message;
}

std::string GeIrEmitter::nested_graph(const Graph& inner) {
  const bool outer = std::exchange(nested_, true);
  std::string message = graph(inner);
  nested_ = outer;
  return message;
}

}  // namespace belay::graph
