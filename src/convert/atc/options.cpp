// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/options.h"

#include <algorithm>
#include <filesystem>

#include "base/closest.h"
#include "base/text.h"
#include "convert/atc/option_rows.h"
#include "convert/atc/soc_names.h"

namespace belay::convert {
namespace {

Status bad(const std::string& why) { return {ACL_ERROR_INVALID_PARAM, "E10001: " + why}; }

// Options whose text goes to the conversion as it is.
struct TextRow {
  std::string_view name;
  std::string ConvertOptions::*field;
};
constexpr TextRow kTexts[] = {
    {"input_format", &ConvertOptions::input_format},
    {"input_shape", &ConvertOptions::input_shape},
    {"input_shape_range", &ConvertOptions::input_shape_range},
    {"dynamic_batch_size", &ConvertOptions::dynamic_batch_size},
    {"dynamic_image_size", &ConvertOptions::dynamic_image_size},
    {"dynamic_dims", &ConvertOptions::dynamic_dims},
    {"out_nodes", &ConvertOptions::out_nodes},
    {"output_type", &ConvertOptions::output_type},
    {"precision_mode", &ConvertOptions::precision_mode},
    {"precision_mode_v2", &ConvertOptions::precision_mode_v2},
    {"input_fp16_nodes", &ConvertOptions::input_fp16_nodes},
    {"keep_dtype", &ConvertOptions::keep_dtype},
    {"modify_mixlist", &ConvertOptions::modify_mixlist},
    {"customize_dtypes", &ConvertOptions::customize_dtypes},
    {"fusion_switch_file", &ConvertOptions::fusion_switch_file},
    {"insert_op_conf", &ConvertOptions::insert_op_conf},
    {"soc_version", &ConvertOptions::soc_version},
};

// Texts of atc's own.
struct OwnRow {
  std::string_view name;
  std::string AtcOptions::*field;
};
constexpr OwnRow kOwn[] = {
    {"model", &AtcOptions::model}, {"output", &AtcOptions::output},     {"om", &AtcOptions::om},
    {"json", &AtcOptions::json},   {"singleop", &AtcOptions::singleop}, {"check_report", &AtcOptions::check_report},
};

Result<int> to_number(const std::string& name, const std::string& value) {
  const auto number = parse_number(value);
  if (number && *number < 1000) return static_cast<int>(*number);
  return bad("--" + name + "=" + value + " is not a number that this option takes");
}

// Which of two words a value is: false for the first, true for the second.
Result<bool> either(const std::string& name, const std::string& value, const char* no, const char* yes) {
  if (value == no || value == yes) return value == yes;
  return bad(formatted("--{}={} is not possible; it must be {} or {}", name, value, no, yes));
}

Status unknown_option(const std::string& name) {
  std::vector<std::string_view> names;
  for (const AtcOptionRow& row : atc_option_rows()) names.push_back(row.name);
  const std::string_view nearest = closest_name(name, names);
  return bad("unknown command line flag '" + name + "'" +
             (nearest.empty() ? "; atc --help lists them" : formatted("; did you mean --{}?", nearest)));
}

Status set_option(AtcOptions& options, const std::string& name, const std::string& value) {
  const AtcOptionRow* known = find_atc_option(name);
  if (!known) return unknown_option(name);
  if (known->kind == AtcOptionRow::Kind::WithoutEffect) {
    if (std::ranges::find(options.without_effect, name) == options.without_effect.end())
      options.without_effect.push_back(name);
    return {};
  }
  if (known->kind == AtcOptionRow::Kind::Refused) return bad("--" + name + " is not supported by this atc yet");
  for (const TextRow& row : kTexts)
    if (row.name == name) return options.convert.*row.field = value, Status{};
  for (const OwnRow& row : kOwn)
    if (row.name == name) return options.*row.field = value, Status{};
  if (name == "mode") return options.mode = TRY(to_number(name, value)), Status{};
  if (name == "framework") return options.framework = TRY(to_number(name, value)), Status{};
  if (name == "external_weight") {
    options.external_weight = TRY(to_number(name, value));
    return options.external_weight <= 2 ? Status{} : bad("--external_weight must be 0, 1 or 2");
  }
  if (name == "enable_attr_compression")
    return options.compress_attributes = TRY(either(name, value, "false", "true")), Status{};
  if (name == "display_model_info") return options.display_model_info = TRY(either(name, value, "0", "1")), Status{};
  if (name == "dump_mode") return options.dump_mode = TRY(either(name, value, "0", "1")), Status{};
  return {ACL_ERROR_INTERNAL_ERROR, "--" + name + " is listed and not read", "E19999"};
}

Status check_file(const char* option, const std::string& path) {
  if (path.empty()) return bad(formatted("--{} is missing", option));
  if (!std::filesystem::exists(path)) return bad(formatted("--{}: there is no file {}", option, path));
  return {};
}

Status check_framework(int framework) {
  if (framework == -1) return bad("--framework is missing; 5 means ONNX");
  if (framework == 5) return {};
  return bad("--framework=" + std::to_string(framework) + " is not supported; export the model to ONNX (5)");
}

Status check_soc(const AtcOptions& options, bool given) {
  if (!given) return bad("--soc_version is missing, for example Ascend910B3");
  const std::string& name = options.convert.soc_version;
  return is_soc_name(name) ? Status{} : bad("--soc_version=" + name + " is not the name of a SoC; " + soc_hint(name));
}

Status check_single_op(const AtcOptions& options, bool soc_given) {
  if (options.framework != -1 || !options.convert.insert_op_conf.empty() || options.mode != 0 ||
      options.display_model_info || !options.model.empty())
    return bad("--singleop excludes --model, --framework, --insert_op_conf, --mode and --display_model_info");
  TRY(check_file("singleop", options.singleop));
  if (options.output.empty()) return bad("--output is missing: the directory for the .om files");
  return check_soc(options, soc_given);
}

Status check_conversion(const AtcOptions& options, bool soc_given) {
  if (options.model.empty()) return bad("--model is missing: the ONNX file to convert");
  TRY(check_framework(options.framework));
  if (options.mode == 0 && options.output.empty())
    return bad("--output is missing: the path and name of the .om without its suffix");
  TRY(check_file("model", options.model));
  return options.mode == 0 ? check_soc(options, soc_given) : Status{};
}

Status check_display(const AtcOptions& options) {
  const bool from_model = options.mode == 1 && options.framework != -1;
  if (from_model) TRY(check_framework(options.framework));
  TRY(from_model && options.om.empty() ? check_file("model", options.model) : check_file("om", options.om));
  if (options.mode != 6 && options.json.empty()) return bad("--json is missing: the file to write");
  return {};
}

Status check(const AtcOptions& options, bool soc_given) {
  if (!options.singleop.empty()) return check_single_op(options, soc_given);
  switch (options.mode) {
    case 0:
    case 3:
      return check_conversion(options, soc_given);
    case 1:
    case 5:
    case 6:
      return check_display(options);
    default:
      return bad("--mode=" + std::to_string(options.mode) + " is not supported by this atc; 0, 1, 3, 5 and 6 are");
  }
}

}  // namespace

Result<AtcOptions> parse_atc_options(std::span<const std::string> arguments) {
  AtcOptions options;
  bool soc_given = false;
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "--h") {
      options.help = true;
      return options;
    }
    const size_t equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string::npos)
      return bad("\"" + argument + "\" is not an option; options are written --name=value");
    const std::string name = argument.substr(2, equals - 2);
    soc_given |= name == "soc_version";
    TRY(set_option(options, name, argument.substr(equals + 1)));
    options.convert.command_line += (options.convert.command_line.empty() ? "" : " ") + argument;
  }
  TRY(check(options, soc_given));
  options.convert.name = std::filesystem::path(options.output).filename().string();
  return options;
}

}  // namespace belay::convert
