// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bisect/bisect.h"

namespace belay::tools {

// What belay bisect has to say.
struct BisectReport {
  const std::string& model;
  const std::string& precision;  // fp16 or bf16
  const bisect::Question& question;
  const bisect::Answer& answer;
  const std::vector<std::string>& files;  // that were written
};

void print_json(const BisectReport& report);
void print_text(const BisectReport& report);

}  // namespace belay::tools
