// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "convert/convert.h"

namespace belay::convert {

// What the command line of atc asks for.
struct AtcOptions {
  bool help = false;
  int mode = 0;
  int framework = -1;
  std::string model, output;
  std::string om, json;  // input and output of modes 1, 5 and 6
  std::string singleop;
  std::string check_report = "check_result.json";
  bool compress_attributes = true;
  bool display_model_info = false, dump_mode = false;
  int external_weight = 0;  // 1: weights in files of their own, 2: in one file beside the .om
  ConvertOptions convert;
  std::vector<std::string> without_effect;  // options that are accepted and change nothing on a CPU
};

// Options are --name=value. The messages begin with the code that the original gives ("E10001: ...").
Result<AtcOptions> parse_atc_options(std::span<const std::string> arguments);

}  // namespace belay::convert
