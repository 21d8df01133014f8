// SPDX-License-Identifier: Apache-2.0
// Executes models with every number of threads below, far more than there are processors among them, and compares the
// bits of the outputs with those that one thread gives. A model is a folder with model.om or model.onnx and input_<i>;
// a folder without a model stands for those below it that were converted. One line for each that fails, and the sums.
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/text.h"
#include "case_files.h"
#include "model_run.h"

namespace {

using namespace belay;
namespace fs = std::filesystem;

constexpr int counts[] = {2, 3, 4, 5, 7, 8, 11, 12, 16, 24, 33, 64, 128};

Result<std::vector<graph::Constant>> run_with(int threads, const std::string& model,
                                              const std::vector<graph::Constant>& inputs) {
  setenv("BELAY_NUM_THREADS", std::to_string(threads).c_str(), 1);
  return run_model(model, inputs);
}

Status compare(int threads, const std::vector<graph::Constant>& one, const std::vector<graph::Constant>& many) {
  for (size_t i = 0; i < one.size(); ++i) {
    const auto a = one[i].bytes, b = many[i].bytes;
    if (one[i].shape != many[i].shape || a.size() != b.size())
      return {ACL_ERROR_FAILURE, formatted("output {} has another shape with {} threads", i, threads)};
    if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0) continue;
    size_t at = 0;
    while (a[at] == b[at]) ++at;
    return {ACL_ERROR_FAILURE, formatted("output {} has other bits with {} threads, from byte {} on", i, threads, at)};
  }
  return {};
}

bool is_converted(const fs::path& folder) { return fs::exists(folder / "model.om"); }

Status check(const fs::path& folder) {
  const fs::path model = folder / (is_converted(folder) ? "model.om" : "model.onnx");
  const auto inputs = TRY(read_tensors(folder / "input"));
  const auto one = TRY(run_with(1, model, inputs));
  for (const int threads : counts) TRY(compare(threads, one, TRY(run_with(threads, model, inputs))));
  return {};
}

std::set<fs::path> models_in(const fs::path& folder) {
  if (is_converted(folder) || fs::exists(folder / "model.onnx")) return {folder};
  std::set<fs::path> models;
  for (const auto& entry : fs::directory_iterator(folder))
    if (is_converted(entry.path())) models.insert(entry.path());
  return models;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) return std::cerr << "usage: thread_counts FOLDER...\n", 2;
  const AclSession session;
  int passed = 0, failed = 0;
  for (int i = 1; i < count; ++i)
    for (const fs::path& folder : models_in(arguments[i])) {
      const Status status = check(folder);
      ++(status.ok() ? passed : failed);
      if (!status.ok()) std::cout << "FAILED " << folder.string() << ": " << status.message << std::endl;
    }
  std::cout << passed << " passed, " << failed << " failed\n";
  return passed == 0 || failed > 0;
}
