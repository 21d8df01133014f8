// SPDX-License-Identifier: Apache-2.0
// belay run: executes a model once or many times, as any AscendCL program would.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "acl/acl.h"
#include "acl/acl_dump.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/run_memory.h"
#include "commands/tensor_io.h"

namespace belay::tools {
namespace {

struct RunOptions {
  std::string model, dump, output_directory;
  std::vector<std::string> inputs, shapes;
  int repeat = 1, warmup = 0, threads = 0;
  uint64_t seed = 0, batch = 0;
  bool json = false;
  std::string memory_limit;
  MemoryOptions memory;
};

// Ends the command: the message has been written for a person.
struct RunError {
  std::string what;
};

void check(aclError code, const char* call) {
  if (code == ACL_SUCCESS) return;
  const char* why = aclGetRecentErrMsg();
  throw RunError{std::string(call) + " returned " + std::to_string(code) + (why ? std::string("\n") + why : "")};
}
#define CHECK(call) check(call, #call)

// The model and its datasets, until the end of the command.
class Session {
 public:
  explicit Session(const RunOptions& options) : options_(options) {
    CHECK(aclInit(options.dump.empty() ? nullptr : options.dump.c_str()));
    CHECK(aclrtSetDevice(0));
    const auto start = std::chrono::steady_clock::now();
    CHECK(aclmdlLoadFromFile(options.model.c_str(), &model_));
    load_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    desc_ = aclmdlCreateDesc();
    CHECK(aclmdlGetDesc(desc_, model_));
    fill_inputs();
    for (size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i)
      add(outputs_, nullptr, aclmdlGetOutputSizeByIndex(desc_, i));
    choose_gear();
    if (!options.memory.shown) return;
    CHECK(aclrtCreateStream(&stream_));
    memory = std::make_unique<RunMemory>(stream_, options.memory);
    give_outputs_memory();
  }

  ~Session() {
    if (stream_) aclrtDestroyStream(stream_);
    memory.reset();
    for (aclmdlDataset* dataset : {inputs_, outputs_}) {
      for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(dataset); ++i) {
        aclDataBuffer* buffer = aclmdlGetDatasetBuffer(dataset, i);
        if (void* memory = aclGetDataBufferAddr(buffer)) aclrtFree(memory);
        aclDestroyDataBuffer(buffer);
      }
      aclmdlDestroyDataset(dataset);
    }
    aclmdlDestroyDesc(desc_);
    aclmdlUnload(model_);
    aclrtResetDevice(0);
    aclFinalize();
  }

  double execute() {
    const auto start = std::chrono::steady_clock::now();
    if (memory) {
      CHECK(aclmdlExecuteAsync(model_, inputs_, outputs_, stream_));
      CHECK(aclrtSynchronizeStream(stream_));
    } else {
      CHECK(aclmdlExecute(model_, inputs_, outputs_));
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  std::vector<HostTensor> results() const {
    std::vector<HostTensor> tensors;
    for (size_t i = 0; i < aclmdlGetNumOutputs(desc_); ++i) {
      HostTensor tensor;
      tensor.name = aclmdlGetOutputNameByIndex(desc_, i);
      tensor.type = aclmdlGetOutputDataType(desc_, i);
      tensor.shape = output_shape(i);
      tensor.bytes.resize(tensor.byte_size());
      aclDataBuffer* buffer = aclmdlGetDatasetBuffer(outputs_, i);
      if (!tensor.bytes.empty())
        CHECK(aclrtMemcpy(tensor.bytes.data(), tensor.bytes.size(), aclGetDataBufferAddr(buffer), tensor.bytes.size(),
                          ACL_MEMCPY_DEVICE_TO_HOST));
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  // What the file says that loading it takes.
  std::pair<size_t, size_t> work_and_weights() const {
    size_t work = 0, weights = 0;
    CHECK(aclmdlQuerySize(options_.model.c_str(), &work, &weights));
    return {work, weights};
  }

  double load_ms = 0;
  std::unique_ptr<RunMemory> memory;  // with --memory

 private:
  // An asynchronous execution does not allocate outputs whose size is not known before: the first is synchronous.
  void give_outputs_memory() {
    bool missing = false;
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(outputs_); ++i)
      missing |= aclGetDataBufferSizeV2(aclmdlGetDatasetBuffer(outputs_, i)) == 0;
    if (missing) CHECK(aclmdlExecute(model_, inputs_, outputs_));
  }

  void add(aclmdlDataset* dataset, const void* host, size_t bytes) {
    void* device = nullptr;
    if (bytes > 0) {
      CHECK(aclrtMalloc(&device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
      if (host) CHECK(aclrtMemcpy(device, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    CHECK(aclmdlAddDatasetBuffer(dataset, aclCreateDataBuffer(device, bytes)));
  }

  void fill_inputs() {
    std::mt19937_64 random(options_.seed);
    for (size_t i = 0; i < aclmdlGetNumInputs(desc_); ++i) {
      HostTensor tensor;
      tensor.name = aclmdlGetInputNameByIndex(desc_, i);
      tensor.type = aclmdlGetInputDataType(desc_, i);
      aclmdlIODims dims;
      CHECK(aclmdlGetInputDims(desc_, i, &dims));
      tensor.shape.assign(dims.dims, dims.dims + dims.dimCount);
      const bool dynamic = std::any_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t dim) { return dim < 0; });
      if (dynamic) tensor.shape = given_shape(tensor);
      if (const std::string file = given_file(tensor.name, i); !file.empty())
        tensor = read_tensor(file, tensor);
      else
        fill_random(tensor, random);
      const size_t bytes = std::max(tensor.bytes.size(), aclmdlGetInputSizeByIndex(desc_, i));
      tensor.bytes.resize(bytes);
      add(inputs_, tensor.bytes.data(), bytes);
      if (dynamic && tensor.name != ACL_DYNAMIC_TENSOR_NAME) describe(i, tensor);
    }
  }

  void describe(size_t index, const HostTensor& tensor) {
    aclTensorDesc* desc = aclCreateTensorDesc(tensor.type, static_cast<int>(tensor.shape.size()), tensor.shape.data(),
                                              aclmdlGetInputFormat(desc_, index));
    CHECK(aclmdlSetDatasetTensorDesc(inputs_, desc, index));
    aclDestroyTensorDesc(desc);
  }

  void choose_gear() {
    size_t index = 0;
    if (options_.batch == 0 || aclmdlGetInputIndexByName(desc_, ACL_DYNAMIC_TENSOR_NAME, &index) != ACL_SUCCESS) return;
    CHECK(aclmdlSetDynamicBatchSize(model_, inputs_, index, options_.batch));
  }

  // --shape name:1,3,224,224
  std::vector<int64_t> given_shape(const HostTensor& tensor) const {
    for (const std::string& text : options_.shapes) {
      const size_t colon = text.rfind(':');
      if (colon != std::string::npos && text.substr(0, colon) == tensor.name) return parse_dims(text.substr(colon + 1));
    }
    std::vector<int64_t> shape = tensor.shape;
    for (int64_t& dim : shape) dim = dim < 0 ? 1 : dim;
    return shape;
  }

  // --input FILE in order, or --input name=FILE.
  std::string given_file(const std::string& name, size_t index) const {
    size_t position = 0;
    for (const std::string& text : options_.inputs) {
      const size_t equals = text.find('=');
      if (equals != std::string::npos && text.substr(0, equals) == name) return text.substr(equals + 1);
      if (equals == std::string::npos && position++ == index) return text;
    }
    return "";
  }

  std::vector<int64_t> output_shape(size_t index) const {
    if (const aclTensorDesc* desc = aclmdlGetDatasetTensorDesc(outputs_, index)) {
      std::vector<int64_t> shape(aclGetTensorDescNumDims(desc));
      for (size_t i = 0; i < shape.size(); ++i) CHECK(aclGetTensorDescDimV2(desc, i, &shape[i]));
      return shape;
    }
    aclmdlIODims dims;
    CHECK(aclmdlGetCurOutputDims(desc_, index, &dims));
    return {dims.dims, dims.dims + dims.dimCount};
  }

  const RunOptions& options_;
  uint32_t model_ = 0;
  aclmdlDesc* desc_ = nullptr;
  aclrtStream stream_ = nullptr;  // with --memory
  aclmdlDataset* inputs_ = aclmdlCreateDataset();
  aclmdlDataset* outputs_ = aclmdlCreateDataset();
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void print_results(const std::vector<HostTensor>& results) {
  for (const HostTensor& tensor : results) {
    const Summary summary = summarize(tensor);
    std::printf("  %-40s %-9s %-20s min %-12.6g max %-12.6g mean %.6g\n", tensor.name.c_str(), type_name(tensor.type),
                dims_text(tensor.shape).c_str(), summary.min, summary.max, summary.mean);
  }
}

nlohmann::json as_json(const std::vector<HostTensor>& results) {
  nlohmann::json outputs = nlohmann::json::array();
  for (const HostTensor& tensor : results) {
    const Summary summary = summarize(tensor);
    outputs.push_back({{"name", tensor.name},
                       {"type", type_name(tensor.type)},
                       {"shape", tensor.shape},
                       {"min", summary.min},
                       {"max", summary.max},
                       {"mean", summary.mean}});
  }
  return outputs;
}

void run(const RunOptions& options) {
  if (options.threads > 0) setenv("BELAY_NUM_THREADS", std::to_string(options.threads).c_str(), 1);
  auto session = std::make_unique<Session>(options);
  for (int i = 0; i < options.warmup; ++i) session->execute();
  std::vector<double> times;
  for (int i = 0; i < options.repeat; ++i) times.push_back(session->execute());
  const auto results = session->results();
  if (!options.output_directory.empty()) {
    std::filesystem::create_directories(options.output_directory);
    for (size_t i = 0; i < results.size(); ++i)
      write_npy(options.output_directory + "/output_" + std::to_string(i) + ".npy", results[i]);
  }
  const double load_ms = session->load_ms;
  nlohmann::json memory;
  std::string memory_text;
  if (session->memory) {
    const auto [work, weights] = session->work_and_weights();
    memory = session->memory->json();
    memory["work_bytes"] = work;
    memory["weight_bytes"] = weights;
    memory_text =
        "memory: " + size_text(weights) + " of weights, " + size_text(work) + " to work in; " + session->memory->text();
  }
  const char* configured = acldumpGetPath(DATA_DUMP);
  const std::string dump = configured ? configured : "";
  session.reset();  // afterwards every file of the dump is there
  const bool dumped = !dump.empty() && std::filesystem::exists(dump);
  const double least = *std::min_element(times.begin(), times.end());
  if (options.json) {
    nlohmann::json report{{"model", options.model},     {"load_ms", load_ms}, {"runs", options.repeat},
                          {"median_ms", median(times)}, {"min_ms", least},    {"outputs", as_json(results)}};
    if (!memory.is_null()) report["memory"] = memory;
    if (!dump.empty()) report["dump"] = dumped ? nlohmann::json(dump) : nlohmann::json();
    std::printf("%s\n", report.dump(2).c_str());
    return;
  }
  std::printf("%s: loaded in %.1f ms; %d run%s, median %.3f ms, least %.3f ms\n", options.model.c_str(), load_ms,
              options.repeat, options.repeat == 1 ? "" : "s", median(times), least);
  print_results(results);
  if (!memory_text.empty()) std::printf("%s\n", memory_text.c_str());
  if (dumped)
    std::printf("dump in %s\n", dump.c_str());
  else if (!dump.empty())
    std::printf("nothing was dumped: the configuration chose nothing here; ASCEND_SLOG_PRINT_TO_STDOUT=1 shows why\n");
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("run", "runs an .om or .onnx model and shows its outputs and the time it took");
  auto options = std::make_shared<RunOptions>();
  command->add_option("model", options->model, "an .om or .onnx file")->required();
  command->add_option("--input", options->inputs, "a .npy or .bin file for each input in order, or NAME=FILE");
  command->add_option("--shape", options->shapes, "NAME:1,3,224,224 for an input with dynamic dimensions");
  command->add_option("--batch", options->batch, "the gear of a model with several batch sizes");
  command->add_option("--dump", options->dump, "an acl.json for aclInit");
  command->add_option("--repeat", options->repeat, "how often to run")->check(CLI::PositiveNumber);
  command->add_option("--warmup", options->warmup, "runs before the clock starts")->check(CLI::NonNegativeNumber);
  command->add_option("--threads", options->threads, "cores to use (BELAY_NUM_THREADS)");
  command->add_option("--seed", options->seed, "of the random inputs");
  command->add_option("-o,--output", options->output_directory, "a folder for the outputs as .npy files");
  command->add_flag("--json", options->json, "print JSON");
  auto* memory =
      command->add_flag("--memory", options->memory.shown, "run on a stream with an allocator that is counted");
  command->add_option("--memory-limit", options->memory_limit, "the most that this allocator gives, such as 64M")
      ->needs(memory);
  command->add_option("--memory-log", options->memory.log, "a .csv file with each of its calls")->needs(memory);
  command->callback([options, &exit_code] {
    try {
      if (!options->memory_limit.empty()) {
        const auto limit = parse_size(options->memory_limit);
        if (!limit || *limit == 0) throw RunError{"--memory-limit must be a size such as 64M"};
        options->memory.limit = *limit;
      }
      run(*options);
      exit_code = kAgree;
    } catch (const RunError& error) {
      std::fprintf(stderr, "belay run: %s\n", error.what.c_str());
      exit_code = kBadInput;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "belay run: %s\n", error.what());
      exit_code = kBadInput;
    }
  });
}

}  // namespace belay::tools
