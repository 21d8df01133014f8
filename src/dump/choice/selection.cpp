// SPDX-License-Identifier: Apache-2.0
#include "dump/choice/selection.h"

#include <algorithm>
#include <set>

#include "base/closest.h"
#include "base/strict.h"
#include "base/text.h"
#include "dump/choice/op_walk.h"
#include "dump/config/op_range.h"
#include "dump/format/names.h"
#include "graph/infer/constant_nodes.h"
#include "graph/model/origin.h"
#include "graph/model/schema.h"

namespace belay::dump {
namespace {

using graph::Node;

// The primary format and the sub format of the engine's format word. Tensors here are in their logical order.
void set_format(const graph::TensorDesc& desc, int32_t& format, int32_t& sub_format) {
  const auto word = static_cast<uint32_t>(desc.format);
  format = static_cast<int32_t>(word & 0xff);
  sub_format = static_cast<int32_t>(word >> 8 & 0xffff);
  if (desc.format == desc.origin_format) return;
  format = static_cast<int32_t>(static_cast<uint32_t>(desc.origin_format) & 0xff);
  sub_format = 0;
}

std::optional<OriginalOp> original_op(const Node& node, size_t output) {
  auto origin = graph::original_output(node, output);
  if (!origin) return {};
  const graph::TensorDesc& desc = node.outputs[output];
  return OriginalOp{std::move(origin->op), origin->index, static_cast<int32_t>(desc.type),
                    static_cast<int32_t>(desc.origin_format)};
}

// Weights come without a format of their own: they are in that of the operator's first input.
void use_first_format(const Node& node, const graph::TensorDesc& desc, int32_t& format) {
  const graph::TensorDesc& first = node.input_descs[0];
  if (desc.origin_format == graph::Format::ND && first.origin_format != graph::Format::ND &&
      first.origin_shape.size() == desc.origin_shape.size())
    format = static_cast<int32_t>(first.origin_format);
}

// "input3" of a black list.
struct Position {
  bool input;
  uint64_t port;
};

std::optional<Position> parse_position(std::string_view text) {
  const bool input = text.starts_with("input");
  if (!input && !text.starts_with("output")) return {};
  const auto number = parse_number(text.substr(input ? 5 : 6));
  if (!number) return {};
  return Position{input, *number};
}

// The items of dump_list that are about one model, put together.
class Chooser {
 public:
  Chooser(const DumpConfig& config, const std::string& name, const graph::Model& model)
      : config_(config), model_name_(name), walk_(model) {
    for (const ListItem& item : config.list)
      if (applies(item, name, model)) black_lists_.push_back(&item);
    items_ = black_lists_;
    if (strict_mode()) keep_one_item();
    // dump_op_switch and dump_debug without a list mean every model.
    everything_ = config.list.empty() || std::ranges::any_of(items_, [](const ListItem* item) {
                    return item->layers.empty() && item->ranges.empty();
                  });
  }

  Selection run() {
    if (config_.list.empty() || !items_.empty()) {
      const auto in_range = nodes_in_ranges();
      for (const Node* node : walk_.tasks()) {
        if (!everything_ && !in_range.contains(node) && !in_layers(*node)) continue;
        if (config_.op_level)
          add(*node);
        else if (!config_.overflow)
          add_split(*node);
      }
    }
    for (const Node* node : walk_.tasks())
      if (changes_inputs(*node)) selection_.changing.insert(node);
    warn();
    return std::move(selection_);
  }

 private:
  // The original: an item without model_name hides those with one; of several the last one counts.
  void keep_one_item() {
    const auto hides = [](const ListItem* item) { return item->model_name.empty(); };
    if (std::ranges::any_of(items_, hides)) std::erase_if(items_, [&](const ListItem* item) { return !hides(item); });
    if (items_.size() > 1) items_.erase(items_.begin(), items_.end() - 1);
  }

  bool in_layers(const Node& node) const {
    const auto names = graph::original_names(node);
    return std::ranges::any_of(items_, [&](const ListItem* item) {
      return std::ranges::any_of(item->layers, [&](const std::string& layer) {
        return layer == node.name || std::ranges::find(names, layer) != names.end();
      });
    });
  }

  std::set<const Node*> nodes_in_ranges() const {
    std::set<const Node*> found;
    for (const ListItem* item : items_) {
      for (const OpRange& range : item->ranges) {
        RangeState state(range);
        for (const Node* node : walk_.tasks())
          if (state.next(node->name)) found.insert(node);
      }
    }
    return found;
  }

  bool black_listed(const std::string& type, const std::string& name, bool input, size_t port) const {
    const auto listed = [&](const std::vector<BlackListEntry>& entries, const std::string& key) {
      return std::ranges::any_of(entries, [&](const BlackListEntry& entry) {
        return !entry.name.empty() && entry.name == key &&
               std::ranges::any_of(entry.positions, [&](const std::string& text) {
                 const auto position = parse_position(text);
                 return position && position->input == input && position->port == port;
               });
      });
    };
    return std::ranges::any_of(black_lists_, [&](const ListItem* item) {
      return listed(item->type_black_list, type) || listed(item->name_black_list, name);
    });
  }

  void add(const Node& node) {
    ChosenNode chosen = choose_operator(config_.mode, node);
    std::erase_if(chosen.inputs,
                  [&](const ChosenTensor& t) { return black_listed(node.type, node.name, true, t.port); });
    std::erase_if(chosen.outputs,
                  [&](const ChosenTensor& t) { return black_listed(node.type, node.name, false, t.port); });
    know_values(node, chosen);
    for (ChosenTensor& output : chosen.outputs) output.original_op = original_op(node, output.port);
    if (config_.mode != Mode::Input && !config_.overflow) add_data(node, chosen);
    if (chosen.inputs.empty() && chosen.outputs.empty() && chosen.data.empty()) return;
    selection_.nodes.emplace(&node, std::move(chosen));
  }

  void add_split(const Node& node) {
    ChosenNode chosen = choose_operator(Mode::All, node);
    know_values(node, chosen);
    selection_.split.emplace(&node, std::move(chosen));
  }

  void know_values(const Node& node, ChosenNode& chosen) const {
    for (ChosenTensor& input : chosen.inputs) {
      input.constant = OpWalk::constant_of(walk_.producer_of(node, input.port));
      input.value = walk_.value_of(node, input.port);
    }
    for (ChosenTensor& output : chosen.outputs) output.value = walk_.output_of(node, output.port);
  }

  // Each Data operator once, however many inputs it feeds.
  void add_data(const Node& node, ChosenNode& chosen) const {
    std::set<const Node*> seen;
    for (size_t port = 0; port < node.inputs.size(); ++port) {
      const Node* data = walk_.data_of(node, port);
      if (!data || !seen.insert(data).second || black_listed(data->type, data->name, false, 0)) continue;
      ChosenData fed{mangled(data->type) + "." + mangled(data->name), data->name, port};
      if (!data->outputs.empty()) set_format(data->outputs[0], fed.format, fed.sub_format);
      fed.value = walk_.value_of(node, port);
      chosen.data.push_back(std::move(fed));
    }
  }

  void warn() {
    std::set<std::string_view> task_names, task_types, task_originals, others;
    std::vector<std::vector<std::string>> kept;  // owns what task_originals borrows
    for (const Node* node : walk_.all()) others.insert(node->name);
    kept.reserve(walk_.tasks().size());
    for (const Node* node : walk_.tasks()) {
      task_names.insert(node->name);
      task_types.insert(node->type);
      kept.push_back(graph::original_names(*node));
      task_originals.insert(kept.back().begin(), kept.back().end());
    }
    for (const Node* node : walk_.all())
      if (graph::is_graph_input(*node)) task_types.insert(node->type);
    std::set<std::string_view> either = task_names;
    either.insert(task_originals.begin(), task_originals.end());
    std::set<std::string_view> listable = task_names;
    for (const Node* node : walk_.all())
      if (graph::is_graph_input(*node)) listable.insert(node->name);
    for (const ListItem* item : black_lists_) {
      for (const auto& layer : item->layers) expect_known("layer", layer, either, others);
      for (const OpRange& range : item->ranges) {
        expect_known("opname_range begin", range.begin, task_names, others);
        expect_known("opname_range end", range.end, task_names, others);
      }
      for (const auto& entry : item->type_black_list) expect_entry("optype_blacklist", entry, task_types, others);
      for (const auto& entry : item->name_black_list) expect_entry("opname_blacklist", entry, listable, others);
    }
  }

  void expect_entry(const char* key, const BlackListEntry& entry, const std::set<std::string_view>& known,
                    const std::set<std::string_view>& others) {
    if (!entry.name.empty()) expect_known(key, entry.name, known, others);
    for (const std::string& position : entry.positions)
      if (!parse_position(position))
        selection_.warnings.push_back(
            formatted("{}: \"{}\" is ignored; positions are written input0 or output0", key, position));
  }

  void expect_known(const char* key, const std::string& name, const std::set<std::string_view>& known,
                    const std::set<std::string_view>& others) {
    if (known.contains(name)) return;
    if (others.contains(name)) {
      selection_.warnings.push_back(
          formatted("{} \"{}\" of model \"{}\" does not run as a task of its own and has no file; Data operators are "
                    "dumped with the operators they feed",
                    key, name, model_name_));
      return;
    }
    const std::vector<std::string_view> names(known.begin(), known.end());
    selection_.warnings.push_back(formatted("{} \"{}\" matches nothing in model \"{}\"; the closest names are {}", key,
                                            name, model_name_, closest_names(name, names)));
  }

  const DumpConfig& config_;
  const std::string& model_name_;
  const OpWalk walk_;
  std::vector<const ListItem*> items_, black_lists_;
  bool everything_ = false;
  Selection selection_;
};

}  // namespace

bool applies(const ListItem& item, const std::string& name, const graph::Model& model) {
  return item.model_name.empty() || item.model_name == name || item.model_name == model.name ||
         item.model_name == model.main().name;
}

bool applies(const DumpConfig& config, const std::string& name, const graph::Model& model) {
  if (config.list.empty()) return config.op_switch || config.overflow;
  if (config.kind() == Kind::Watch) return true;
  return std::ranges::any_of(config.list, [&](const ListItem& item) { return applies(item, name, model); });
}

Selection select(const DumpConfig& config, const std::string& name, const graph::Model& model) {
  return config.kind() == Kind::Watch ? select_watched(config, name, model) : Chooser(config, name, model).run();
}

void measure_constants(Selection& selection, bool with_l2norm) {
  std::unordered_map<const graph::Constant*, std::shared_ptr<const Statistics>> known;
  const auto measure_inputs = [&](ChosenNode& chosen) {
    for (ChosenTensor& input : chosen.inputs) {
      if (!input.constant) continue;
      auto& measured = known[input.constant];
      const auto count = static_cast<uint64_t>(graph::element_count(input.constant->shape));
      if (!measured && input.constant->bytes.size() >= graph::bytes_of(input.constant->type, count))
        measured = std::make_shared<const Statistics>(
            measure(input.constant->type, input.constant->bytes.data(), count, with_l2norm));
      input.measured = measured;
    }
  };
  for (auto& [node, chosen] : selection.nodes) measure_inputs(chosen);
  for (auto& [node, chosen] : selection.split) measure_inputs(chosen);
}

ChosenTensor choose_input(const Node& node, size_t port) {
  ChosenTensor chosen{.port = port, .format = static_cast<int32_t>(graph::Format::ND)};
  if (port >= node.input_descs.size()) return chosen;
  set_format(node.input_descs[port], chosen.format, chosen.sub_format);
  use_first_format(node, node.input_descs[port], chosen.format);
  chosen.original_shape = node.input_descs[port].origin_shape;
  return chosen;
}

ChosenTensor choose_output(const Node& node, size_t port) {
  ChosenTensor chosen{.port = port};
  set_format(node.outputs[port], chosen.format, chosen.sub_format);
  chosen.original_shape = node.outputs[port].origin_shape;
  return chosen;
}

ChosenNode choose_operator(Mode mode, const Node& node) {
  ChosenNode chosen{.stem = mangled(node.type) + "." + mangled(node.name), .name = node.name};
  if (mode != Mode::Output)
    for (size_t port = 0; port < node.inputs.size(); ++port) chosen.inputs.push_back(choose_input(node, port));
  if (mode != Mode::Input)
    for (size_t port = 0; port < node.outputs.size(); ++port) chosen.outputs.push_back(choose_output(node, port));
  return chosen;
}

ChosenNode choose_outputs(const Node& node) {
  ChosenNode chosen = choose_operator(Mode::Output, node);
  for (ChosenTensor& output : chosen.outputs) output.original_op = original_op(node, output.port);
  return chosen;
}

bool changes_inputs(const Node& node) {
  if (graph::is_collective(node)) return true;
  const graph::Schema* schema = graph::find_schema(node.type);
  return schema && std::ranges::any_of(schema->outputs, [&](const graph::Port& output) {
           return std::ranges::any_of(schema->inputs,
                                      [&](const graph::Port& input) { return input.name == output.name; });
         });
}

}  // namespace belay::dump
