// SPDX-License-Identifier: Apache-2.0
#include "compare/matching/places.h"

#include <algorithm>

#include "base/text.h"

namespace belay::compare {
namespace {

namespace fs = std::filesystem;

constexpr size_t kTimeDigits = 14;
constexpr size_t kMostNamed = 8;  // folders that a sentence lists

bool digits(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return c >= '0' && c <= '9'; });
}

bool is_time(const std::string& name) { return name.size() == kTimeDigits && digits(name); }

// Numbers by their size, before all that is none.
bool in_order(const std::string& a, const std::string& b) {
  if (!digits(a) || !digits(b)) return digits(a) != digits(b) ? digits(a) : a < b;
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

std::string joined(const std::vector<std::string>& parts, size_t first, size_t last) {
  fs::path path;
  for (size_t i = first; i < last; ++i) path /= parts[i];
  return path.string();
}

const char* word_for(int level) {
  static constexpr const char* words[] = {"folder", "the dump of", "device", "model", "model id", "step"};
  return words[level];
}

template <class Map>
std::vector<std::string> names_of(const Map& by_name) {
  std::vector<std::string> names;
  for (const auto& [name, ignored] : by_name) names.push_back(name);
  std::ranges::sort(names, in_order);
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i) text += (i ? ", " : "") + names[i];
  return names.size() > kMostNamed ? text + formatted(" and {} more", names.size() - kMostNamed) : text;
}

bool only_empty(const std::vector<std::string>& names) { return names.size() == 1 && names[0].empty(); }

}  // namespace

bool place_before(const fs::path& a, const fs::path& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const fs::path& x, const fs::path& y) {
    return in_order(x.string(), y.string());
  });
}

TreePlace parse_place(const fs::path& folder) {
  std::vector<std::string> parts;
  for (const fs::path& part : folder)
    if (!part.empty() && part != ".") parts.push_back(part.string());
  TreePlace place;
  const auto time = std::ranges::find_if(parts, is_time);
  size_t next = 0;
  if (time != parts.end()) {
    next = static_cast<size_t>(time - parts.begin());
    place[kGroup] = joined(parts, 0, next);
    place[kTime] = *time;
    ++next;
  }
  size_t left = parts.size() - next;
  if (place[kTime].empty()) {  // the last four, as far as they look like it
    size_t known = 0;
    const auto part = [&](size_t from_end) { return parts[parts.size() - from_end]; };
    if (left >= 1 && digits(part(1))) known = 1;
    if (left >= 2 && known == 1 && digits(part(2))) known = 2;
    if (left >= 3 && known == 2) known = 3;
    if (left >= 4 && known == 3 && digits(part(4))) known = 4;
    place[kGroup] = joined(parts, 0, parts.size() - known);
    next = parts.size() - known;
    left = known;
  } else if (left > 0 && left < 4) {  // single operators lie in the folder of their device
    place[kDevice] = parts[next++];
    --left;
  }
  static constexpr int from_end[] = {kStep, kModelId, kModel, kDevice};
  for (size_t i = 0; i < std::min<size_t>(left, 4); ++i)
    place[static_cast<size_t>(from_end[i])] = parts[parts.size() - 1 - i];
  return place;
}

PlacePairs::PlacePairs(const Side& ours, const Side& truth) {
  for (const SideTensor& tensor : ours.tensors) ours_.try_emplace(tensor.place, parse_place(tensor.place));
  for (const SideTensor& tensor : truth.tensors) truth_.try_emplace(tensor.place, parse_place(tensor.place));
  Several mine, theirs;
  for (auto at = ours_.cbegin(); at != ours_.cend(); ++at) mine.push_back(at);
  for (auto at = truth_.cbegin(); at != truth_.cend(); ++at) theirs.push_back(at);
  if (!mine.empty() && !theirs.empty()) pair(mine, theirs, kGroup);
}

void PlacePairs::pair(const Several& ours, const Several& truth, int level) {
  if (level == kLevels) {
    for (const auto& mine : ours)
      for (const auto& theirs : truth) {
        partners_[mine->first].push_back(theirs->first);
        met_[theirs->first] = true;
      }
    return;
  }
  std::map<std::string, Several> mine, theirs;
  for (const auto& folder : ours) mine[folder->second[static_cast<size_t>(level)]].push_back(folder);
  for (const auto& folder : truth) theirs[folder->second[static_cast<size_t>(level)]].push_back(folder);
  std::vector<std::string> here = names_of(mine), there = names_of(theirs);
  if (only_empty(here) || only_empty(there)) return pair(ours, truth, level + 1);
  if (here.size() == 1 && there.size() == 1) return pair(ours, truth, level + 1);
  for (const std::string& name : names_of(mine)) {
    if (theirs.count(name) == 0) continue;
    pair(mine[name], theirs[name], level + 1);
    std::erase(here, name);
    std::erase(there, name);
  }
  const bool by_order = level == kTime || (level == kModelId && here.size() == there.size()) ||
                        (level == kModel && here.size() == 1 && there.size() == 1);
  size_t both = by_order ? std::min(here.size(), there.size()) : 0;
  for (size_t i = 0; i < both; ++i) pair(mine[here[i]], theirs[there[i]], level + 1);
  for (size_t i = both; i < here.size(); ++i) lonely(mine[here[i]], level, here[i], theirs);
  for (size_t i = both; i < there.size(); ++i) lonely(theirs[there[i]], level, there[i], mine);
}

void PlacePairs::lonely(const Several& folders, int level, const std::string& name,
                        const std::map<std::string, Several>& others) {
  auto elsewhere = names_of(others);
  std::erase(elsewhere, "");
  const std::string shown =
      name.empty() ? formatted("what has no {}", word_for(level)) : formatted("{} {}", word_for(level), name);
  for (const auto& folder : folders)
    reasons_[folder->first] = formatted("{} has no partner; the other side has {}", shown, listed(elsewhere));
}

const std::vector<fs::path>& PlacePairs::partners(const fs::path& ours) const {
  static const auto& none = *new std::vector<fs::path>;
  const auto found = partners_.find(ours);
  return found == partners_.end() ? none : found->second;
}

std::string PlacePairs::reason(const fs::path& place) const {
  const auto found = reasons_.find(place);
  return found == reasons_.end() ? "the other side has no tensors" : found->second;
}

}  // namespace belay::compare
