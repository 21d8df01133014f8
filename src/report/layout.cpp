// SPDX-License-Identifier: Apache-2.0
#include "report/layout.h"

#include <graphviz/gvc.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace belay::report {
namespace {

using Links = std::vector<std::pair<size_t, size_t>>;
constexpr double kPointsPerInch = 72;

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

// A graph of boxes of one size, and what dot makes of it.
class Drawing {
 public:
  Drawing(size_t boxes, const Links& links) : graph_(agopen(const_cast<char*>("level"), Agstrictdirected, nullptr)) {
    set(graph_, "nodesep", 0.28);
    set(graph_, "ranksep", 0.36);
    for (size_t i = 0; i < boxes; ++i) {
      Agnode_t* node = agnode(graph_, const_cast<char*>(std::to_string(i).c_str()), 1);
      set(node, "shape", "box");
      set(node, "label", "");
      set(node, "fixedsize", "true");
      set(node, "width", kBoxWidth / kPointsPerInch);
      set(node, "height", kBoxHeight / kPointsPerInch);
      nodes_.push_back(node);
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

  Level level(const Links& links) const {
    const boxf all = GD_bb(graph_);
    Level level{.width = all.UR.x - all.LL.x, .height = all.UR.y - all.LL.y};
    for (Agnode_t* node : nodes_) {
      level.x.push_back(static_cast<float>(ND_coord(node).x - all.LL.x));
      level.y.push_back(static_cast<float>(all.UR.y - ND_coord(node).y));
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

// Each link belongs to the innermost group that both of its ends are in.
std::vector<Links> links_of(const Network& network, const std::vector<Group>& groups) {
  const std::vector<Chain> chains = chains_of(network, groups);
  std::vector<Links> links(groups.size());
  for (const Link& link : network.links) {
    const Chain &from = chains[link.from], &to = chains[link.to];
    size_t depth = 0;
    while (depth + 1 < std::min(from.size(), to.size()) && from[depth + 1].first == to[depth + 1].first) ++depth;
    if (from[depth].second == to[depth].second) continue;
    links[static_cast<size_t>(from[depth].first)].emplace_back(from[depth].second, to[depth].second);
  }
  for (Links& level : links) {
    std::ranges::sort(level);
    level.erase(std::ranges::unique(level).begin(), level.end());
  }
  return links;
}

}  // namespace

std::vector<Level> Layout::lay_out(const Network& network, const std::vector<Group>& groups) {
  std::vector<Links> links = links_of(network, groups);
  std::vector<Level> levels;
  decltype(known_) now;
  for (size_t group = 0; group < groups.size(); ++group) {
    std::pair key(groups[group].children.size(), std::move(links[group]));
    auto found = known_.find(key);
    Level level = found != known_.end() ? found->second : Drawing(key.first, key.second).level(key.second);
    now.try_emplace(std::move(key), level);
    levels.push_back(std::move(level));
  }
  known_ = std::move(now);
  return levels;
}

}  // namespace belay::report
