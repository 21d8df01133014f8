// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <protozero/types.hpp>
#include <string_view>

// The field numbers of the GE IR messages (package ge.proto), and the attribute names that the format itself uses.
namespace belay::graph::ge_ir {

struct ModelDef {
  enum : uint32_t { name = 1, version = 2, custom_version = 3, graph = 7, attr = 11 };
};
struct GraphDef {
  enum : uint32_t { name = 1, input = 4, output = 5, op = 6, attr = 11 };
};
struct OpDef {
  enum : uint32_t {
    name = 1,
    type = 2,
    input = 5,
    attr = 10,
    has_out_attr = 20,
    id = 21,
    stream_id = 22,
    input_name = 23,
    src_name = 24,
    src_index = 25,
    dst_name = 26,
    dst_index = 27,
    input_i = 28,
    output_i = 29,
    workspace = 30,
    workspace_bytes = 31,
    is_input_const = 32,
    input_desc = 33,
    output_desc = 34,
    subgraph_name = 35
  };
};
struct TensorDescriptor {
  enum : uint32_t {
    name = 1,
    dtype = 2,
    shape = 3,
    layout = 4,
    attr = 5,
    has_out_attr = 9,
    size = 10,
    weight_size = 11,
    device_type = 14,
    data_offset = 18
  };
};
struct ShapeDef {
  enum : uint32_t { dim = 1 };
};
struct TensorDef {
  enum : uint32_t { desc = 1, data = 2 };
};
struct MapEntry {
  enum : uint32_t { key = 1, value = 2 };
};
struct AttrDef {
  enum : uint32_t {
    list = 1,
    s = 2,
    i = 3,
    f = 4,
    b = 5,
    bt = 7,
    func = 10,
    td = 11,
    t = 12,
    g = 13,
    list_list_int = 14,
    dt = 15,
    list_list_float = 16,
    expression = 17
  };
};
struct ListValue {
  enum : uint32_t { s = 2, i = 3, f = 4, b = 5, bt = 7, td = 8, t = 9, g = 10, na = 11, dt = 12, val_type = 20 };
};
// Of list_list_int and list_list_float: lists of lists.
struct ListOfLists {
  enum : uint32_t { list = 1 };
};
struct InnerList {
  enum : uint32_t { value = 1 };
};

enum class ListType : int32_t {
  None = 0,
  String = 1,
  Int = 2,
  Float = 3,
  Bool = 4,
  Bytes = 5,
  TensorDesc = 6,
  Tensor = 7,
  Graph = 8,
  NamedAttrs = 9,
  DataType = 10
};

constexpr uint32_t length_field(uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::length_delimited);
}
constexpr uint32_t varint_field(uint32_t tag) { return protozero::tag_and_type(tag, protozero::pbf_wire_type::varint); }
constexpr uint32_t fixed32_field(uint32_t tag) {
  return protozero::tag_and_type(tag, protozero::pbf_wire_type::fixed32);
}

// Attributes that belong to the format: they are made when writing and taken apart when reading.
inline constexpr std::string_view kBookkeeping[] = {
    "_input_name_key", "_input_name_value", "_output_name_key", "_output_name_value", "_opt_input",
    "_ir_attr_names",  "_ir_inputs_key",    "_ir_inputs_value", "_ir_outputs_key",    "_ir_outputs_value",
};
inline constexpr std::string_view kOriginFormat = "origin_format", kOriginFormatInt = "origin_format_for_int",
                                  kFormatInt = "format_for_int", kOriginType = "origin_data_type",
                                  kOriginShapeSet = "origin_shape_initialized", kOriginShape = "origin_shape",
                                  kShapeRange = "shape_range";
// Attribute compression.
inline constexpr std::string_view kCompressVersion = "om_compress_version", kNameEnum = "attr_name_enum",
                                  kValueEnum = "attr_value_enum", kUsesStrings = "attrs_use_string_value";

}  // namespace belay::graph::ge_ir
