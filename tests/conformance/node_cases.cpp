// SPDX-License-Identifier: Apache-2.0
// Converts and runs the node cases that collect_node_cases.py wrote, and compares with their results. One line for each
// that fails, and the sums. A case whose operator has a known gap is skipped with its reason (skips.tsv).
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
#include "executor/loaded_model.h"

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

Status compare(const Case& one, size_t index, const graph::Constant& wanted, const executor::Tensor& got) {
  const auto differs = [&](const std::string& how) {
    return Status{ACL_ERROR_FAILURE, formatted("output {} {}", index, how)};
  };
  if (got.type != wanted.type)
    return differs(formatted("is {}, not {}", graph::name_of(got.type), graph::name_of(wanted.type)));
  if (got.shape != wanted.shape)
    return differs(formatted("has shape {}, not {}", graph::to_text(got.shape), graph::to_text(wanted.shape)));
  const auto bytes = std::span(static_cast<const std::byte*>(got.data), wanted.bytes.size());
  if (!convert::is_floating(wanted.type)) {
    if (std::memcmp(bytes.data(), wanted.bytes.data(), bytes.size()) == 0) return {};
    const auto a = convert::read_ints({got.type, got.shape, {}, bytes}), b = convert::read_ints(wanted);
    for (size_t i = 0; a && b && i < a->size(); ++i)
      if ((*a)[i] != (*b)[i]) return differs(formatted("element {} is {}, not {}", i, (*a)[i], (*b)[i]));
    return differs("has other bytes");
  }
  const auto a = convert::read_numbers({got.type, got.shape, {}, bytes}), b = convert::read_numbers(wanted);
  for (size_t i = 0; i < a->size(); ++i) {
    const double x = (*a)[i], y = (*b)[i];
    const bool same =
        (std::isnan(x) && std::isnan(y)) || x == y || std::abs(x - y) <= one.atol + one.rtol * std::abs(y);
    if (!same) return differs(formatted("element {} is {}, not {}", i, x, y));
  }
  return {};
}

Status run(const Case& one, const std::string& folder) {
  const auto converted = TRY(convert::convert_onnx(folder + "/model.onnx", {.name = one.name}));
  const auto model = TRY(executor::load(converted.model, {.threads = 1}));
  const auto inputs = TRY(read_tensors(folder + "/input")), wanted = TRY(read_tensors(folder + "/output"));
  std::vector<executor::Tensor> in, out;
  std::vector<std::vector<std::byte>> copies;  // aligned, as programs have them
  for (const auto& input : inputs) {
    copies.emplace_back(input.bytes.begin(), input.bytes.end());
    in.push_back({.type = input.type, .shape = input.shape, .data = copies.back().data()});
  }
  for (const auto& output : wanted) out.push_back({.type = output.type});
  TRY(model->run({}, in, out));
  Status status;
  for (size_t i = 0; i < out.size(); ++i) {
    if (status.ok()) status = compare(one, i, wanted[i], out[i]);
    std::free(out[i].data);
  }
  return status;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return std::cerr << "usage: node_cases DIRECTORY SKIPS [CASE...]\n", 2;
  const std::string directory = arguments[1];
  const std::vector<std::string> only(arguments + 3, arguments + count);
  std::map<std::string, int> sums;
  for (const Case& one : read_cases(directory, arguments[2])) {
    if (!only.empty() && std::find(only.begin(), only.end(), one.name) == only.end()) continue;
    if (!one.skip.empty() && only.empty()) {
      ++sums["skipped: " + one.skip];
      continue;
    }
    const Status status = run(one, directory + "/" + one.name);
    ++sums[status.ok() ? "passed" : "failed"];
    if (!status.ok()) std::cout << "FAILED " << one.name << ": " << status.message << std::endl;
  }
  for (const auto& [what, sum] : sums) std::cout << sum << "\t" << what << "\n";
  return sums.contains("failed") ? 1 : 0;
}
