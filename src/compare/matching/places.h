// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "compare/side.h"

namespace belay::compare {

// What the folders of a dump tree stand for, from the outermost; "" for what a place does not have. What is above or
// between them (a folder for each rank) is the group.
enum Level : uint8_t { kGroup, kTime, kDevice, kModel, kModelId, kStep, kLevels };
using TreePlace = std::array<std::string, kLevels>;

// Folder by folder; numbers by their size.
bool place_before(const std::filesystem::path& a, const std::filesystem::path& b);

TreePlace parse_place(const std::filesystem::path& folder);

// Which folders of the other side belong to a folder. A level that one side does not have at all is not looked at.
// Where both have one folder of a level these are partners whatever they are called; else those that have the same name
// are. Times are never the same: they are partners in their order, as are the ids of one model.
class PlacePairs {
 public:
  PlacePairs(const Side& ours, const Side& truth);

  // Never empty for a place of ours that has a partner.
  const std::vector<std::filesystem::path>& partners(const std::filesystem::path& ours) const;
  bool has_partner_of_truth(const std::filesystem::path& truth) const { return met_.count(truth) > 0; }
  // Why the folder of either side has none: "step 3 is only here; the other side has 0, 1".
  std::string reason(const std::filesystem::path& place) const;

 private:
  using Folders = std::map<std::filesystem::path, TreePlace>;
  using Several = std::vector<Folders::const_iterator>;
  void pair(const Several& ours, const Several& truth, int level);
  void lonely(const Several& folders, int level, const std::string& name, const std::map<std::string, Several>& others);

  Folders ours_, truth_;
  std::map<std::filesystem::path, std::vector<std::filesystem::path>> partners_;
  std::map<std::filesystem::path, bool> met_;
  std::map<std::filesystem::path, std::string> reasons_;
};

}  // namespace belay::compare
