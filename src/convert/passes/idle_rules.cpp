// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/closest.h"
#include "base/text.h"
#include "convert/passes/origin.h"
#include "convert/passes/precision_rules.h"
#include "graph/model/graph.h"

namespace belay::convert {
namespace {

// What the operators of a model are called.
struct Known {
  OperatorNames main, inside;  // of the main graph, and of those of control flow
};

Known known_operators(const graph::Model& model) {
  Known known;
  for (const auto& graph : model.graphs)
    for (const auto& node : graph.nodes) {
      if (graph::is_graph_input(node) || graph::is_constant(node) || node.type == "NetOutput") continue;
      auto& place = &graph == &model.main() ? known.main : known.inside;
      place.types.insert(node.type);
      place.names.insert(node.name);
      for (auto& name : original_names(node)) place.names.insert(std::move(name));
    }
  return known;
}

using Names = std::set<std::string, std::less<>>;

class IdleRules {
 public:
  IdleRules(const graph::Model& model, const std::set<std::string>& source)
      : known_(known_operators(model)), source_(source) {}

  // `changes`: the list changes types, which those inside control flow do not get.
  void look_up(std::string_view option, const std::string& wanted, bool by_type, bool changes) {
    const Names& main = by_type ? known_.main.types : known_.main.names;
    const Names& inside = by_type ? known_.inside.types : known_.inside.names;
    if (main.contains(wanted)) return;
    if (inside.contains(wanted)) {
      if (changes) say(option, formatted("{} is inside control flow, whose operators keep their types", wanted));
    } else if (!by_type && source_.contains(wanted)) {
      say(option, formatted("{} is no operator of its own any more: it was folded or merged with others", wanted));
    } else {
      const std::vector<std::string_view> names(main.begin(), main.end());
      const std::string_view nearest = closest_name(wanted, names);
      const std::string similar = closest_names(wanted, names);
      say(option, formatted("the model has no operator {}{}{}", by_type ? "of type " : "", wanted,
                            !nearest.empty()  ? formatted("; did you mean {}?", nearest)
                            : similar.empty() ? std::string()
                                              : formatted("; the nearest: {}", similar)));
    }
  }
  void say(std::string_view option, std::string_view what) { said_.push_back(formatted("--{}: {}", option, what)); }
  std::vector<std::string> take() { return std::move(said_); }

 private:
  const Known known_;
  const std::set<std::string>& source_;
  std::vector<std::string> said_;
};

}  // namespace

std::vector<std::string> idle_rules(const PrecisionRules& rules, const graph::Model& model,
                                    const std::set<std::string>& source) {
  IdleRules idle(model, source);
  const auto& kept = rules.kept;
  if (rules.mode == Precision::Origin && !(kept.names.empty() && kept.types.empty()))
    idle.say("keep_dtype", "it has no effect with this precision mode, which keeps all types");
  for (const auto& name : kept.names) idle.look_up("keep_dtype", name, false, false);
  for (const auto& type : kept.types) idle.look_up("keep_dtype", type, true, false);
  for (const auto& [type, list] : rules.lists) idle.look_up("modify_mixlist", type, true, list == MixList::White);
  for (const auto& row : rules.custom) idle.look_up("customize_dtypes", row.name, row.by_type, true);
  return idle.take();
}

}  // namespace belay::convert
