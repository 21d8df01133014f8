// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/devices.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "base/log/log.h"
#include "base/log/say_once.h"
#include "base/text.h"
#include "runtime/device/soc.h"

namespace belay {
namespace {

constexpr int default_count = 8;
constexpr int most_devices = 1024;

struct Devices {
  std::vector<int> visible;  // physical ids, by user id
  uint64_t memory;
};

Devices read_devices() {
  const char* wanted = getenv("BELAY_DEVICES");
  const auto count = parse_device_count(wanted);
  if (!count)
    say_once(LogModule::Runtime, "BELAY_DEVICES={} is not a number from 0 to {}: {} devices are simulated", wanted,
             most_devices, default_count);
  const char* filter = getenv("ASCEND_RT_VISIBLE_DEVICES");
  auto visible = parse_visible_devices(filter, count.value_or(default_count));
  if (filter && static_cast<size_t>(std::ranges::count(std::string_view(filter), ',')) + 1 != visible.size())
    log_notice(LogModule::Runtime,
               "ASCEND_RT_VISIBLE_DEVICES={} is read up to the first id that is not an ascending number below {}: "
               "{} devices are visible",
               filter, count.value_or(default_count), visible.size());
  const char* size = getenv("BELAY_DEVICE_MEMORY");
  const auto memory = parse_device_memory(size);
  if (size && *size && !memory)
    say_once(LogModule::Runtime, "BELAY_DEVICE_MEMORY={} is not a size such as 512M or 16G: {} bytes are simulated",
             size, soc().memory);
  return {std::move(visible), memory.value_or(soc().memory)};
}

const Devices& devices() {
  static const Devices& devices = *new Devices(read_devices());
  return devices;
}

}  // namespace

std::optional<int> parse_device_count(const char* text) {
  if (!text || !*text) return default_count;
  const auto count = parse_number(text);
  if (!count || *count > most_devices) return {};
  return static_cast<int>(*count);
}

std::optional<uint64_t> parse_device_memory(const char* text) {
  if (!text || !*text) return {};
  const auto size = parse_size(text);
  return size && *size > 0 ? size : std::nullopt;
}

std::vector<int> parse_visible_devices(const char* text, int count) {
  std::vector<int> visible;
  if (!text) {
    visible.resize(static_cast<size_t>(count));
    std::iota(visible.begin(), visible.end(), 0);
    return visible;
  }
  for (std::string_view rest = text;;) {
    const std::string_view token = rest.substr(0, rest.find(','));
    const auto id = parse_number(token);
    if (!id || *id >= static_cast<uint64_t>(count)) return visible;
    if (!visible.empty() && static_cast<int>(*id) <= visible.back()) return visible;
    visible.push_back(static_cast<int>(*id));
    if (token.size() == rest.size()) return visible;
    rest.remove_prefix(token.size() + 1);
  }
}

int device_count() { return static_cast<int>(devices().visible.size()); }

Result<int> physical_device(int user_id) {
  const auto& visible = devices().visible;
  if (user_id >= 0 && user_id < device_count()) return visible[static_cast<size_t>(user_id)];
  if (visible.empty())
    return Status{ACL_ERROR_RT_INVALID_DEVICEID,
                  formatted("device {} does not exist: no device is visible; see BELAY_DEVICES and "
                            "ASCEND_RT_VISIBLE_DEVICES",
                            user_id)};
  return Status{ACL_ERROR_RT_INVALID_DEVICEID,
                formatted("device {} does not exist; devices are 0 to {}", user_id, device_count() - 1)};
}

std::optional<int> user_device(int physical_id) {
  const auto& visible = devices().visible;
  const auto found = std::ranges::find(visible, physical_id);
  if (found == visible.end()) return {};
  return static_cast<int>(found - visible.begin());
}

uint64_t device_memory_size() { return devices().memory; }

}  // namespace belay
