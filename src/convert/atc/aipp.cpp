// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/aipp.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "convert/passes/graph_editor.h"
#include "convert/passes/origin.h"

namespace belay::convert {
namespace {

using graph::DataType;
using graph::Shape;

Status wrong(std::string_view why) {
  return {ACL_ERROR_INVALID_PARAM, formatted("--insert_op_conf: {}", why), "E10001"};
}

std::string word(const AippConfig& config, std::string_view name) {
  return graph::get_or<std::string>(config, name, "");
}
int64_t number(const AippConfig& config, std::string_view name) { return graph::get_or<int64_t>(config, name, 0); }
bool on(const AippConfig& config, std::string_view name) { return graph::get_or<bool>(config, name, false); }

// How an image lies in memory: channels, and bytes of the buffer as [n, h * height, w, width].
struct ImageFormat {
  int64_t channels;
  int64_t height_times_2;  // rows of the buffer for two rows of the image
  int64_t bytes_per_pixel;
};

const ImageFormat* find_format(const std::string& name) {
  static const auto& formats = *new const std::map<std::string, ImageFormat>{
      {"YUV420SP_U8", {3, 3, 1}}, {"RGB888_U8", {3, 2, 3}}, {"XRGB8888_U8", {4, 2, 4}}, {"ARGB8888_U8", {4, 2, 4}},
      {"AYUV444_U8", {4, 2, 4}},  {"YUV400_U8", {1, 2, 1}}, {"YUYV_U8", {3, 2, 2}},     {"YUV422SP_U8", {3, 4, 1}},
  };
  const auto found = formats.find(name);
  return found == formats.end() ? nullptr : &found->second;
}

Result<int> related_input(const graph::Graph& graph, const AippConfig& config) {
  const std::string name = word(config, "related_input_name");
  const auto inputs = graph.input_nodes();
  if (!name.empty()) {
    const int found = graph.find(name);
    if (std::find(inputs.begin(), inputs.end(), found) == inputs.end() || found < 0)
      return wrong("the model has no input " + name);
    return found;
  }
  const int64_t rank = number(config, "related_input_rank");
  if (rank < 0 || rank >= static_cast<int64_t>(inputs.size()))
    return wrong(formatted("related_input_rank is {}, the model has {} inputs", rank, inputs.size()));
  return inputs[static_cast<size_t>(rank)];
}

Status check_supported(const AippConfig& config) {
  const std::string mode = word(config, "aipp_mode");
  if (mode == "dynamic") return wrong("aipp_mode dynamic is not supported; use static");
  if (mode != "static") return wrong("aipp_mode must be static or dynamic");
  for (const auto* field : {"resize", "single_line_mode", "support_rotation", "ax_swap_switch"})
    if (on(config, field)) return wrong(formatted("{} is not supported", field));
  const ImageFormat* format = find_format(word(config, "input_format"));
  if (!format) return wrong(formatted("input_format {} is not supported", word(config, "input_format")));
  for (const auto* field : {"csc_switch", "rbuv_swap_switch"})
    if (on(config, field) && format->channels != 3)
      return wrong(formatted("{} needs an image of 3 channels, {} has {}", field, word(config, "input_format"),
                             format->channels));
  return {};
}

// Two pixels in a row share their colour, and in YUV420SP two rows do.
Status check_pairs(const AippConfig& config, int64_t height, int64_t width) {
  const std::string format = word(config, "input_format");
  const bool rows = format == "YUV420SP_U8";
  if (!rows && format != "YUYV_U8" && format != "YUV422SP_U8") return {};
  const bool odd_width = width % 2 || number(config, "load_start_pos_w") % 2;
  const bool odd_height = height % 2 || number(config, "load_start_pos_h") % 2;
  if (odd_width || (rows && odd_height))
    return wrong(formatted("{} needs even sizes of the image and even positions of the crop", format));
  return {};
}

// Colour conversion to grey keeps the first channel only.
Status check_channels(const AippConfig& config, const ImageFormat& format, int64_t channels) {
  if (channels == format.channels || (channels == 1 && on(config, "csc_switch"))) return {};
  return wrong(formatted("{} gives {} channels, the model's input has {}", word(config, "input_format"),
                         format.channels, channels));
}

// Sizes of the image as the application gives it. Those left out are the model's.
struct ImageSize {
  int64_t height, width;
};

Result<ImageSize> source_size(AippConfig& config, int64_t height, int64_t width) {
  const bool crop = on(config, "crop"), padding = on(config, "padding");
  int64_t inner_height = height, inner_width = width;
  if (padding) {
    inner_height -= number(config, "top_padding_size") + number(config, "bottom_padding_size");
    inner_width -= number(config, "left_padding_size") + number(config, "right_padding_size");
  }
  if (crop) {
    if (number(config, "crop_size_h") == 0) config["crop_size_h"] = inner_height;
    if (number(config, "crop_size_w") == 0) config["crop_size_w"] = inner_width;
    if (number(config, "crop_size_h") != inner_height || number(config, "crop_size_w") != inner_width)
      return wrong(formatted("crop gives {} x {}, the model needs {} x {}", number(config, "crop_size_h"),
                             number(config, "crop_size_w"), inner_height, inner_width));
  }
  if (number(config, "src_image_size_h") == 0) config["src_image_size_h"] = inner_height;
  if (number(config, "src_image_size_w") == 0) config["src_image_size_w"] = inner_width;
  const ImageSize size{number(config, "src_image_size_h"), number(config, "src_image_size_w")};
  const int64_t bottom = crop ? number(config, "load_start_pos_h") + inner_height : inner_height;
  const int64_t right = crop ? number(config, "load_start_pos_w") + inner_width : inner_width;
  if (inner_height < 1 || inner_width < 1 || bottom > size.height || right > size.width ||
      (!crop && (inner_height != size.height || inner_width != size.width)))
    return wrong(formatted("an image of {} x {} does not give the model's {} x {} with these settings", size.height,
                           size.width, height, width));
  return size;
}

Status insert(graph::Graph& graph, AippConfig config, std::string_view path) {
  TRY(check_supported(config));
  const int data = TRY(related_input(graph, config));
  const ImageFormat format = *find_format(word(config, "input_format"));
  GraphEditor editor(graph);
  const graph::TensorDesc model_side = editor.node(data).outputs.front();
  const bool channels_last = model_side.format == graph::Format::NHWC;
  const bool floating = model_side.type == DataType::Float || model_side.type == DataType::Float16;
  if (model_side.shape.size() != 4 || !graph::is_known(model_side.shape) || !floating)
    return wrong(
        formatted("input {} must be an image of 4 known dimensions in float or float16", editor.node(data).name));
  const Shape& shape = model_side.shape;
  const auto size = TRY(source_size(config, shape[channels_last ? 1 : 2], shape[channels_last ? 2 : 3]));
  TRY(check_pairs(config, size.height, size.width));
  TRY(check_channels(config, format, shape[channels_last ? 3 : 1]));
  const Shape raw = {shape[0], size.height * format.height_times_2 / 2, size.width, format.bytes_per_pixel};

  graph::Node aipp{.name = editor.node(data).name + "_0_aipp", .type = "Aipp", .inputs = {{data, 0}}};
  aipp.attributes = config;
  aipp.attributes["aipp_config_path"] = std::string(path);
  aipp.outputs = {model_side};
  aipp.outputs.front().attributes.clear();
  set_no_origin(aipp);
  const auto readers = editor.users({data, 0});
  auto& input = editor.node(data);
  input.outputs.front().type = DataType::UInt8;
  input.outputs.front().shape = input.outputs.front().origin_shape = raw;
  input.outputs.front().format = input.outputs.front().origin_format = graph::Format::NHWC;
  input.input_descs = input.outputs;
  // What aclmdlGetInputDims shows: the image; the buffer is in input_dims.
  input.input_descs.front().shape = {shape[0], size.height, size.width, format.channels};
  input.attributes["input_dims"] = raw;
  input.attributes["data_type"] = static_cast<int64_t>(DataType::UInt8);
  const int index = editor.add(std::move(aipp), data);
  for (const Use& use : readers) editor.set_input(use.node, use.port, {index, 0});
  return editor.finish();
}

}  // namespace

Status insert_aipp(graph::Graph& graph, const std::vector<AippConfig>& configs, std::string_view config_path) {
  for (const auto& config : configs) TRY(insert(graph, config, config_path));
  return {};
}

}  // namespace belay::convert
