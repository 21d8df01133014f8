// SPDX-License-Identifier: Apache-2.0
#include "report/groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace belay::report {
namespace {

constexpr size_t kMostChildren = 200;  // of one group: Graphviz then needs some hundredths of a second
constexpr size_t kLeastNeighbours = 32;
constexpr size_t kLeastToCut = 12;  // fewer are seen at a glance
constexpr size_t kDeepest = 12;     // levels that are made of names

constexpr const char* kRange = " \u2026 ";  // between the first and the last

using Path = std::vector<std::string>;

Path parts_of(const std::string& name) {
  Path parts;
  size_t begin = 0;
  for (size_t at = 0; at <= name.size(); ++at) {
    if (at < name.size() && name[at] != '/') continue;
    if (at > begin) parts.push_back(name.substr(begin, at - begin));
    begin = at + 1;
  }
  if (!parts.empty()) parts.pop_back();  // the operator itself
  if (parts.size() > kDeepest) parts.resize(kDeepest);
  return parts;
}

// The folders that the operator's sources have in common, else those of its own name.
Path folders_of(const Operator& op) {
  if (op.sources.empty()) return parts_of(op.name);
  Path common = parts_of(op.sources.front());
  for (const std::string& source : op.sources) {
    const Path other = parts_of(source);
    const auto end = std::ranges::mismatch(common, other).in1;
    common.erase(end, common.end());
  }
  return common;
}

class Grouping {
 public:
  explicit Grouping(const Network& network) : network_(network) { groups_.push_back({}); }

  std::vector<Group> make() {
    by_names();
    for (size_t group = 0; group < groups_.size(); ++group) dissolve_single(group);
    for (size_t group = 0; group < groups_.size(); ++group) {
      cut(static_cast<int>(group));
      gather_neighbours(static_cast<int>(group));
    }
    return renumbered();
  }

 private:
  void by_names() {
    std::map<std::pair<int, std::string>, int> known;
    for (size_t op = 0; op < network_.operators.size(); ++op) {
      int group = 0;
      for (const std::string& folder : folders_of(network_.operators[op])) {
        const auto [found, added] = known.try_emplace({group, folder}, static_cast<int>(groups_.size()));
        const int inner = found->second;
        if (added) {
          groups_.push_back({folder, group, {}});
          groups_[static_cast<size_t>(group)].children.push_back(~inner);
        }
        group = inner;
      }
      groups_[static_cast<size_t>(group)].children.push_back(static_cast<int>(op));
    }
  }

  // A group with one child is of no use: the child takes its place.
  void dissolve_single(size_t at) {
    for (int& child : groups_[at].children) {
      std::string prefix;
      while (child < 0 && groups_[static_cast<size_t>(~child)].children.size() == 1) {
        Group& single = groups_[static_cast<size_t>(~child)];
        prefix += single.name + "/";
        child = single.children[0];
        single.children.clear();
      }
      if (child < 0) {
        groups_[static_cast<size_t>(~child)].name.insert(0, prefix);
        groups_[static_cast<size_t>(~child)].parent = static_cast<int>(at);
      }
    }
  }

  // Parts between two places that only one tensor passes.
  void cut(int group) {
    if (groups_[static_cast<size_t>(group)].children.size() < kLeastToCut) return;
    const std::vector<int> children = groups_[static_cast<size_t>(group)].children;
    const std::vector<size_t> reach = farthest_reader(children);
    std::vector<size_t> ends;
    size_t open_until = 0, behind = reach.back();  // behind: the farthest reader of all but the latest
    for (size_t i = 0; i < children.size(); ++i) {
      behind = std::max(behind, open_until);
      open_until = reach[i];
      if (behind <= i || i + 1 == children.size()) ends.push_back(i + 1);
    }
    if (ends.size() < 2) return;
    std::vector<int> now;
    size_t begin = 0;
    for (const size_t end : ends) take(group, children, std::exchange(begin, end), end, now, 3);
    groups_[static_cast<size_t>(group)].children = std::move(now);
  }

  // For each child the last of its group that reads what it makes; behind them the last that reads what comes from
  // outside, if that goes past the first.
  std::vector<size_t> farthest_reader(const std::vector<int>& children) const {
    std::vector<int> place(network_.operators.size(), -1);
    for (size_t i = 0; i < children.size(); ++i) mark(children[i], static_cast<int>(i), place);
    std::vector<size_t> reach(children.size() + 1);
    for (const Link& link : network_.links) {
      const int to = place[link.to], from = place[link.from] < 0 ? static_cast<int>(children.size()) : place[link.from];
      if (to < 0 || (to <= from && place[link.from] >= 0)) continue;
      reach[static_cast<size_t>(from)] = std::max(reach[static_cast<size_t>(from)], static_cast<size_t>(to));
    }
    return reach;
  }

  void mark(int child, int as, std::vector<int>& place) const {
    if (child >= 0) {
      place[static_cast<size_t>(child)] = as;
      return;
    }
    for (const int inner : groups_[static_cast<size_t>(~child)].children) mark(inner, as, place);
  }

  // Neighbours, as many as make few enough groups.
  void gather_neighbours(int group) {
    const std::vector<int> children = groups_[static_cast<size_t>(group)].children;
    if (children.size() <= kMostChildren) return;
    size_t size = kLeastNeighbours;  // powers of two: groups stay what they are while a network grows
    while (children.size() / size > kMostChildren / 2) size *= 2;
    std::vector<int> now;
    for (size_t begin = 0; begin < children.size(); begin += size)
      take(group, children, begin, std::min(children.size(), begin + size), now, 2);
    groups_[static_cast<size_t>(group)].children = std::move(now);
  }

  // Adds children begin .. end-1 to `now`, as a group of their own when they are enough for one.
  void take(int group, const std::vector<int>& children, size_t begin, size_t end, std::vector<int>& now,
            size_t least) {
    std::vector<int> taken(children.begin() + static_cast<std::ptrdiff_t>(begin),
                           children.begin() + static_cast<std::ptrdiff_t>(end));
    if (taken.size() < least) {
      now.insert(now.end(), taken.begin(), taken.end());
      return;
    }
    const int made = static_cast<int>(groups_.size());
    for (const int child : taken)
      if (child < 0) groups_[static_cast<size_t>(~child)].parent = made;
    groups_.push_back({name_of(taken.front()) + kRange + name_of(taken.back()), group, std::move(taken)});
    now.push_back(~made);
  }

  // The first or last operator's own name, without the folders that are drawn around it anyway.
  std::string name_of(int child) const {
    std::string name =
        child >= 0 ? network_.operators[static_cast<size_t>(child)].name : groups_[static_cast<size_t>(~child)].name;
    if (const size_t range = name.find(kRange); range != std::string::npos) name.resize(range);
    if (const size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
    return name;
  }

  // Without the groups that nothing is in any more.
  std::vector<Group> renumbered() const {
    std::vector<int> number(groups_.size(), -1);
    int next = 0;
    for (size_t i = 0; i < groups_.size(); ++i)
      if (i == 0 || !groups_[i].children.empty()) number[i] = next++;
    std::vector<Group> kept;
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (number[i] < 0) continue;
      Group group = groups_[i];
      if (group.parent >= 0) group.parent = number[static_cast<size_t>(group.parent)];
      for (int& child : group.children)
        if (child < 0) child = ~number[static_cast<size_t>(~child)];
      kept.push_back(std::move(group));
    }
    return kept;
  }

  const Network& network_;
  std::vector<Group> groups_;
};

}  // namespace

std::vector<Group> groups_of(const Network& network) { return Grouping(network).make(); }

}  // namespace belay::report
