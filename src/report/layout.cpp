// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <graphviz/gvc.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <tuple>

namespace belay::report {
namespace {

using Links = std::vector<std::pair<size_t, size_t>>;
constexpr double kPointsPerInch = 72;
constexpr double kPortWidth = 4, kPortHeight = 1;

// Graphviz has one context for a process, which is never given back: its plugins stay loaded.
GVC_t& context() {
  static GVC_t* const made = gvContext();
  return *made;
}

void set(void* object, const char* name, const char* value) {
  agsafeset(object, const_cast<char*>(name), const_cast<char*>(value), const_cast<char*>(""));
}

void set(void* object, const char* name, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  set(object, name, text);
}

// A graph of boxes of one size, with ports above and below them, and what dot makes of it.
class Drawing {
 public:
  Drawing(size_t boxes, const std::vector<bool>& ports, const Links& links)
      : graph_(agopen(const_cast<char*>("level"), Agstrictdirected, nullptr)) {
    set(graph_, "nodesep", 0.28);
    set(graph_, "ranksep", 0.36);
    for (size_t i = 0; i < boxes; ++i) add_node(kBoxWidth, kBoxHeight);
    for (const bool out : ports) {
      add_node(kPortWidth, kPortHeight);
      Agraph_t* rank = agsubg(graph_, const_cast<char*>(out ? "out" : "in"), 1);
      set(rank, "rank", out ? "sink" : "source");
      agsubnode(rank, nodes_.back(), 1);
    }
    for (const auto& [from, to] : links) {
      Agedge_t* edge = agedge(graph_, nodes_[from], nodes_[to], nullptr, 1);
      set(edge, "dir", "none");
      edges_.push_back(edge);
    }
    // Its complaints about odd graphs are of no use to whoever reads a report.
    agseterr(AGMAX);
    if (gvLayout(&context(), graph_, "dot") != 0)
      throw std::runtime_error("Graphviz cannot lay the graph out: its plugin for dot is missing (package libgvc6)");
  }
  ~Drawing() {
    gvFreeLayout(&context(), graph_);
    agclose(graph_);
  }
  Drawing(const Drawing&) = delete;
  Drawing& operator=(const Drawing&) = delete;

  Level level(const std::vector<bool>& ports, const Links& links) const {
    const boxf all = GD_bb(graph_);
    Level level{.width = all.UR.x - all.LL.x, .height = all.UR.y - all.LL.y};
    const size_t boxes = nodes_.size() - ports.size();
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto x = static_cast<float>(ND_coord(nodes_[i]).x - all.LL.x);
      const auto y = static_cast<float>(all.UR.y - ND_coord(nodes_[i]).y);
      if (i < boxes)
        level.x.push_back(x), level.y.push_back(y);
      else
        level.ports.push_back({.out = ports[i - boxes], .x = x, .y = y});
    }
    for (size_t i = 0; i < edges_.size(); ++i) {
      const splines* drawn = ED_spl(edges_[i]);
      if (!drawn || drawn->size == 0) continue;
      Route route{links[i].first, links[i].second, {}};
      const bezier& curve = drawn->list[0];
      for (int point = 0; point < curve.size; ++point) {
        route.points.push_back(static_cast<float>(curve.list[point].x - all.LL.x));
        route.points.push_back(static_cast<float>(all.UR.y - curve.list[point].y));
      }
      level.routes.push_back(std::move(route));
    }
    return level;
  }

 private:
  void add_node(double width, double height) {
    Agnode_t* node = agnode(graph_, const_cast<char*>(std::to_string(nodes_.size()).c_str()), 1);
    set(node, "shape", "box");
    set(node, "label", "");
    set(node, "fixedsize", "true");
    set(node, "width", width / kPointsPerInch);
    set(node, "height", height / kPointsPerInch);
    nodes_.push_back(node);
  }

  Agraph_t* const graph_;
  std::vector<Agnode_t*> nodes_;
  std::vector<Agedge_t*> edges_;
};

// From an operator to the whole: the groups that it is in, and the place that it has among the children of each.
using Chain = std::vector<std::pair<int, size_t>>;

std::vector<Chain> chains_of(const Network& network, const std::vector<Group>& groups) {
  std::vector<size_t> place_of_group(groups.size()), place(network.operators.size());
  std::vector<int> parent(network.operators.size());
  for (size_t group = 0; group < groups.size(); ++group)
    for (size_t i = 0; i < groups[group].children.size(); ++i) {
      const int child = groups[group].children[i];
      if (child < 0) {
        place_of_group[static_cast<size_t>(~child)] = i;
      } else {
        place[static_cast<size_t>(child)] = i;
        parent[static_cast<size_t>(child)] = static_cast<int>(group);
      }
    }
  std::vector<Chain> chains(network.operators.size());
  for (size_t op = 0; op < chains.size(); ++op) {
    size_t at = place[op];
    for (int group = parent[op]; group >= 0; group = groups[static_cast<size_t>(group)].parent) {
      chains[op].emplace_back(group, at);
      at = place_of_group[static_cast<size_t>(group)];
    }
    std::ranges::reverse(chains[op]);
  }
  return chains;
}

// What is to be drawn of a group: its ports, those inwards before, and the links between children and ports.
struct Plan {
  std::map<std::pair<bool, size_t>, std::vector<size_t>> ports;  // (outwards, source): the children that are linked
  Links links;                                                   // between children

  Links all_links(size_t children) const {
    Links all = links;
    size_t port = children;
    for (const auto& [key, places] : ports) {
      for (const size_t place : places) all.push_back(key.first ? std::pair(place, port) : std::pair(port, place));
      ++port;
    }
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
  }
};

// A link runs in the innermost group that both of its ends are in; on the way there it leaves every group that only its
// source is in, and then enters those that only its reader is in.
std::vector<Plan> plans_of(const Network& network, const std::vector<Group>& groups) {
  const std::vector<Chain> chains = chains_of(network, groups);
  std::vector<Plan> plans(groups.size());
  for (const Link& link : network.links) {
    const Chain &from = chains[link.from], &to = chains[link.to];
    size_t depth = 0;
    while (depth + 1 < std::min(from.size(), to.size()) && from[depth + 1].first == to[depth + 1].first) ++depth;
    if (from[depth].second == to[depth].second) continue;
    plans[static_cast<size_t>(from[depth].first)].links.emplace_back(from[depth].second, to[depth].second);
    for (const bool out : {true, false})
      for (size_t inner = depth + 1; inner < (out ? from : to).size(); ++inner) {
        const auto& [group, place] = (out ? from : to)[inner];
        plans[static_cast<size_t>(group)].ports[{out, link.from}].push_back(place);
      }
  }
  return plans;
}

}  // namespace

std::vector<Level> Layout::lay_out(const Network& network, const std::vector<Group>& groups) {
  const std::vector<Plan> plans = plans_of(network, groups);
  std::vector<Level> levels;
  decltype(known_) now;
  for (size_t group = 0; group < groups.size(); ++group) {
    const Plan& plan = plans[group];
    const size_t children = groups[group].children.size();
    std::vector<bool> ports;
    for (const auto& [key, places] : plan.ports) ports.push_back(key.first);
    std::tuple key(children, ports, plan.all_links(children));
    const Links& links = std::get<Links>(key);
    auto found = known_.find(key);
    Level level = found != known_.end() ? found->second : Drawing(children, ports, links).level(ports, links);
    now.try_emplace(std::move(key), level);
    for (size_t port = 0; const auto& [name, places] : plan.ports) level.ports[port++].source = name.second;
    levels.push_back(std::move(level));
  }
  known_ = std::move(now);
  return levels;
}

}  // namespace belay::report
