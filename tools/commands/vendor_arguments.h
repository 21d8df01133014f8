// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// The command lines of the vendor's tools: options have one dash and several letters, which ours do not.
namespace belay::tools {

// An option of a vendor's command, without its dashes.
struct VendorOption {
  const char* name;
  bool takes_value = true;
  // Why it is not honoured; "" when it is.
  const char* refusal = "";
};

// A mistake in how the command was called.
class VendorUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether -h or --help is among the words, wherever.
bool asks_for_help(const std::vector<std::string>& words);

// What was given: "-out DIR", "-out=DIR", one dash or two. Of an option given twice the last counts.
class VendorArguments {
 public:
  // VendorUsage for options that are unknown, not honoured, or lack their value.
  VendorArguments(const std::vector<VendorOption>& known, const std::vector<std::string>& given);

  bool has(const std::string& name) const { return values_.count(name) > 0; }
  std::string value(const std::string& name, const std::string& otherwise = "") const;
  // VendorUsage when it was not given.
  std::string required(const std::string& name) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace belay::tools
