// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <protozero/pbf_writer.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace belay::test {

// Element types by ONNX's numbers.
enum OnnxType {
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11
};

// An AttributeProto in wire form. Field numbers are those of onnx.proto.
struct OnnxAttribute {
  std::string bytes;
  OnnxAttribute(const std::string& name, int64_t value) {
    protozero::pbf_writer w(bytes);
    w.add_string(1, name), w.add_int64(3, value), w.add_enum(20, 2);
  }
  OnnxAttribute(const std::string& name, int value) : OnnxAttribute(name, int64_t{value}) {}
  OnnxAttribute(const std::string& name, float value) {
    protozero::pbf_writer w(bytes);
    w.add_string(1, name), w.add_float(2, value), w.add_enum(20, 1);
  }
  OnnxAttribute(const std::string& name, const char* value) {
    protozero::pbf_writer w(bytes);
    w.add_string(1, name), w.add_string(4, value), w.add_enum(20, 3);
  }
  OnnxAttribute(const std::string& name, const std::vector<int64_t>& values) {
    protozero::pbf_writer w(bytes);
    w.add_string(1, name), w.add_packed_int64(8, values.begin(), values.end()), w.add_enum(20, 7);
  }
  // A tensor (kind 4) or a graph (kind 5), already in wire form.
  static OnnxAttribute message(const std::string& name, int kind, const std::string& value) {
    OnnxAttribute attribute(name, 0);
    attribute.bytes.clear();
    protozero::pbf_writer w(attribute.bytes);
    w.add_string(1, name), w.add_message(kind == 4 ? 5 : 6, value), w.add_enum(20, kind);
    return attribute;
  }
};

// A TensorProto with raw data.
template <class T>
std::string onnx_tensor(const std::string& name, OnnxType type, const std::vector<int64_t>& dims,
                        const std::vector<T>& values) {
  std::string bytes;
  protozero::pbf_writer w(bytes);
  w.add_packed_int64(1, dims.begin(), dims.end());
  w.add_int32(2, type);
  w.add_string(8, name);
  w.add_bytes(9, reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return bytes;
}

// Writes small ONNX models. Dimensions: a number, or -1 for a symbol.
class OnnxWriter {
 public:
  OnnxWriter& input(const std::string& name, const std::vector<int64_t>& shape, OnnxType type = kFloat) {
    return value(11, name, shape, type);
  }
  OnnxWriter& output(const std::string& name, const std::vector<int64_t>& shape = {}, OnnxType type = kFloat) {
    return value(12, name, shape, type);
  }
  template <class T>
  OnnxWriter& initializer(const std::string& name, OnnxType type, const std::vector<int64_t>& dims,
                          const std::vector<T>& values) {
    protozero::pbf_writer(graph_).add_message(5, onnx_tensor(name, type, dims, values));
    return *this;
  }
  OnnxWriter& floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values) {
    return initializer(name, kFloat, dims, values);
  }
  OnnxWriter& ints(const std::string& name, const std::vector<int64_t>& values) {
    return initializer(name, kInt64, {static_cast<int64_t>(values.size())}, values);
  }
  OnnxWriter& node(const std::string& name, const std::string& type, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const std::vector<OnnxAttribute>& attributes = {},
                   const std::string& domain = "") {
    std::string bytes;
    protozero::pbf_writer w(bytes);
    for (const auto& in : inputs) w.add_string(1, in);
    for (const auto& out : outputs) w.add_string(2, out);
    if (!name.empty()) w.add_string(3, name);
    w.add_string(4, type);
    for (const auto& attribute : attributes) w.add_message(5, attribute.bytes);
    if (!domain.empty()) w.add_string(7, domain);
    protozero::pbf_writer(graph_).add_message(1, bytes);
    return *this;
  }
  OnnxWriter& raw(uint32_t field, const std::string& message) {
    protozero::pbf_writer(graph_).add_message(field, message);
    return *this;
  }
  OnnxWriter& opset(int64_t version, const std::string& domain = "") {
    std::string bytes;
    protozero::pbf_writer w(bytes);
    w.add_string(1, domain), w.add_int64(2, version);
    protozero::pbf_writer(head_).add_message(8, bytes);
    return *this;
  }
  // A FunctionProto in wire form.
  OnnxWriter& function(const std::string& message) {
    protozero::pbf_writer(head_).add_message(25, message);
    return *this;
  }

  const std::string& graph() const { return graph_; }
  std::string model() const {
    std::string bytes;
    protozero::pbf_writer w(bytes);
    w.add_int64(1, 8);
    bytes += head_;
    w.add_message(7, graph_);
    return bytes;
  }

 private:
  OnnxWriter& value(uint32_t field, const std::string& name, const std::vector<int64_t>& shape, OnnxType type) {
    std::string dims, tensor, kind, info;
    for (const int64_t dim : shape) {
      std::string one;
      if (dim >= 0) {
        protozero::pbf_writer(one).add_int64(1, dim);
      } else {
        protozero::pbf_writer(one).add_string(2, "N");
      }
      protozero::pbf_writer(dims).add_message(1, one);
    }
    protozero::pbf_writer(tensor).add_int32(1, type);
    if (field == 11 || !shape.empty()) protozero::pbf_writer(tensor).add_message(2, dims);
    protozero::pbf_writer(kind).add_message(1, tensor);
    protozero::pbf_writer(info).add_string(1, name);
    protozero::pbf_writer(info).add_message(2, kind);
    protozero::pbf_writer(graph_).add_message(field, info);
    return *this;
  }

  std::string head_, graph_;
};

// The bytes of a model as readers take them, with the text as owner.
struct OnnxImage {
  explicit OnnxImage(std::string text) : owner(std::make_shared<const std::string>(std::move(text))) {}
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(*owner)); }
  std::shared_ptr<const std::string> owner;
};

}  // namespace belay::test
