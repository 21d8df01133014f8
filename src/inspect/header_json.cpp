// SPDX-License-Identifier: Apache-2.0
#include "inspect/header_json.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace belay::inspect {
namespace {

using Json = nlohmann::ordered_json;
using std::to_string;

Json shape_json(const dump::Dims& dims) {
  Json list = Json::array();
  for (const uint64_t dim : dims) list.push_back(to_string(dim));
  return {{"dim", list}};
}

// What inputs and outputs have alike.
Json tensor_json(const dump::TensorEntry& tensor) {
  Json json{{"data_type", tensor.data_type}, {"format", tensor.format}};
  if (tensor.shape) json["shape"] = shape_json(*tensor.shape);
  if (tensor.original_op)
    json["original_op"] = {{"name", tensor.original_op->name},
                           {"output_index", tensor.original_op->output_index},
                           {"data_type", tensor.original_op->data_type},
                           {"format", tensor.original_op->format}};
  json["data"] = "";
  json["size"] = to_string(tensor.size);
  if (tensor.original_shape) json["original_shape"] = shape_json(*tensor.original_shape);
  json["sub_format"] = tensor.sub_format;
  json["address"] = to_string(tensor.address);
  return json;
}

Json output_json(const dump::TensorEntry& tensor) {
  Json json = tensor_json(tensor);
  Json ranges = Json::array();
  for (const auto& [start, end] : tensor.dim_range)
    ranges.push_back({{"dim_start", to_string(start)}, {"dim_end", to_string(end)}});
  json["dim_range"] = ranges;
  json["offset"] = to_string(tensor.offset);
  json["arg_index"] = tensor.arg_index;
  return json;
}

Json input_json(const dump::TensorEntry& tensor) {
  Json json = tensor_json(tensor);
  json["offset"] = to_string(tensor.offset);
  json["arg_index"] = tensor.arg_index;
  json["input_type"] = tensor.input_type;
  return json;
}

Json buffer_json(const dump::SpaceEntry& buffer) {
  return {{"buffer_type", buffer.type}, {"data", ""}, {"size", to_string(buffer.size)}};
}

Json space_json(const dump::SpaceEntry& space) {
  return {{"type", space.type}, {"data", ""}, {"size", to_string(space.size)}, {"arg_index", space.arg_index}};
}

template <class Entry>
Json list(const std::vector<Entry>& entries, Json (*one)(const Entry&)) {
  Json json = Json::array();
  for (const Entry& entry : entries) json.push_back(one(entry));
  return json;
}

Json attribute_json(const std::pair<std::string, std::string>& attribute) {
  return {{"name", attribute.first}, {"value", attribute.second}};
}

}  // namespace

std::string header_json(const dump::Header& header) {
  const Json json{{"version", header.version},
                  {"dump_time", to_string(header.dump_time)},
                  {"output", list(header.outputs, output_json)},
                  {"input", list(header.inputs, input_json)},
                  {"buffer", list(header.buffers, buffer_json)},
                  {"op_name", header.op_name},
                  {"attr", list(header.attributes, attribute_json)},
                  {"space", list(header.spaces, space_json)},
                  {"dfx_message", header.dfx_message}};
  return json_text(json);
}

}  // namespace belay::inspect
