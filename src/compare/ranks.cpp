// SPDX-License-Identifier: Apache-2.0
#include "compare/ranks.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"

namespace belay::compare {
namespace {

using Path = std::filesystem::path;

bool is_number(const Path& part) {
  const std::string text = part.string();
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Where a device's folder is in time/device/model/id/step, of which the front may be missing, or of which only
// time/device is there (single operators); as long as the path up to it. 0: there is none.
size_t device_depth(const Path& place) {
  const std::vector<Path> parts(place.begin(), place.end());
  const size_t count = parts.size();
  if (count >= 4 && is_number(parts[count - 4]) && is_number(parts[count - 2]) && is_number(parts[count - 1]))
    return count - 3;
  constexpr size_t kTimeDigits = 14;
  if (count == 2 && is_number(parts[0]) && parts[0].string().size() == kTimeDigits && is_number(parts[1])) return 2;
  return 0;
}

Path front(const Path& place, size_t parts) {
  Path made;
  auto part = place.begin();
  for (size_t i = 0; i < parts; ++i) made /= *part++;
  return made;
}

}  // namespace

std::vector<RankSide> ranks_of(const Side& side, std::vector<std::string>& notes) {
  std::map<std::pair<uint64_t, std::string>, std::map<Path, Side>> devices;  // by device, then by folder
  for (const SideTensor& tensor : side.tensors) {
    const size_t depth = device_depth(tensor.place);
    if (depth == 0) continue;
    const Path folder = front(tensor.place, depth);
    const std::string device = folder.filename().string();
    devices[{parse_number(device).value_or(0), device}][folder].tensors.push_back(tensor);
  }
  std::vector<RankSide> ranks;
  for (auto& [device, runs] : devices) {
    auto& [folder, last] = *runs.rbegin();
    if (runs.size() > 1)
      notes.push_back(formatted("device {} has {} runs in {}; the last one is looked at, {}", device.second,
                                runs.size(), side.name, folder.string()));
    last.name = (Path(side.name) / folder).string();
    ranks.push_back({device.second, std::move(last)});
  }
  if (ranks.empty()) ranks.push_back({"", side});
  return ranks;
}

}  // namespace belay::compare
