// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "graph/tensor/types.h"

namespace belay::graph {

struct Graph;
struct Attribute;
// Ordered by key, as GE IR messages are written.
using Attributes = std::map<std::string, Attribute, std::less<>>;

// A tensor with its value. The bytes are borrowed from what `owner` keeps alive: a mapped file, or a buffer of ours.
struct Constant {
  DataType type = DataType::Undefined;
  Shape shape;
  Format format = Format::ND;
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

// A constant that owns a copy of the values.
template <class T>
Constant make_constant(DataType type, Shape shape, const std::vector<T>& values) {
  auto owner = std::make_shared<const std::vector<T>>(values);
  return {type, std::move(shape), Format::ND, std::as_bytes(std::span(*owner)), owner};
}

// An attribute of a kind that nothing here reads (bytes, named attributes, tensor descriptions, expressions): its
// AttrDef message as it was.
struct EncodedAttribute {
  std::string message;
  bool operator==(const EncodedAttribute&) const = default;
};

using AttributeValue =
    std::variant<std::monostate, bool, int64_t, float, std::string, DataType, std::vector<bool>, std::vector<int64_t>,
                 std::vector<float>, std::vector<std::string>, std::vector<DataType>, std::vector<std::vector<int64_t>>,
                 std::vector<std::vector<float>>, Constant, std::vector<Constant>, std::shared_ptr<Graph>,
                 EncodedAttribute>;

struct Attribute {
  Attribute() = default;
  template <class T>
  Attribute(T held) : value(std::move(held)) {}
  Attribute(const char* text) : value(std::string(text)) {}
  Attribute(int number) : value(int64_t{number}) {}

  AttributeValue value;
};

// The attribute when it is there and of this type; else null.
template <class T>
const T* get_if(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? nullptr : std::get_if<T>(&found->second.value);
}

// The attribute when it is there and of this type; else the fallback.
template <class T>
T get_or(const Attributes& attributes, std::string_view name, T fallback) {
  const T* found = get_if<T>(attributes, name);
  return found ? *found : std::move(fallback);
}

}  // namespace belay::graph
