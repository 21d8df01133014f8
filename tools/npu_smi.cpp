// SPDX-License-Identifier: Apache-2.0
// npu-smi: the tables that build and start scripts parse, of simulated devices, and says so in them.
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "base/files/standard_streams.h"
#include "base/text.h"

namespace {

using Arguments = std::vector<std::string>;

constexpr size_t kMega = 1 << 20;

struct Device {
  size_t total = 0, used = 0;  // bytes
};

// Without "Ascend".
std::string chip_name() {
  std::string name = aclrtGetSocName();
  return name.starts_with("Ascend") ? name.substr(6) : name;
}

uint32_t device_count() {
  uint32_t count = 0;
  return aclrtGetDeviceCount(&count) == ACL_SUCCESS ? count : 0;
}

Device look_at(uint32_t id) {
  Device device;
  size_t free = 0;
  if (aclrtSetDevice(static_cast<int32_t>(id)) != ACL_SUCCESS) return device;
  if (aclrtGetMemInfo(ACL_HBM_MEM, &free, &device.total) == ACL_SUCCESS) device.used = device.total - free;
  (void)aclrtResetDevice(static_cast<int32_t>(id));
  return device;
}

// The devices' rows begin in line 7, where scripts look for the name: its third word.
int show_table() {
  const char *thin =
                 "+---------------------------+---------------+----------------------------------------------------+",
             *thick =
                 "+===========================+===============+====================================================+";
  std::printf("+------------------------------------------------------------------------------------------------+\n");
  std::printf("| npu-smi %-24s Version: %-12s simulated by Belay: there is no NPU     |\n", BELAY_VERSION, BELAY_VERSION);
  std::printf("%s\n", thin);
  std::printf("| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|\n");
  std::printf("| Chip                      | Bus-Id        | AICore(%%)   Memory-Usage(MB)  HBM-Usage(MB)        |\n");
  std::printf("%s\n", thick);
  for (uint32_t i = 0; i < device_count(); ++i) {
    const Device device = look_at(i);
    std::printf("| %-5u %-19s | %-13s | %-11s %-17s %-4d / %-13d |\n", i, chip_name().c_str(), "OK", "0.0", "0", 0, 0);
    std::printf("| %-25d | 0000:%02X:00.0  | %-11d %-4d / %-10d %-5zu/ %-14zu|\n", 0, i & 0xff, 0, 0, 0,
                device.used / kMega, device.total / kMega);
    std::printf("%s\n", thick);
  }
  std::printf("| NPU     Chip              | Process id    | Process name             | Process memory(MB)      |\n");
  std::printf("+===========================+===============+====================================================+\n");
  for (uint32_t i = 0; i < device_count(); ++i)
    std::printf("| No running processes found in NPU %-61u|\n%s\n", i, thick);
  return 0;
}

void print_field(const char* name, const std::string& value) { std::printf("\t%-31s: %s\n", name, value.c_str()); }

int show_list() {
  print_field("Total Count", std::to_string(device_count()));
  for (uint32_t i = 0; i < device_count(); ++i) {
    std::printf("\n");
    print_field("NPU ID", std::to_string(i));
    print_field("Product Name", "simulated by Belay");
    print_field("Chip Count", "1");
  }
  return 0;
}

int show_chips() {
  std::printf("\t%-31s%-31s%-31s%s\n", "NPU ID", "Chip ID", "Chip Logic ID", "Chip Name");
  for (uint32_t i = 0; i < device_count(); ++i)
    std::printf("\t%-31u%-31d%-31uAscend %s\n", i, 0, i, chip_name().c_str());
  return 0;
}

int fail(const std::string& why) {
  std::fprintf(stderr, "npu-smi: %s\n", why.c_str());
  return 1;
}

int show_type(const std::string& type, uint32_t id) {
  if (type != "board" && type != "memory") return fail("info -t " + type + " is not simulated; board and memory are");
  print_field("NPU ID", std::to_string(id));
  if (type == "board") {
    print_field("Product Name", "simulated by Belay");
    print_field("Software Version", BELAY_VERSION);
    print_field("Chip ID", "0");
    print_field("Chip Type", "Ascend");
    print_field("Chip Name", chip_name());
    return 0;
  }
  const Device device = look_at(id);
  print_field("Chip Count", "1");
  print_field("HBM Capacity(MB)", std::to_string(device.total / kMega));
  print_field("Chip ID", "0");
  return 0;
}

int show_info(const Arguments& arguments) {
  std::string type;
  uint64_t id = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "-l") return show_list();
    if (word == "-m") return show_chips();
    if (word != "-t" && word != "-i" && word != "-c")
      return fail("info has no option " + word + " here; -l, -m, -t, -i and -c");
    if (++i == arguments.size()) return fail("a value is missing after " + word);
    if (word == "-t") {
      type = arguments[i];
      continue;
    }
    const auto number = belay::parse_number(arguments[i]);
    const uint64_t most = word == "-c" ? 1 : device_count();
    if (!number || *number >= most)
      return fail(belay::formatted("{} {}: there are {}, counted from 0", word, arguments[i], most));
    if (word == "-i") id = *number;
  }
  return type.empty() ? show_table() : show_type(type, static_cast<uint32_t>(id));
}

int run(const Arguments& arguments) {
  if (!arguments.empty() && arguments[0] == "info") return show_info({arguments.begin() + 1, arguments.end()});
  if (!arguments.empty() && arguments[0] == "-v") return std::printf("npu-smi version: %s\n", BELAY_VERSION), 0;
  if (arguments.empty() || arguments[0] == "-h" || arguments[0] == "--help") {
    std::printf(
        "Shows the devices that Belay simulates, in the form of the vendor's tool; belay info says more.\n\n"
        "  npu-smi info                   the table\n"
        "  npu-smi info -l                how many there are\n"
        "  npu-smi info -m                their chips\n"
        "  npu-smi info -t board -i 0     one of them; -t memory\n");
    return 0;
  }
  return fail(arguments[0] + " is not simulated; info is");
}

}  // namespace

int main(int argc, char** argv) {
  belay::hold_standard_streams();
  const int code = run({argv + 1, argv + argc});
  const std::string lost = belay::unwritten_output();
  return lost.empty() ? code : fail(lost);
}
