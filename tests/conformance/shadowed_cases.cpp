// SPDX-License-Identifier: Apache-2.0
// Executes models with BELAY_SHADOW on and looks into the tables: no output of an operator of ours may be off by more
// than src/exact permits. A model is a folder with model.om or model.onnx, or one whose name is given with --model, and
// input_<i>; a folder without a model stands for those below it that were converted. --nasty gives each model its
// inputs again, moved away from zero, and with every other one turned so that sums cancel. One line for each output
// that is off, the operators that could not be judged, and how much of what is permitted the others used.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "base/half.h"
#include "case_files.h"
#include "model_run.h"

namespace {

using namespace belay;
namespace fs = std::filesystem;

constexpr size_t name_column = 0, type_column = 1, share_column = 7, remark_column = 11, columns = 12;

// Fields without line ends in them, as names of operators and remarks are.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

struct Tally {
  std::vector<double> shares;
  std::map<std::string, int> refused;
  int wrong = 0, failed = 0;

  void read(const fs::path& table, const std::string& label) {
    std::ifstream file(table);
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      const auto fields = fields_of(line);
      if (fields.size() != columns) {
        ++failed;
        std::cout << "FAILED " << label << ": a line that cannot be read: " << line << "\n";
      } else if (!fields[remark_column].empty()) {
        const size_t why = fields[remark_column].find("checkable: ");
        ++refused[fields[type_column] + ": " +
                  (why == std::string::npos ? fields[remark_column] : fields[remark_column].substr(why + 11))];
      } else {
        shares.push_back(std::stod(fields[share_column]));
        if (shares.back() <= 1) continue;
        ++wrong;
        std::cout << "WRONG " << label << ": " << fields[type_column] << " " << fields[name_column] << " used "
                  << shares.back() << " of what is permitted" << std::endl;
      }
    }
  }

  void print() {
    std::ranges::sort(shares);
    for (const auto& [why, count] : refused) std::cout << count << "\tnot checkable: " << why << "\n";
    const auto part = [&](double p) { return shares[static_cast<size_t>(p * static_cast<double>(shares.size() - 1))]; };
    if (!shares.empty())
      std::cout << "share of what is permitted: median " << part(0.5) << ", 90 % " << part(0.9) << ", 99 % "
                << part(0.99) << ", most " << shares.back() << "\n";
    std::cout << shares.size() << " outputs judged, " << wrong << " wrong, " << failed << " failed\n";
  }
};

// Far from zero, each by 1000 times what it was; or by as much in turns to either side.
graph::Constant moved(const graph::Constant& given, bool turns) {
  graph::Constant made = given;
  if (given.type != graph::DataType::Float) return made;
  auto bytes = std::make_shared<std::vector<std::byte>>(given.bytes.begin(), given.bytes.end());
  auto* elements = reinterpret_cast<float*>(bytes->data());
  for (size_t i = 0; i < bytes->size() / sizeof(float); ++i)
    elements[i] = elements[i] + (turns && i % 2 ? -1000.0f : 1000.0f);
  made.bytes = *bytes;
  made.owner = std::move(bytes);
  return made;
}

std::set<fs::path> models_in(const fs::path& folder, const std::string& name) {
  if (fs::exists(folder / name)) return {folder};
  std::set<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / name)) models.insert(entry.path());
  return models;
}

void look_at(Tally& tally, const std::string& label, const fs::path& model, const std::vector<graph::Constant>& inputs,
             const fs::path& tables) {
  for (const auto& entry : fs::directory_iterator(tables)) fs::remove(entry.path());
  if (const auto run = run_model(model, inputs); !run.ok()) {
    ++tally.failed;
    std::cout << "FAILED " << label << ": " << run.status().message << std::endl;
  }
  for (const auto& entry : fs::directory_iterator(tables)) tally.read(entry.path(), label);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::cerr << "usage: shadowed_cases [--model=NAME] [--nasty] FOLDER...\n", 2;
  std::string name = "model.om";
  bool nasty = false;
  fs::path tables = fs::temp_directory_path() / "belay-shadowed-XXXXXX";
  std::string pattern = tables.string();
  if (!mkdtemp(pattern.data())) return std::cerr << "no temporary directory\n", 2;
  tables = pattern;
  setenv("BELAY_SHADOW", tables.c_str(), 1);
  Tally tally;
  {
    const AclSession session;
    for (int i = 1; i < count; ++i) {
      const std::string argument = arguments[i];
      if (argument == "--nasty") {
        nasty = true;
      } else if (argument.starts_with("--model=")) {
        name = argument.substr(8);
      } else {
        for (const fs::path& folder : models_in(argument, name)) {
          const auto inputs = read_tensors(folder / "input");
          if (!inputs.ok()) continue;
          look_at(tally, folder.string(), folder / name, *inputs, tables);
          for (const bool turns : {false, true}) {
            if (!nasty) break;
            std::vector<graph::Constant> others;
            for (const graph::Constant& input : *inputs) others.push_back(moved(input, turns));
            look_at(tally, folder.string() + (turns ? " (turning)" : " (far)"), folder / name, others, tables);
          }
        }
      }
    }
  }
  fs::remove_all(tables);
  tally.print();
  return tally.wrong > 0 || tally.failed > 0 || tally.shares.empty();
}
