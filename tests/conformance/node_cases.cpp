// SPDX-License-Identifier: Apache-2.0
// Converts the node cases that collect_node_cases.py wrote with atc, executes the .om files through the C API, and
// compares with onnx's results. One line for each case that fails, and the sums. A case that is left out has its reason
// in a table of skips; one that must be refused has what atc is to say in the last column of cases.tsv. With
// --precision the graphs compute in another type, and the tolerances are those of fp16.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

#include "base/text.h"
#include "case_files.h"
#include "convert/map/numbers.h"
#include "model_run.h"

namespace {

using namespace belay;

struct Case {
  std::string name, op, skip, refusal;
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
  for (const auto& row : read_table(directory + "/cases.tsv", 6)) {
    Case one{row[0], row[1], row[4], row[5], std::stod(row[2]), std::stod(row[3])};
    if (one.skip.empty() && reasons.contains(one.name)) one.skip = reasons[one.name];
    cases.push_back(std::move(one));
  }
  return cases;
}

Status compare(const Case& one, size_t index, const graph::Constant& wanted, const graph::Constant& got) {
  const auto differs = [&](const std::string& how) {
    return Status{ACL_ERROR_FAILURE, formatted("output {} {}", index, how)};
  };
  if (got.type != wanted.type)
    return differs(formatted("is {}, not {}", graph::name_of(got.type), graph::name_of(wanted.type)));
  if (got.shape != wanted.shape)
    return differs(formatted("has shape {}, not {}", graph::to_text(got.shape), graph::to_text(wanted.shape)));
  if (!convert::is_floating(wanted.type)) {
    if (std::ranges::equal(got.bytes, wanted.bytes)) return {};
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

struct Conversion {
  std::string atc, precision;

  // The path of the .om; what atc printed when it fails.
  Result<std::string> operator()(const std::string& folder) const {
    const std::string stem = folder + "/model" + precision;
    std::string command = formatted(
        "'{}' --model='{}/model.onnx' --framework=5 --output='{}' --soc_version=Ascend910B3", atc, folder, stem);
    if (!precision.empty()) command += " --precision_mode=" + precision;
    // A model whose shapes are not known bears the name of the system, which the other tests need not know.
    const std::string plain = formatted("(test -e '{}.om' || mv '{}'_linux_*.om '{}.om')", stem, stem, stem);
    std::filesystem::remove(stem + ".om");
    if (std::system(formatted("cd '{}' && {} >atc.log 2>&1 && {}", folder, command, plain).c_str()) == 0)
      return stem + ".om";
    std::ifstream log(folder + "/atc.log");
    return Status{ACL_ERROR_FAILURE, std::string{std::istreambuf_iterator<char>(log), {}}};
  }
};

Status expect_refusal(const Case& one, const Result<std::string>& converted) {
  if (converted.ok()) return {ACL_ERROR_FAILURE, "it was converted, not refused with: " + one.refusal};
  if (converted.status().message.find(one.refusal) != std::string::npos) return {};
  return {ACL_ERROR_FAILURE,
          formatted("it was not refused with: {}\nbut with: {}", one.refusal, converted.status().message)};
}

Status run(const Case& one, const std::string& folder, const Conversion& convert) {
  auto converted = convert(folder);
  if (!one.refusal.empty()) return expect_refusal(one, converted);
  const std::string model = TRY(std::move(converted));
  const auto inputs = TRY(read_tensors(folder + "/input")), wanted = TRY(read_tensors(folder + "/output"));
  const auto got = TRY(run_model(model, inputs));
  if (got.size() != wanted.size())
    return {ACL_ERROR_FAILURE, formatted("{} outputs, not {}", got.size(), wanted.size())};
  for (size_t i = 0; i < got.size(); ++i) TRY(compare(one, i, wanted[i], got[i]));
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return std::cerr << "usage: node_cases ATC DIRECTORY SKIPS [--precision=MODE] [CASE...]\n", 2;
  const std::string directory = std::filesystem::absolute(arguments[2]);
  std::vector<std::string> only(arguments + 4, arguments + count);
  Conversion convert{std::filesystem::absolute(arguments[1]), {}};
  if (constexpr std::string_view option = "--precision="; !only.empty() && only[0].starts_with(option)) {
    convert.precision = only[0].substr(option.size());
    only.erase(only.begin());
  }
  const AclSession session;
  std::map<std::string, int> sums;
  for (Case one : read_cases(directory, arguments[3])) {
    if (!convert.precision.empty()) one.rtol = 1e-2, one.atol = 1e-2;
    if (!only.empty() && std::find(only.begin(), only.end(), one.name) == only.end()) continue;
    if (!one.skip.empty() && only.empty()) {
      ++sums["skipped: " + one.skip];
      continue;
    }
    const Status status = run(one, directory + "/" + one.name, convert);
    ++sums[status.ok() ? "passed" : "failed"];
    if (!status.ok()) std::cout << "FAILED " << one.name << ": " << status.message << std::endl;
  }
  for (const auto& [what, sum] : sums) std::cout << sum << "\t" << what << "\n";
  return sums.contains("failed") ? 1 : 0;
}
