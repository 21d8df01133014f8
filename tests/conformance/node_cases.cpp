// SPDX-License-Identifier: Apache-2.0
// Converts the node cases that collect_node_cases.py wrote as atc does, executes the .om files through the C API, and
// compares with onnx's results. One line for each case that fails, and the sums. A case that is left out has its reason
// in a table of skips. With --precision the graphs compute in another type, and the tolerances are those of fp16.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <sstream>

#include "base/mapped_file.h"
#include "base/text.h"
#include "convert/convert.h"
#include "convert/numbers.h"
#include "convert/onnx_tensor.h"
#include "graph/om.h"
#include "model_run.h"

namespace {

using namespace belay;

struct Case {
  std::string name, op, skip;
  double rtol = 0, atol = 0;
};

std::vector<std::vector<std::string>> read_table(const std::string& path, size_t columns) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    auto& fields = rows.emplace_back();
    std::stringstream stream(line + "\t");
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    fields.resize(columns);
  }
  return rows;
}

std::vector<Case> read_cases(const std::string& directory, const std::string& skips) {
  std::map<std::string, std::string> reasons;
  for (const auto& row : read_table(skips, 2)) reasons[row[0]] = row[1];
  std::vector<Case> cases;
  for (const auto& row : read_table(directory + "/cases.tsv", 5)) {
    Case one{row[0], row[1], row[4], std::stod(row[2]), std::stod(row[3])};
    if (one.skip.empty() && reasons.contains(one.name)) one.skip = reasons[one.name];
    cases.push_back(std::move(one));
  }
  return cases;
}

// input_0.pb, input_1.pb... or output_0.pb...
Result<std::vector<graph::Constant>> read_tensors(const std::string& stem) {
  std::vector<graph::Constant> tensors;
  for (int i = 0;; ++i) {
    auto file = MappedFile::open(formatted("{}_{}.pb", stem, i));
    if (!file.ok()) return tensors;
    const auto mapped = std::move(file).value();
    convert::onnx::TensorSource source{mapped, ".", {}};
    const auto bytes = mapped->bytes();
    auto tensor = TRY(convert::onnx::read_tensor({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source));
    if (!tensor.problem.empty()) return Status{ACL_ERROR_FAILURE, tensor.problem};
    tensors.push_back(tensor.value);
  }
}

Status compare(const Case& one, size_t index, const graph::Constant& wanted, const graph::Constant& got) {
  const auto differs = [&](const std::string& how) {
    return Status{ACL_ERROR_FAILURE, formatted("output {} {}", index, how)};
  };
  if (got.type != wanted.type)
    return differs(formatted("is {}, not {}", graph::name_of(got.type), graph::name_of(wanted.type)));
  if (got.shape != wanted.shape)
    return differs(formatted("has shape {}, not {}", graph::to_text(got.shape), graph::to_text(wanted.shape)));
  const auto bytes = got.bytes;
  if (!convert::is_floating(wanted.type)) {
    if (std::memcmp(bytes.data(), wanted.bytes.data(), bytes.size()) == 0) return {};
    const auto a = convert::read_ints(got), b = convert::read_ints(wanted);
    for (size_t i = 0; a && b && i < a->size(); ++i)
      if ((*a)[i] != (*b)[i]) return differs(formatted("element {} is {}, not {}", i, (*a)[i], (*b)[i]));
    return differs("has other bytes");
  }
  const auto a = convert::read_numbers(got), b = convert::read_numbers(wanted);
  for (size_t i = 0; i < a->size(); ++i) {
    const double x = (*a)[i], y = (*b)[i];
    const bool same =
        (std::isnan(x) && std::isnan(y)) || x == y || std::abs(x - y) <= one.atol + one.rtol * std::abs(y);
    if (!same) return differs(formatted("element {} is {}, not {}", i, x, y));
  }
  return {};
}

Status run(const Case& one, const std::string& folder, const std::string& precision) {
  convert::ConvertOptions options{.name = one.name};
  if (!precision.empty()) options.precision_mode = precision;
  const auto converted = TRY(convert::convert_onnx(folder + "/model.onnx", options));
  const auto image = TRY(graph::write_om(*converted.model));
  const auto inputs = TRY(read_tensors(folder + "/input")), wanted = TRY(read_tensors(folder + "/output"));
  const auto got = TRY(run_model(image, inputs));
  if (got.size() != wanted.size())
    return {ACL_ERROR_FAILURE, formatted("{} outputs, not {}", got.size(), wanted.size())};
  for (size_t i = 0; i < got.size(); ++i) TRY(compare(one, i, wanted[i], got[i]));
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return std::cerr << "usage: node_cases DIRECTORY SKIPS [--precision=MODE] [CASE...]\n", 2;
  const std::string directory = arguments[1];
  std::vector<std::string> only(arguments + 3, arguments + count);
  std::string precision;
  if (constexpr std::string_view option = "--precision="; !only.empty() && only[0].starts_with(option)) {
    precision = only[0].substr(option.size());
    only.erase(only.begin());
  }
  const AclSession session;
  std::map<std::string, int> sums;
  for (Case one : read_cases(directory, arguments[2])) {
    if (!precision.empty()) one.rtol = 1e-2, one.atol = 1e-2;
    if (!only.empty() && std::find(only.begin(), only.end(), one.name) == only.end()) continue;
    if (!one.skip.empty() && only.empty()) {
      ++sums["skipped: " + one.skip];
      continue;
    }
    const Status status = run(one, directory + "/" + one.name, precision);
    ++sums[status.ok() ? "passed" : "failed"];
    if (!status.ok()) std::cout << "FAILED " << one.name << ": " << status.message << std::endl;
  }
  for (const auto& [what, sum] : sums) std::cout << sum << "\t" << what << "\n";
  return sums.contains("failed") ? 1 : 0;
}
