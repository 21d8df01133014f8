// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/single_op.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>

#include "base/exception_words.h"
#include "base/text.h"
#include "convert/map/numbers.h"
#include "graph/infer/infer.h"
#include "graph/model/schema.h"

namespace belay::convert {
namespace {

using graph::DataType;
using graph::Format;
using nlohmann::json;

constexpr size_t longest_name = 128;

Status wrong(std::string_view why) { return {ACL_ERROR_INVALID_PARAM, formatted("--singleop: {}", why), "E10001"}; }

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Result<DataType> type_named(const std::string& name) {
  static const auto& types = *new const std::map<std::string, DataType>{
      {"bool", DataType::Bool},
      {"int8", DataType::Int8},
      {"uint8", DataType::UInt8},
      {"int16", DataType::Int16},
      {"uint16", DataType::UInt16},
      {"int32", DataType::Int32},
      {"uint32", DataType::UInt32},
      {"int64", DataType::Int64},
      {"uint64", DataType::UInt64},
      {"float16", DataType::Float16},
      {"half", DataType::Float16},
      {"fp16", DataType::Float16},
      {"float", DataType::Float},
      {"float32", DataType::Float},
      {"double", DataType::Double},
      {"complex32", DataType::Complex32},
      {"complex64", DataType::Complex64},
      {"complex128", DataType::Complex128},
      {"uint1", DataType::UInt1},
      {"bfloat16", DataType::BFloat16},
      {"int4", DataType::Int4},
      {"hifloat8", DataType::HiFloat8},
      {"float8_e5m2", DataType::Float8E5M2},
      {"float8_e4m3fn", DataType::Float8E4M3FN},
      {"undefined", DataType::Undefined},
  };
  const auto found = types.find(lower(name));
  if (found == types.end()) return wrong("there is no type " + name);
  return found->second;
}

Result<Format> format_of(std::string name) {
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const Format format = graph::format_named(name);
  if (format == Format::Reserved && name != "RESERVED") return wrong("there is no format " + name);
  return format;
}

// A tensor of the file. Absent: an optional input that is left open.
struct Tensor {
  graph::TensorDesc desc;
  bool absent = false;
  std::optional<graph::Constant> value;
};

Result<graph::Constant> constant_of(const json& values, const graph::TensorDesc& desc) {
  const int64_t count = graph::element_count(desc.shape);
  if (!values.is_array() || static_cast<int64_t>(values.size()) != count)
    return wrong(formatted("const_value must be a list of {} numbers", count));
  std::vector<double> numbers;
  std::vector<int64_t> integers;
  for (const json& value : values) {
    if (!value.is_number() && !value.is_boolean()) return wrong("const_value must hold numbers");
    numbers.push_back(value.is_boolean() ? value.get<bool>() : value.get<double>());
    integers.push_back(value.is_boolean() ? value.get<bool>() : value.get<int64_t>());
  }
  if (is_floating(desc.type)) return make_numbers(numbers, desc.shape, desc.type);
  return make_ints(integers, desc.shape, desc.type);
}

Result<Tensor> read_tensor(const json& text) {
  if (!text.is_object() || !text.contains("type") || !text.contains("format"))
    return wrong("a tensor needs format, shape and type");
  Tensor made;
  auto& desc = made.desc;
  desc.type = TRY(type_named(text.at("type").get<std::string>()));
  desc.format = desc.origin_format = TRY(format_of(text.at("format").get<std::string>()));
  made.absent = desc.format == Format::Reserved && desc.type == DataType::Undefined;
  if (made.absent) return made;
  desc.shape = desc.origin_shape = text.value("shape", graph::Shape{});
  if (text.contains("origin_shape")) desc.origin_shape = text.at("origin_shape").get<graph::Shape>();
  if (text.contains("origin_format")) desc.origin_format = TRY(format_of(text.at("origin_format").get<std::string>()));
  if (desc.origin_format != desc.format) return wrong("private formats of tensors are not supported");
  for (const json& range : text.value("shape_range", json::array()))
    desc.range.emplace_back(range.at(0).get<int64_t>(), range.at(1).get<int64_t>());
  desc.name = text.value("name", "");
  if (text.value("is_const", false)) made.value = TRY(constant_of(text.value("const_value", json::array()), desc));
  return made;
}

Result<std::vector<Tensor>> read_tensors(const json& op, const char* field) {
  std::vector<Tensor> tensors;
  for (const json& text : op.value(field, json::array())) tensors.push_back(TRY(read_tensor(text)));
  return tensors;
}

Result<graph::Attribute> read_attribute(const std::string& type, const json& value) {
  if (type == "bool") return graph::Attribute(value.get<bool>());
  if (type == "int") return graph::Attribute(value.get<int64_t>());
  if (type == "float") return graph::Attribute(value.get<float>());
  if (type == "string") return graph::Attribute(value.get<std::string>());
  if (type == "list_bool") return graph::Attribute(value.get<std::vector<bool>>());
  if (type == "list_int") return graph::Attribute(value.get<std::vector<int64_t>>());
  if (type == "list_float") return graph::Attribute(value.get<std::vector<float>>());
  if (type == "list_string") return graph::Attribute(value.get<std::vector<std::string>>());
  if (type == "list_list_int") return graph::Attribute(value.get<std::vector<std::vector<int64_t>>>());
  if (type == "data_type")
    return graph::Attribute(value.is_number() ? static_cast<DataType>(value.get<int32_t>())
                                              : TRY(type_named(value.get<std::string>())));
  return wrong("there is no attribute type " + type);
}

// "0_Add_3_2_3_3...": the index, the type, then of each tensor its type, format and dimensions.
std::string default_name(size_t index, const std::string& type, std::span<const Tensor> inputs,
                         std::span<const Tensor> outputs) {
  std::string name = formatted("{}_{}", index, type);
  for (const auto& side : {inputs, outputs})
    for (const Tensor& tensor : side) {
      name += formatted("_{}_{}", static_cast<int>(tensor.desc.type), static_cast<int>(tensor.desc.format));
      for (const int64_t dim : tensor.desc.shape) name += formatted("_{}", dim);
    }
  return name;
}

Result<std::string> file_name(const json& op, size_t index, std::span<const Tensor> inputs,
                              std::span<const Tensor> outputs) {
  std::string name = op.value("name", "");
  if (name.empty()) name = default_name(index, op.at("op").get<std::string>(), inputs, outputs);
  const bool fit = std::all_of(name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; });
  if (!fit) return wrong(formatted("name {} may only have letters, digits, '.', '_' and '-'", name));
  if (name.size() > longest_name) name.resize(longest_name);
  return name;
}

// Data and Const nodes before the operator, NetOutput behind it.
graph::Graph build(const std::string& name, graph::Node op, const std::vector<Tensor>& inputs,
                   const std::vector<Tensor>& outputs) {
  graph::Graph made{.name = name};
  int64_t data = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    op.input_descs.push_back(inputs[i].desc);
    if (inputs[i].absent) {
      op.inputs.push_back({});
      continue;
    }
    graph::Node source{.name = formatted("{}_in_{}", op.name, i), .type = inputs[i].value ? "Const" : "Data"};
    source.outputs = {inputs[i].desc};
    if (inputs[i].value) {
      source.attributes["value"] = *inputs[i].value;
    } else {
      source.attributes["index"] = data++;
      source.inputs = {graph::Edge{}};
      source.input_descs = {inputs[i].desc};
    }
    op.inputs.push_back({static_cast<int>(made.nodes.size()), 0});
    made.nodes.push_back(std::move(source));
  }
  graph::Node results{.name = name + "_Node_Output", .type = "NetOutput"};
  for (size_t i = 0; i < outputs.size(); ++i) {
    op.outputs.push_back(outputs[i].desc);
    results.inputs.push_back({static_cast<int>(made.nodes.size()), static_cast<int>(i)});
    results.input_descs.push_back(outputs[i].desc);
  }
  made.nodes.push_back(std::move(op));
  made.nodes.push_back(std::move(results));
  return made;
}

// What the shape rules say must be what the file says, as far as both know.
Status check_outputs(const graph::Model& model, const std::vector<Tensor>& outputs) {
  const graph::Node& op = model.main().nodes.end()[-2];
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto &said = outputs[i].desc, &found = op.outputs[i];
    if (graph::is_known(said.shape) && graph::is_known(found.shape) && said.shape != found.shape)
      return wrong(formatted("output {} of {} has shape {}, not {}", i, op.type, graph::to_text(found.shape),
                             graph::to_text(said.shape)));
    if (said.type != found.type)
      return wrong(formatted("output {} of {} has type {}, not {}", i, op.type, graph::name_of(found.type),
                             graph::name_of(said.type)));
  }
  return {};
}

Result<SingleOp> read_op(const json& text, size_t index) {
  if (!text.is_object() || !text.contains("op")) return wrong(formatted("element {} has no op", index));
  graph::Node op{.type = text.at("op").get<std::string>()};
  op.name = op.type;
  if (!graph::find_schema(op.type)) return wrong("there is no operator " + op.type);
  for (const json& attribute : text.value("attr", json::array()))
    op.attributes[attribute.at("name").get<std::string>()] =
        TRY(read_attribute(attribute.at("type").get<std::string>(), attribute.at("value")));
  TRY(graph::apply_defaults(op));
  const auto inputs = TRY(read_tensors(text, "input_desc")), outputs = TRY(read_tensors(text, "output_desc"));
  SingleOp made{TRY(file_name(text, index, inputs, outputs)), std::make_shared<graph::Model>()};
  made.model->name = made.file;
  made.model->graphs.push_back(build(made.file, std::move(op), inputs, outputs));
  TRY(graph::infer_shapes(*made.model));
  TRY(check_outputs(*made.model, outputs));
  return made;
}

}  // namespace

Result<std::vector<SingleOp>> read_single_ops(std::string_view text) {
  try {
    const json ops = json::parse(text);
    if (!ops.is_array()) return wrong("the file must hold a list of operators");
    std::vector<SingleOp> made;
    for (size_t i = 0; i < ops.size(); ++i) made.push_back(TRY(read_op(ops[i], i)));
    if (made.empty()) return wrong("the list of operators is empty");
    return made;
  } catch (const json::exception& error) {
    return wrong("the file is not as it must be: " + json_words(error, text));
  }
}

}  // namespace belay::convert
