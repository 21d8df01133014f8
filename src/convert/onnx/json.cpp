// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/json.h"

#include <nlohmann/json.hpp>

#include "graph/ge_ir/proto_json.h"

namespace belay::convert {
namespace {

using graph::ProtoField;
using graph::ProtoMessageType;
using enum graph::ProtoKind;

extern const ProtoMessageType graph_proto, type_proto;

constexpr ProtoField one(uint32_t number, std::string_view name, graph::ProtoKind kind) { return {number, name, kind}; }
constexpr ProtoField many(uint32_t number, std::string_view name, graph::ProtoKind kind) {
  return {number, name, kind, true};
}
// Shown when it is there, whatever its value.
constexpr ProtoField given(uint32_t number, std::string_view name, graph::ProtoKind kind) {
  return {number, name, kind, false, true};
}
constexpr ProtoField message(uint32_t number, std::string_view name, const ProtoMessageType* type,
                             bool repeated = false) {
  return {number, name, Message, repeated, false, false, type};
}

std::string_view attribute_type(int64_t number) {
  static constexpr std::string_view names[] = {
      "UNDEFINED", "FLOAT",   "INT",    "STRING",        "TENSOR",         "GRAPH",      "FLOATS",     "INTS",
      "STRINGS",   "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
  return number >= 0 && number < static_cast<int64_t>(std::size(names)) ? names[number] : "";
}

std::string_view location(int64_t number) { return number == 0 ? "DEFAULT" : number == 1 ? "EXTERNAL" : ""; }

const ProtoField kEntry[] = {one(1, "key", String), one(2, "value", String)};
const ProtoMessageType string_entry{"StringStringEntryProto", kEntry};

const ProtoField kOpset[] = {one(1, "domain", String), one(2, "version", Int)};
const ProtoMessageType opset{"OperatorSetIdProto", kOpset};

const ProtoField kTensor[] = {
    many(1, "dims", Int),
    one(2, "data_type", Int),
    many(4, "float_data", Float),
    many(5, "int32_data", Int),
    many(6, "string_data", Bytes),
    many(7, "int64_data", Int),
    one(8, "name", String),
    {.number = 9, .name = "raw_data", .kind = Bytes, .hidden = true},
    many(10, "double_data", Double),
    many(11, "uint64_data", Unsigned),
    one(12, "doc_string", String),
    message(13, "external_data", &string_entry, true),
    {.number = 14, .name = "data_location", .kind = Enum, .enum_name = location},
};
const ProtoMessageType tensor{"TensorProto", kTensor};

const ProtoField kSparse[] = {message(1, "values", &tensor), message(2, "indices", &tensor), many(3, "dims", Int)};
const ProtoMessageType sparse_tensor{"SparseTensorProto", kSparse};

const ProtoField kDimension[] = {given(1, "dim_value", Int), given(2, "dim_param", String),
                                 one(3, "denotation", String)};
const ProtoMessageType dimension{"Dimension", kDimension};
const ProtoField kShape[] = {message(1, "dim", &dimension, true)};
const ProtoMessageType tensor_shape{"TensorShapeProto", kShape};
const ProtoField kTensorType[] = {one(1, "elem_type", Int), message(2, "shape", &tensor_shape)};
const ProtoMessageType tensor_type{"Tensor", kTensorType};
const ProtoField kElements[] = {message(1, "elem_type", &type_proto)};
const ProtoMessageType of_elements{"Sequence", kElements};
const ProtoField kMap[] = {one(1, "key_type", Int), message(2, "value_type", &type_proto)};
const ProtoMessageType map_type{"Map", kMap};
const ProtoField kType[] = {
    message(1, "tensor_type", &tensor_type),
    message(4, "sequence_type", &of_elements),
    message(5, "map_type", &map_type),
    one(6, "denotation", String),
    message(8, "sparse_tensor_type", &tensor_type),
    message(9, "optional_type", &of_elements),
};
const ProtoMessageType type_proto{"TypeProto", kType};

const ProtoField kValueInfo[] = {one(1, "name", String), message(2, "type", &type_proto), one(3, "doc_string", String)};
const ProtoMessageType value_info{"ValueInfoProto", kValueInfo};

const ProtoField kAttribute[] = {
    one(1, "name", String),
    given(2, "f", Float),
    given(3, "i", Int),
    given(4, "s", Bytes),
    message(5, "t", &tensor),
    message(6, "g", &graph_proto),
    many(7, "floats", Float),
    many(8, "ints", Int),
    many(9, "strings", Bytes),
    message(10, "tensors", &tensor, true),
    message(11, "graphs", &graph_proto, true),
    one(13, "doc_string", String),
    message(14, "tp", &type_proto),
    message(15, "type_protos", &type_proto, true),
    {.number = 20, .name = "type", .kind = Enum, .enum_name = attribute_type},
    one(21, "ref_attr_name", String),
    message(22, "sparse_tensor", &sparse_tensor),
    message(23, "sparse_tensors", &sparse_tensor, true),
};
const ProtoMessageType attribute{"AttributeProto", kAttribute};

const ProtoField kNode[] = {
    many(1, "input", String),
    many(2, "output", String),
    one(3, "name", String),
    one(4, "op_type", String),
    message(5, "attribute", &attribute, true),
    one(6, "doc_string", String),
    one(7, "domain", String),
};
const ProtoMessageType node{"NodeProto", kNode};

const ProtoField kGraph[] = {
    message(1, "node", &node, true),
    one(2, "name", String),
    message(5, "initializer", &tensor, true),
    one(10, "doc_string", String),
    message(11, "input", &value_info, true),
    message(12, "output", &value_info, true),
    message(13, "value_info", &value_info, true),
    message(15, "sparse_initializer", &sparse_tensor, true),
};
const ProtoMessageType graph_proto{"GraphProto", kGraph};

const ProtoField kFunction[] = {
    one(1, "name", String),
    many(4, "input", String),
    many(5, "output", String),
    many(6, "attribute", String),
    message(7, "node", &node, true),
    one(8, "doc_string", String),
    message(9, "opset_import", &opset, true),
    one(10, "domain", String),
};
const ProtoMessageType function{"FunctionProto", kFunction};

const ProtoField kModel[] = {
    one(1, "ir_version", Int),
    one(2, "producer_name", String),
    one(3, "producer_version", String),
    one(4, "domain", String),
    one(5, "model_version", Int),
    one(6, "doc_string", String),
    message(7, "graph", &graph_proto),
    message(8, "opset_import", &opset, true),
    message(14, "metadata_props", &string_entry, true),
    message(25, "functions", &function, true),
};
const ProtoMessageType model{"ModelProto", kModel};

}  // namespace

Result<std::string> onnx_to_json(std::span<const std::byte> image) {
  return graph::json_text(graph::to_json(TRY(graph::read_proto(model, image))));
}

}  // namespace belay::convert
