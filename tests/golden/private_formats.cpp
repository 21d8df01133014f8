// SPDX-License-Identifier: Apache-2.0
// Private formats, both ways, as private_formats.py says they are: private_formats SCRIPT
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <nlohmann/json.hpp>

#include "graph/tensor/form_reader.h"
#include "graph/tensor/private_format.h"

namespace {

using namespace belay;
using namespace belay::graph;
using nlohmann::json;

std::vector<std::byte> bytes_of_list(const json& numbers, size_t width) {
  std::vector<std::byte> bytes(numbers.size() * width);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const int64_t value = numbers[i].get<int64_t>();
    std::memcpy(bytes.data() + i * width, &value, width);  // little-endian: the low bytes
  }
  return bytes;
}

std::vector<std::byte> read_in_parts(DataType type, const std::vector<std::byte>& stored_bytes,
                                     const TensorForm& stored, const TensorForm& plain) {
  const auto reader = FormReader::make(type, stored_bytes.size(), stored, plain);
  if (!reader.ok()) return {};
  const size_t width = bits_of(type) / 8;
  const int64_t count = element_count(plain.shape);
  std::vector<std::byte> all(static_cast<size_t>(count) * width);
  for (int64_t first = 0, part = 1; first < count; first += part, part = part * 3 % 17 + 1)
    (*reader).read(stored_bytes.data(), first, std::min(part, count - first),
                   all.data() + static_cast<size_t>(first) * width);
  return all;
}

// "" or what differs.
std::string check(const json& test) {
  const DataType type = type_named(test["type"].get<std::string>());
  const size_t width = bits_of(type) / 8;
  const TensorForm plain{format_named(test["origin"].get<std::string>()), test["origin_shape"].get<Shape>()};
  const int64_t groups = test["groups"].get<int64_t>();
  const TensorForm stored{format_named(test["private"].get<std::string>()), test["private_shape"].get<Shape>(), groups};
  const auto shape = private_shape(type, stored.format, groups, plain);
  if (!shape.ok()) return shape.status().message;
  if (*shape != stored.shape) return "shape " + to_text(*shape) + ", numpy says " + to_text(stored.shape);
  const auto here = bytes_of_list(test["plain"], width), there = bytes_of_list(test["stored"], width);
  const auto made = convert_form(type, here, plain, stored);
  if (!made.ok()) return made.status().message;
  if (*made != there) return "its elements lie elsewhere";
  const auto back = convert_form(type, there, stored, plain);
  if (!back.ok()) return back.status().message;
  if (*back != here) return "it does not come back";
  return read_in_parts(type, there, stored, plain) == here ? "" : "it does not come back in parts";
}

}  // namespace

int main(int, char** arguments) {
  FILE* pipe = popen((std::string("/usr/bin/python3 ") + arguments[1]).c_str(), "r");
  std::string text;
  char part[4096];
  for (size_t got; pipe && (got = fread(part, 1, sizeof(part), pipe)) > 0;) text.append(part, got);
  if (!pipe || pclose(pipe) != 0) return 2;
  int cases = 0, failed = 0;
  for (size_t at = 0; at < text.size(); ++cases) {
    const size_t end = text.find('\n', at);
    const json test = json::parse(text.substr(at, end - at));
    at = end + 1;
    const std::string problem = check(test);
    if (problem.empty()) continue;
    ++failed;
    std::cout << test["type"] << " " << test["origin"] << test["origin_shape"] << " to " << test["private"] << " of "
              << test["groups"] << " groups: " << problem << "\n";
  }
  std::cout << cases << " cases, " << failed << " failed\n";
  return failed > 0 || cases == 0;
}
