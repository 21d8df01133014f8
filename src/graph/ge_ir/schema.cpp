// SPDX-License-Identifier: Apache-2.0
#include "graph/ge_ir/schema.h"

#include "graph/tensor/types.h"

namespace belay::graph {
namespace {

using enum ProtoKind;

extern const ProtoMessageType attr_def, attr_entry, graph_def, op_def, tensor_descriptor, tensor_def, list_value;

constexpr ProtoField one(uint32_t number, std::string_view name, ProtoKind kind) { return {number, name, kind}; }
constexpr ProtoField many(uint32_t number, std::string_view name, ProtoKind kind) { return {number, name, kind, true}; }
constexpr ProtoField hidden(uint32_t number, std::string_view name, ProtoKind kind, bool repeated = false) {
  return {number, name, kind, repeated, false, true};
}
constexpr ProtoField either(uint32_t number, std::string_view name, ProtoKind kind,
                            const ProtoMessageType* message = nullptr) {
  return {number, name, kind, false, true, false, message};
}
constexpr ProtoField message(uint32_t number, std::string_view name, const ProtoMessageType* type,
                             bool repeated = false) {
  return {number, name, Message, repeated, false, false, type};
}

std::string_view type_name(int64_t number) {
  if (number < 0 || number > 64) return "";
  const auto type = from_proto(static_cast<int32_t>(number));
  return type == DataType::Undefined && number != 0 ? "" : name_of(type);
}

std::string_view list_type_name(int64_t number) {
  static constexpr std::string_view names[] = {"VT_LIST_NONE",        "VT_LIST_STRING",   "VT_LIST_INT",
                                               "VT_LIST_FLOAT",       "VT_LIST_BOOL",     "VT_LIST_BYTES",
                                               "VT_LIST_TENSOR_DESC", "VT_LIST_TENSOR",   "VT_LIST_GRAPH",
                                               "VT_LIST_NAMED_ATTRS", "VT_LIST_DATA_TYPE"};
  return number >= 0 && number < static_cast<int64_t>(std::size(names)) ? names[number] : "";
}

const ProtoField kShape[] = {many(1, "dim", Int)};
const ProtoMessageType shape_def{"ShapeDef", kShape};

const ProtoField kDescriptor[] = {
    one(1, "name", String),
    {.number = 2, .name = "dtype", .kind = Enum, .enum_name = type_name},
    message(3, "shape", &shape_def),
    one(4, "layout", String),
    message(5, "attr", &attr_entry, true),
    one(9, "has_out_attr", Bool),
    hidden(10, "size", Int),
    hidden(11, "weight_size", Int),
    one(12, "reuse_input", Bool),
    one(13, "output_tensor", Bool),
    one(14, "device_type", String),
    one(15, "input_tensor", Bool),
    one(16, "real_dim_cnt", Int),
    one(17, "reuse_input_index", Int),
    hidden(18, "data_offset", Int),
    one(19, "cmps_size", Int),
    one(20, "cmps_tab", Bytes),
    one(21, "cmps_tab_offset", Int),
};
const ProtoMessageType tensor_descriptor{"TensorDescriptor", kDescriptor};

const ProtoField kTensor[] = {message(1, "desc", &tensor_descriptor), hidden(2, "data", Bytes)};
const ProtoMessageType tensor_def{"TensorDef", kTensor};

const ProtoField kNamedAttributes[] = {one(1, "name", String), message(2, "attr", &attr_entry, true)};
const ProtoMessageType named_attributes{"NamedAttrs", kNamedAttributes};

const ProtoField kInts[] = {many(1, "list_i", Int)};
const ProtoMessageType inner_ints{"ListInt", kInts};
const ProtoField kIntLists[] = {message(1, "list_list_i", &inner_ints, true)};
const ProtoMessageType int_lists{"ListListInt", kIntLists};
const ProtoField kFloats[] = {many(1, "list_f", Float)};
const ProtoMessageType inner_floats{"ListFloat", kFloats};
const ProtoField kFloatLists[] = {message(1, "list_list_f", &inner_floats, true)};
const ProtoMessageType float_lists{"ListListFloat", kFloatLists};

const ProtoField kList[] = {
    many(2, "s", Bytes),
    many(3, "i", Int),
    many(4, "f", Float),
    many(5, "b", Bool),
    hidden(7, "bt", Bytes, true),
    message(8, "td", &tensor_descriptor, true),
    message(9, "t", &tensor_def, true),
    message(10, "g", &graph_def, true),
    message(11, "na", &named_attributes, true),
    many(12, "dt", Int),
    {.number = 20, .name = "val_type", .kind = Enum, .enum_name = list_type_name},
};
const ProtoMessageType list_value{"ListValue", kList};

const ProtoField kAttribute[] = {
    either(1, "list", Message, &list_value),
    either(2, "s", Bytes),
    either(3, "i", Int),
    either(4, "f", Float),
    either(5, "b", Bool),
    hidden(7, "bt", Bytes),
    either(10, "func", Message, &named_attributes),
    either(11, "td", Message, &tensor_descriptor),
    either(12, "t", Message, &tensor_def),
    either(13, "g", Message, &graph_def),
    either(14, "list_list_int", Message, &int_lists),
    either(15, "dt", Int),
    either(16, "list_list_float", Message, &float_lists),
    either(17, "expression", Bytes),
};
const ProtoMessageType attr_def{"AttrDef", kAttribute};

const ProtoField kEntry[] = {one(1, "key", String), message(2, "value", &attr_def)};
const ProtoMessageType attr_entry{"attribute", kEntry};

const ProtoField kOp[] = {
    one(1, "name", String),
    one(2, "type", String),
    many(5, "input", String),
    message(10, "attr", &attr_entry, true),
    one(20, "has_out_attr", Bool),
    one(21, "id", Int),
    one(22, "stream_id", Int),
    many(23, "input_name", String),
    many(24, "src_name", String),
    many(25, "src_index", Int),
    many(26, "dst_name", String),
    many(27, "dst_index", Int),
    many(28, "input_i", Int),
    many(29, "output_i", Int),
    hidden(30, "workspace", Int, true),
    hidden(31, "workspace_bytes", Int, true),
    many(32, "is_input_const", Bool),
    message(33, "input_desc", &tensor_descriptor, true),
    message(34, "output_desc", &tensor_descriptor, true),
    many(35, "subgraph_name", String),
};
const ProtoMessageType op_def{"OpDef", kOp};

const ProtoField kGraph[] = {
    one(1, "name", String),
    many(4, "input", String),
    hidden(5, "output", String, true),
    message(6, "op", &op_def, true),
    message(11, "attr", &attr_entry, true),
};
const ProtoMessageType graph_def{"GraphDef", kGraph};

const ProtoField kModel[] = {
    one(1, "name", String),
    one(2, "version", Unsigned),
    one(3, "custom_version", String),
    message(7, "graph", &graph_def, true),
    message(11, "attr", &attr_entry, true),
};
const ProtoMessageType model_def{"ModelDef", kModel};

}  // namespace

const ProtoMessageType& model_def_type() { return model_def; }

}  // namespace belay::graph
