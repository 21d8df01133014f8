// SPDX-License-Identifier: Apache-2.0
// belay info: what this machine offers an AscendCL program, and that it is simulated.
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "acl/acl.h"
#include "backend/vector_target.h"
#include "base/json_text.h"
#include "base/threads/cores.h"
#include "commands/commands.h"
#include "commands/info_ranks.h"
#include "commands/say.h"

namespace belay::tools {
namespace {

nlohmann::json describe() {
  uint32_t devices = 0;
  (void)aclrtGetDeviceCount(&devices);
  Dl_info library{};
  dladdr(reinterpret_cast<const void*>(&aclInit), &library);

  nlohmann::json info{
      {"simulated", true},
      {"library", library.dli_fname ? library.dli_fname : "?"},
      {"acl_version", std::to_string(ACL_MAJOR_VERSION) + "." + std::to_string(ACL_MINOR_VERSION) + "." +
                          std::to_string(ACL_PATCH_VERSION)},
      {"soc", aclrtGetSocName()},
      {"devices", devices},
      {"cores", belay::usable_cores()},
      {"vectors", belay::backend::vector_target()},
  };
  if (devices > 0 && aclrtSetDevice(0) == ACL_SUCCESS) {
    size_t free = 0, total = 0;
    if (aclrtGetMemInfo(ACL_HBM_MEM, &free, &total) == ACL_SUCCESS) info["device_memory"] = total;
    (void)aclrtResetDevice(0);
  }
  return info;
}

void print(const nlohmann::json& info) {
  say("Belay: AscendCL %s on the CPU. There is no NPU here: the devices below are simulated.\n\n",
      info["acl_version"].get<std::string>().c_str());
  say("  library  %s\n", info["library"].get<std::string>().c_str());
  say("  SoC      %s (simulated; BELAY_SOC_NAME chooses another)\n", info["soc"].get<std::string>().c_str());
  say("  devices  %u (simulated; BELAY_DEVICES)\n", info["devices"].get<unsigned>());
  if (info.contains("device_memory"))
    say("  memory   %.1f GiB each (a limit, taken from the host's memory; BELAY_DEVICE_MEMORY)\n",
        info["device_memory"].get<double>() / (1 << 30));
  say("  cores    %u\n", info["cores"].get<unsigned>());
  say("  vectors  %s (instructions that kernels use)\n", info["vectors"].get<std::string>().c_str());
  if (info.contains("ranks")) print_ranks(info["ranks"]);
}

}  // namespace

void add_info(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("info", "Print what is simulated here: devices, library, versions");
  auto json = std::make_shared<bool>(false);
  auto ranks = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON (default: text)");
  command->add_flag("--ranks", *ranks, "Also how ranks reach each other here, and where they meet (default: no)");
  command->callback([json, ranks, &exit_code] {
    nlohmann::json info = describe();
    if (*ranks) info["ranks"] = describe_ranks();
    if (*json)
      std::printf("%s\n", json_text(info, 2).c_str());
    else
      print(info);
    exit_code = info["devices"] == 0 ? kBadInput : kAgree;
  });
}

}  // namespace belay::tools
