// SPDX-License-Identifier: Apache-2.0
#include "graph/ge_ir/proto_json.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/exception_words.h"
#include "base/text.h"

namespace belay::graph {
namespace {

using nlohmann::json;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr int kDeepest = 64;

Status damaged(const ProtoMessageType& type, std::string_view why) {
  return {ACL_ERROR_PARSE_MODEL, formatted("{}: {}", type.name, why)};
}

Result<ProtoMessage> read(const ProtoMessageType& type, pbf_reader reader, int depth);

// One element of a field whose wire type fits its kind.
Result<ProtoValue> read_value(const ProtoField& field, pbf_reader& reader, int depth) {
  switch (field.kind) {
    case ProtoKind::Int:
    case ProtoKind::Enum:
      return ProtoValue(reader.get_int64());
    case ProtoKind::Unsigned:
      return ProtoValue(reader.get_uint64());
    case ProtoKind::Bool:
      return ProtoValue(reader.get_uint64() != 0);
    case ProtoKind::Float:
      return ProtoValue(static_cast<double>(reader.get_float()));
    case ProtoKind::Double:
      return ProtoValue(reader.get_double());
    case ProtoKind::String:
    case ProtoKind::Bytes:
      return ProtoValue(reader.get_string());
    case ProtoKind::Message:
      return ProtoValue(TRY(read(*field.message, reader.get_message(), depth + 1)));
  }
  return ProtoValue(int64_t{0});
}

template <class Range>
void add_all(ProtoMessage& message, const ProtoField& field, const Range& range, auto convert) {
  for (const auto value : range) message.fields.emplace_back(&field, ProtoValue(convert(value)));
}

bool is_packed(const ProtoField& field, pbf_wire_type wire) {
  return field.repeated && wire == pbf_wire_type::length_delimited && field.kind < ProtoKind::String;
}

void read_packed(ProtoMessage& message, const ProtoField& field, pbf_reader& reader) {
  switch (field.kind) {
    case ProtoKind::Int:
    case ProtoKind::Enum:
      return add_all(message, field, reader.get_packed_int64(), [](int64_t value) { return value; });
    case ProtoKind::Unsigned:
      return add_all(message, field, reader.get_packed_uint64(), [](uint64_t value) { return value; });
    case ProtoKind::Bool:
      return add_all(message, field, reader.get_packed_uint64(), [](uint64_t value) { return value != 0; });
    case ProtoKind::Float:
      return add_all(message, field, reader.get_packed_float(), [](float value) { return double{value}; });
    case ProtoKind::Double:
      return add_all(message, field, reader.get_packed_double(), [](double value) { return value; });
    case ProtoKind::String:
    case ProtoKind::Bytes:
    case ProtoKind::Message:
      return;
  }
}

pbf_wire_type wire_of(ProtoKind kind) {
  switch (kind) {
    case ProtoKind::Float:
      return pbf_wire_type::fixed32;
    case ProtoKind::Double:
      return pbf_wire_type::fixed64;
    case ProtoKind::String:
    case ProtoKind::Bytes:
    case ProtoKind::Message:
      return pbf_wire_type::length_delimited;
    case ProtoKind::Int:
    case ProtoKind::Enum:
    case ProtoKind::Unsigned:
    case ProtoKind::Bool:
      return pbf_wire_type::varint;
  }
  return pbf_wire_type::varint;
}

Result<ProtoMessage> read(const ProtoMessageType& type, pbf_reader reader, int depth) {
  if (depth > kDeepest) return damaged(type, "messages are nested too deeply");
  ProtoMessage message{&type, {}};
  while (reader.next()) {
    const ProtoField* field = type.find(reader.tag());
    if (!field) {
      reader.skip();
    } else if (is_packed(*field, reader.wire_type())) {
      read_packed(message, *field, reader);
    } else if (reader.wire_type() != wire_of(field->kind)) {
      return damaged(type, formatted("field {} has another type", field->name));
    } else {
      message.fields.emplace_back(field, TRY(read_value(*field, reader, depth)));
    }
  }
  return message;
}

// Bytes as C writes them in a string.
std::string escaped(const std::string& bytes) {
  std::string text;
  for (const unsigned char c : bytes) {
    switch (c) {
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\t':
        text += "\\t";
        break;
      case '"':
      case '\'':
      case '\\':
        text += '\\';
        text += static_cast<char>(c);
        break;
      default:
        if (c >= 32 && c < 127) {
          text += static_cast<char>(c);
        } else {
          char code[5];
          std::snprintf(code, sizeof(code), "\\%03o", c);
          text += code;
        }
    }
  }
  return text;
}

json value_json(const ProtoField& field, const ProtoValue& value) {
  if (const auto* message = std::get_if<ProtoMessage>(&value)) return to_json(*message);
  if (const auto* text = std::get_if<std::string>(&value))
    return field.kind == ProtoKind::Bytes && !field.repeated ? escaped(*text) : *text;
  if (const auto* real = std::get_if<double>(&value)) {
    if (field.repeated) return *real;
    char text[32];
    std::snprintf(text, sizeof(text), "%g", *real);
    return std::string(text);
  }
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<uint64_t>(&value)) return *number;
  const int64_t number = std::get<int64_t>(value);
  if (field.kind == ProtoKind::Enum && field.enum_name)
    if (const auto name = field.enum_name(number); !name.empty()) return std::string(name);
  return number;
}

bool is_default(const ProtoValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return *number == 0;
  if (const auto* number = std::get_if<uint64_t>(&value)) return *number == 0;
  if (const auto* real = std::get_if<double>(&value)) return *real == 0;
  if (const auto* flag = std::get_if<bool>(&value)) return !*flag;
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty();
  return false;
}

// Not shown when empty: a shape without dimensions, which is a scalar's, and a list of lists without any.
bool is_left_out(const ProtoField& field, const ProtoValue& value) {
  const auto* message = std::get_if<ProtoMessage>(&value);
  return message && message->fields.empty() && (field.name == "shape" || field.name.starts_with("list_list_"));
}

}  // namespace

const ProtoField* ProtoMessageType::find(uint32_t number) const {
  const auto found = std::ranges::find(fields, number, &ProtoField::number);
  return found == fields.end() ? nullptr : &*found;
}

const ProtoField* ProtoMessageType::find(std::string_view field) const {
  const auto found = std::ranges::find(fields, field, &ProtoField::name);
  return found == fields.end() ? nullptr : &*found;
}

const ProtoValue* ProtoMessage::find(std::string_view field) const {
  for (const auto& [known, value] : fields)
    if (known->name == field) return &value;
  return nullptr;
}

ProtoValue* ProtoMessage::find(std::string_view field) {
  return const_cast<ProtoValue*>(std::as_const(*this).find(field));
}

Result<ProtoMessage> read_proto(const ProtoMessageType& type, std::span<const std::byte> bytes) {
  try {
    return read(type, pbf_reader(reinterpret_cast<const char*>(bytes.data()), bytes.size()), 0);
  } catch (const protozero::exception& error) {
    return damaged(type, formatted("the message is damaged ({})", exception_words(error)));
  }
}

json to_json(const ProtoMessage& message) {
  json made;
  for (const auto& [field, value] : message.fields) {
    if (field->hidden || is_left_out(*field, value)) continue;
    if (field->repeated)
      made[std::string(field->name)].push_back(value_json(*field, value));
    else if (field->oneof || !is_default(value))
      made[std::string(field->name)] = value_json(*field, value);
  }
  return made;
}

std::string json_text(const json& value) { return value.dump(2, ' ', false, json::error_handler_t::ignore); }

}  // namespace belay::graph
