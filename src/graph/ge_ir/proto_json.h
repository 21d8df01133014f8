// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/status.h"

// Protobuf messages as JSON, the way atc --mode=1 shows them: from their bytes or from their text form, by a table of
// their fields.
namespace belay::graph {

struct ProtoMessageType;

enum class ProtoKind { Int, Unsigned, Float, Double, Bool, Enum, String, Bytes, Message };

struct ProtoField {
  uint32_t number;
  std::string_view name;
  ProtoKind kind;
  bool repeated = false;
  bool oneof = false;   // shown although it has its type's default
  bool hidden = false;  // never shown: it says where bytes lie, or is bytes
  const ProtoMessageType* message = nullptr;
  std::string_view (*enum_name)(int64_t) = nullptr;  // "" for a number without a name
};

struct ProtoMessageType {
  std::string_view name;
  std::span<const ProtoField> fields;
  const ProtoField* find(uint32_t number) const;
  const ProtoField* find(std::string_view field) const;
};

struct ProtoMessage;
using ProtoValue = std::variant<int64_t, uint64_t, double, bool, std::string, ProtoMessage>;

// A message with its known fields in the order in which they came; unknown ones are dropped.
struct ProtoMessage {
  const ProtoMessageType* type = nullptr;
  std::vector<std::pair<const ProtoField*, ProtoValue>> fields;

  // The first value of a field; null when it has none.
  const ProtoValue* find(std::string_view field) const;
  ProtoValue* find(std::string_view field);
};

// 100013 when the bytes are no such message; says which part is damaged.
Result<ProtoMessage> read_proto(const ProtoMessageType& type, std::span<const std::byte> bytes);
// The same from protobuf's text form. The error has the line.
Result<ProtoMessage> read_proto_text(const ProtoMessageType& type, std::string_view text);

// Maps are lists of key and value, a lonely float is a text, an empty message is null, what has its default is left
// out.
nlohmann::json to_json(const ProtoMessage& message);
// The text of a file: indented by two, keys sorted, bytes that are no UTF-8 dropped.
std::string json_text(const nlohmann::json& json);

}  // namespace belay::graph
