// SPDX-License-Identifier: Apache-2.0
#include "base/threads/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/log/say_once.h"
#include "base/text.h"

namespace belay {
namespace {

// "50000 100000" or "max 100000", as cpu.max has it; 0: no limit.
double limit_of(const std::string& path) {
  std::ifstream file(path);
  double quota = 0, period = 0;
  return file >> quota >> period && quota > 0 && period > 0 ? quota / period : 0;
}

// The same in the two files of the older control groups.
double older_limit_of(const std::string& directory) {
  std::ifstream quota_file(directory + "/cpu.cfs_quota_us"), period_file(directory + "/cpu.cfs_period_us");
  double quota = 0, period = 0;
  return quota_file >> quota && period_file >> period && quota > 0 && period > 0 ? quota / period : 0;
}

double lesser(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : std::max(a, b); }

// Of a group and those above it. A container often sees its own group as the root.
template <class Limit>
double least_limit(const std::string& mount, std::string group, const Limit& limit) {
  double least = limit(mount);
  while (group.size() > 1) {
    least = lesser(least, limit(mount + group));
    group.resize(group.rfind('/'));
  }
  return least;
}

bool has_cpu(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string one; std::getline(list, one, ',');)
    if (one == "cpu") return true;
  return false;
}

int allowed_processors() {
  for (size_t count = 1024; count <= 1 << 20; count *= 4) {
    cpu_set_t* set = CPU_ALLOC(count);
    if (!set) break;
    const size_t bytes = CPU_ALLOC_SIZE(count);
    const bool known = sched_getaffinity(0, bytes, set) == 0;
    const int allowed = known ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (allowed > 0) return allowed;
  }
  return static_cast<int>(std::max(std::thread::hardware_concurrency(), 1u));
}

int find_cores() {
  constexpr uint64_t most = 1024;
  std::ostringstream membership;
  membership << std::ifstream("/proc/self/cgroup").rdbuf();
  int cores = allowed_processors();
  if (const double limit = cgroup_cores("/sys/fs/cgroup", membership.str()); limit > 0)
    cores = std::min(cores, static_cast<int>(std::ceil(limit)));
  const char* text = std::getenv("BELAY_CORES");
  if (!text || !*text) return cores;
  if (const auto number = parse_number(text); number && *number > 0 && *number <= most)
    return static_cast<int>(*number);
  say_once(LogModule::Runtime, "BELAY_CORES={} is not a number from 1 to {}: {} cores are used", text, most, cores);
  return cores;
}

}  // namespace

double cgroup_cores(const std::string& root, const std::string& membership) {
  double least = 0;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:/group
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty())
      least = lesser(least, least_limit(root, group, [](const auto& at) { return limit_of(at + "/cpu.max"); }));
    else if (has_cpu(controllers))
      for (const std::string& name : {controllers, std::string("cpu")})
        least = lesser(least, least_limit(root + "/" + name, group, older_limit_of));
  }
  return least;
}

int usable_cores() {
  static const int cores = find_cores();
  return cores;
}

}  // namespace belay
