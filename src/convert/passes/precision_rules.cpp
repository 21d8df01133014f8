// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/precision_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/closest.h"
#include "base/files/file.h"
#include "base/text.h"
#include "convert/atc/input_shapes.h"

namespace belay::convert {
namespace {

using graph::DataType;
using Lists = std::map<std::string, MixList, std::less<>>;

constexpr size_t largest_file = 1 << 20;
constexpr std::string_view type_mark = "OpType::";

Status wrong(std::string_view option, std::string_view what) {
  return {ACL_ERROR_INVALID_PARAM, formatted("--{}: {}", option, what), "E10001"};
}

Result<std::string> list_file(std::string_view option, const std::string& path) {
  auto text = read_text(path, largest_file);
  return text.ok() ? std::move(text) : wrong(option, text.status().message);
}

// "; did you mean X?", or nothing.
template <class Names>
std::string hint(std::string_view wanted, const Names& known) {
  const std::vector<std::string_view> names(std::begin(known), std::end(known));
  const std::string_view nearest = closest_name(wanted, names);
  return nearest.empty() ? "" : formatted("; did you mean {}?", nearest);
}

Result<DataType> type_called(std::string_view word) {
  std::string name = word == "float32" ? "DT_FLOAT" : word.starts_with("DT_") ? "" : "DT_";
  if (word != "float32")
    for (const char letter : word) name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  const DataType type = graph::type_named(name);
  if (type != DataType::Undefined && graph::bits_of(type) >= 8) return type;
  constexpr std::string_view words[] = {"float32", "float16", "bfloat16", "int8",   "uint8", "int16", "uint16",
                                        "int32",   "uint32",  "int64",    "uint64", "bool",  "double"};
  return wrong("customize_dtypes", formatted("\"{}\" is not a type{}", word, hint(word, words)));
}

Result<std::vector<DataType>> type_list(std::string_view text) {
  std::vector<DataType> types;
  for (const auto part : split_text(text, ','))
    if (const auto word = trimmed(part); !word.empty()) types.push_back(TRY(type_called(word)));
  return types;
}

Result<CustomTypes> parse_custom_line(std::string_view line) {
  constexpr std::string_view
      in = "InputDtype:",
      out = "OutputDtype:",
      must =
          "must be NAME::InputDtype:float16,float16,OutputDtype:float16, or OpType::TYPE:... for "
          "all operators of a type";
  const size_t output = line.rfind(out), input = line.rfind(in);
  const size_t first = std::min(input, output);
  if (first == std::string_view::npos || first == 0 || line[first - 1] != ':' ||
      (output != std::string_view::npos && input != std::string_view::npos && output < input))
    return wrong("customize_dtypes", formatted("\"{}\" {}", line, must));
  CustomTypes row{.by_type = line.starts_with(type_mark)};
  std::string_view name = line.substr(0, first - 1);
  if (name.ends_with(':')) name.remove_suffix(1);
  if (row.by_type) name.remove_prefix(std::min(name.size(), type_mark.size()));
  if (name.empty()) return wrong("customize_dtypes", formatted("\"{}\" {}", line, must));
  row.name = name;
  if (input != std::string_view::npos) {
    const size_t start = input + in.size();
    row.inputs = TRY(type_list(line.substr(start, output == std::string_view::npos ? output : output - start)));
  }
  if (output != std::string_view::npos) row.outputs = TRY(type_list(line.substr(output + out.size())));
  return row;
}

// Which list a type goes to that is put into, or taken out of, this one.
Status add_changes(const nlohmann::json& list, const std::string& key, MixList added, Lists& changes) {
  if (!list.is_object()) return wrong("modify_mixlist", formatted("{} must be an object", key));
  for (const auto& [change, types] : list.items()) {
    if (change != "to-add" && change != "to-remove")
      return wrong("modify_mixlist", formatted("{} has to-add and to-remove, not \"{}\"", key, change));
    if (!types.is_array()) return wrong("modify_mixlist", formatted("{} of {} must be a list", change, key));
    for (const auto& type : types) {
      if (!type.is_string())
        return wrong("modify_mixlist", formatted("{} of {} must be types of operators in quotes", change, key));
      const MixList to = change == "to-add" ? added : MixList::Gray;
      const auto [place, fresh] = changes.emplace(type.get<std::string>(), to);
      if (!fresh && place->second != to && place->second != MixList::Gray && to != MixList::Gray)
        return wrong("modify_mixlist", formatted("{} is added to both lists", place->first));
      if (to != MixList::Gray) place->second = to;  // out of one list and into the other
    }
  }
  return {};
}

}  // namespace

Result<Precision> parse_precision(const ConvertOptions& options) {
  static const auto& modes = *new const std::map<std::string_view, Precision>{
      {"must_keep_origin_dtype", Precision::Origin},
      {"allow_fp32_to_fp16", Precision::Origin},
      {"allow_fp32_to_bf16", Precision::Origin},
      {"force_fp16", Precision::Half},
      {"force_fp32", Precision::CubeFromHalf},
      {"cube_fp16in_fp32out", Precision::CubeFromHalf},
      {"allow_mix_precision", Precision::MixedHalf},
      {"allow_mix_precision_fp16", Precision::MixedHalf},
      {"allow_mix_precision_bf16", Precision::MixedBrain},
  };
  static const auto& modes_v2 = *new const std::map<std::string_view, Precision>{
      {"origin", Precision::Origin},
      {"fp16", Precision::Half},
      {"mixed_float16", Precision::MixedHalf},
      {"mixed_bfloat16", Precision::MixedBrain},
      {"cube_fp16in_fp32out", Precision::CubeFromHalf},
  };
  const bool second = !options.precision_mode_v2.empty();
  const auto& known = second ? modes_v2 : modes;
  const std::string& text = second ? options.precision_mode_v2 : options.precision_mode;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  std::string values;
  for (const auto& [name, mode] : known) values += (values.empty() ? "" : ", ") + std::string(name);
  return Status{ACL_ERROR_INVALID_PARAM,
                formatted("--precision_mode{}: {} is not one of {}", second ? "_v2" : "", text, values), "E10001"};
}

Result<OperatorNames> parse_keep_list(std::string_view text) {
  OperatorNames kept;
  for (const auto part : split_text(text, '\n')) {
    const auto line = trimmed(part);
    if (line.empty()) continue;
    const bool type = line.starts_with(type_mark);
    const auto name = type ? trimmed(line.substr(type_mark.size())) : line;
    if (name.empty()) return wrong("keep_dtype", formatted("\"{}\" names no type", line));
    (type ? kept.types : kept.names).emplace(name);
  }
  return kept;
}

Result<Lists> parse_mix_lists(std::string_view text) {
  Lists changes;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return wrong("modify_mixlist", "the file is not a JSON object");
  constexpr std::string_view keys[] = {"black-list", "white-list"};
  for (const auto& [key, list] : json.items()) {
    if (std::ranges::find(keys, key) == std::end(keys))
      return wrong("modify_mixlist",
                   formatted("\"{}\" is not black-list or white-list; what is removed from one of them is grey", key));
    TRY(add_changes(list, key, key == keys[0] ? MixList::Black : MixList::White, changes));
  }
  return changes;
}

Result<std::vector<CustomTypes>> parse_custom_types(std::string_view text) {
  std::vector<CustomTypes> rows;
  for (const auto part : split_text(text, '\n'))
    if (const auto line = trimmed(part); !line.empty()) rows.push_back(TRY(parse_custom_line(line)));
  return rows;
}

Result<PrecisionRules> read_precision_rules(const ConvertOptions& options) {
  PrecisionRules rules;
  rules.mode = TRY(parse_precision(options));
  if (!options.keep_dtype.empty()) rules.kept = TRY(parse_keep_list(TRY(list_file("keep_dtype", options.keep_dtype))));
  rules.kept.names.insert(options.keep_names.begin(), options.keep_names.end());
  if (!options.modify_mixlist.empty()) {
    if (!rules.mixed())
      return wrong("modify_mixlist",
                   "it needs a mode of mixed precision: --precision_mode=allow_mix_precision or "
                   "allow_mix_precision_bf16, or --precision_mode_v2=mixed_float16 or mixed_bfloat16");
    rules.lists = TRY(parse_mix_lists(TRY(list_file("modify_mixlist", options.modify_mixlist))));
  }
  for (const auto& type : options.black_types) rules.lists[type] = MixList::Black;
  if (!options.customize_dtypes.empty())
    rules.custom = TRY(parse_custom_types(TRY(list_file("customize_dtypes", options.customize_dtypes))));
  for (const auto part : split_text(options.input_fp16_nodes, ';'))
    if (const auto name = trimmed(part); !name.empty()) rules.half_inputs.emplace_back(name);
  return rules;
}

}  // namespace belay::convert
