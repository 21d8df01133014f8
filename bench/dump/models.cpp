// SPDX-License-Identifier: Apache-2.0
// What dumping costs. Times a model with several kinds of dump, up to the moment when everything is in its files, in
// turns with the same model without a dump: execution by execution, or all of a round where tensors are written,
// because that may go on beside the next execution. And a plain program that writes the same bytes into as many files.
// Ratios are of neighbours, so that a machine that is slower for a while spoils none.
//
// usage: bench_dump_models MODEL DIRECTORY [ROUNDS] [EXECUTIONS] [ONLY THIS MODE]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_dump.h"

namespace {

namespace fs = std::filesystem;

void check(aclError code, const char* call) {
  if (code == ACL_SUCCESS) return;
  const char* why = aclGetRecentErrMsg();
  std::fprintf(stderr, "%s returned %d\n%s\n", call, code, why ? why : "");
  std::exit(1);
}
#define CHECK(call) check(call, #call)

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// A loaded model with its buffers.
class Model {
 public:
  explicit Model(const char* path) {
    CHECK(aclmdlLoadFromFile(path, &id_));
    aclmdlDesc* desc = aclmdlCreateDesc();
    CHECK(aclmdlGetDesc(desc, id_));
    for (size_t i = 0; i < aclmdlGetNumInputs(desc); ++i) add(inputs_, aclmdlGetInputSizeByIndex(desc, i));
    for (size_t i = 0; i < aclmdlGetNumOutputs(desc); ++i) add(outputs_, aclmdlGetOutputSizeByIndex(desc, i));
    aclmdlDestroyDesc(desc);
  }
  ~Model() {
    for (aclmdlDataset* dataset : {inputs_, outputs_}) {
      for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
        aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
        aclrtFree(aclGetDataBufferAddr(buffer));
        aclDestroyDataBuffer(buffer);
      }
      aclmdlDestroyDataset(dataset);
    }
    aclmdlUnload(id_);
  }
  void run() { CHECK(aclmdlExecute(id_, inputs_, outputs_)); }

 private:
  static void add(aclmdlDataset* dataset, size_t bytes) {
    void* memory = nullptr;
    CHECK(aclrtMalloc(&memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
    auto* floats = static_cast<float*>(memory);
    for (size_t i = 0; i < bytes / sizeof(float); ++i) floats[i] = static_cast<float>(i % 255) / 255;
    CHECK(aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(memory, bytes)));
  }

  uint32_t id_ = 0;
  aclmdlDataset *inputs_ = aclmdlCreateDataset(), *outputs_ = aclmdlCreateDataset();
};

struct Mode {
  const char* name;
  const char* section;              // without dump_path; null: no dump
  const char* steps = "2-1000000";  // not the executions that warm up
  bool tensors = false;
};
constexpr Mode modes[] = {
    {"off", nullptr},
    {"matching nothing", R"("dump_list":[{"layer":["no such operator"]}])"},
    {"other steps", R"("dump_list":[{}],"dump_mode":"all")", "1000000"},
    {"overflow, none", R"("dump_debug":"on")"},
    {"stats all", R"("dump_list":[{}],"dump_mode":"all","dump_data":"stats")"},
    {"tensor output", R"("dump_list":[{}],"dump_mode":"output")", "2-1000000", true},
    {"tensor all", R"("dump_list":[{}],"dump_mode":"all")", "2-1000000", true},
};

struct Files {
  std::vector<size_t> sizes;
  size_t bytes = 0;
};

Files files_below(const fs::path& directory) {
  Files found;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) found.sizes.push_back(entry.file_size()), found.bytes += entry.file_size();
  return found;
}

// Milliseconds, and their ratios to what was timed beside them.
struct Measured {
  std::vector<double> spent, plain, of_inference, of_both;
  Files files;
};

double time_run(Model& model) {
  const double begin = now_ms();
  model.run();
  return now_ms() - begin;
}

struct Pair {
  double alone, spent;
};

// Milliseconds of executions: without a dump, and with one and its share of waiting for the files. One pair for each;
// of tensors one for all.
std::vector<Pair> time_both(Model& plain, const Mode& mode, const char* model_path, const fs::path& directory,
                            int executions) {
  CHECK(aclmdlInitDump());
  if (mode.section) {
    const fs::path config = directory / "acl.json";
    std::ofstream(config) << R"({"dump":{"dump_path":")" << (directory / "d").string() << "\"," << mode.section
                          << R"(,"dump_step":")" << mode.steps << R"("}})";
    CHECK(aclmdlSetDump(config.c_str()));
  }
  Model dumped(model_path);
  for (int i = 0; i < 2; ++i) plain.run(), dumped.run();
  std::vector<Pair> times;
  if (mode.tensors) {
    Pair sum{};
    for (int i = 0; i < executions; ++i) sum.alone += time_run(plain) / executions;
    for (int i = 0; i < executions; ++i) sum.spent += time_run(dumped) / executions;
    times.push_back(sum);
  } else {
    for (int i = 0; i < executions; ++i) {
      const double alone = time_run(plain);
      times.push_back({alone, time_run(dumped)});
    }
  }
  const double begin = now_ms();
  CHECK(aclmdlFinalizeDump());
  const double share = (now_ms() - begin) / executions;
  for (Pair& pair : times) pair.spent += share;
  return times;
}

// The same bytes in as many files, by open, write, close.
double time_plain_writes(const Files& files, const fs::path& directory, int executions) {
  const size_t largest = files.sizes.empty() ? 1 : *std::max_element(files.sizes.begin(), files.sizes.end());
  const std::vector<char> content(largest, 1);
  const double begin = now_ms();
  for (size_t i = 0; i < files.sizes.size(); ++i) {
    const int file = open((directory / std::to_string(i)).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (size_t at = 0; at < files.sizes[i];) {
      const ssize_t written = write(file, content.data(), files.sizes[i] - at);
      if (written <= 0) std::exit(1);
      at += static_cast<size_t>(written);
    }
    close(file);
  }
  return (now_ms() - begin) / executions;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const char* model_path = arguments[1];
  const fs::path directory = fs::absolute(arguments[2]);
  const int rounds = count > 3 ? std::atoi(arguments[3]) : 5, executions = count > 4 ? std::atoi(arguments[4]) : 4;
  const std::string only = count > 5 ? arguments[5] : "";
  const auto left_out = [&](const Mode& mode) { return mode.section && !only.empty() && only != mode.name; };
  const auto renew = [&] {
    fs::remove_all(directory / "d");
    fs::create_directories(directory / "d");
  };
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  std::map<std::string, Measured> measured;
  Model plain_model(model_path);
  for (int round = 0; round <= rounds; ++round) {  // the first one warms up
    for (const Mode& mode : modes) {
      if (left_out(mode)) continue;
      Measured& all = measured[mode.name];
      renew();
      const auto times = time_both(plain_model, mode, model_path, directory, executions);
      all.files = files_below(directory / "d");
      renew();
      const double plain = all.files.bytes ? time_plain_writes(all.files, directory / "d", executions) : 0;
      if (round == 0) continue;
      all.plain.push_back(plain);
      for (const Pair& pair : times) {
        all.spent.push_back(pair.spent);
        all.of_inference.push_back(pair.spent / pair.alone);
        all.of_both.push_back(pair.spent / (pair.alone + plain));
      }
    }
  }
  fs::remove_all(directory);
  std::printf("%s, medians of %d rounds of %d executions\n", model_path, rounds, executions);
  for (const Mode& mode : modes) {
    if (left_out(mode)) continue;
    const Measured& all = measured[mode.name];
    std::printf("  %-18s %8.2f ms  %5.3f of inference alone", mode.name, median(all.spent), median(all.of_inference));
    if (all.files.bytes > 0)
      std::printf("  %5.3f of inference + plain writes (%.2f ms; %zu files, %.1f MB)", median(all.of_both),
                  median(all.plain), all.files.sizes.size() / executions,
                  static_cast<double>(all.files.bytes) / executions / 1e6);
    std::printf("\n");
  }
  aclrtResetDevice(0);
  aclFinalize();
}
