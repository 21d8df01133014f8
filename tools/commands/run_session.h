// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "commands/run_gear.h"
#include "commands/run_inputs.h"
#include "commands/run_memory.h"
#include "commands/tensor_io.h"

namespace belay::tools {

struct RunOptions {
  std::string model, dump, output_directory;
  std::vector<std::string> inputs, shapes;
  std::string gear;
  int repeat = 1, warmup = 0, threads = 0;
  double seconds = std::numeric_limits<double>::infinity();
  uint64_t seed = 0;
  bool json = false;
  bool profile = false;
  std::string trace;   // a file; empty: none
  std::string shadow;  // "fp64"; empty: none
  std::string memory_limit, memory_log;
  MemoryOptions memory;
};

// A loaded model and its datasets, by the calls that any AscendCL program makes. Failures are std::runtime_error; what
// was made until then is given back.
class RunSession {
 public:
  explicit RunSession(const RunOptions& options);

  // Milliseconds.
  double execute();
  double load_ms() const { return model_.load_ms; }
  std::vector<HostTensor> results() const;
  // With --memory; else null.
  const RunMemory* memory() const { return memory_.get(); }
  // What the file says that loading it takes.
  std::pair<size_t, size_t> work_and_weights() const;

 private:
  struct Library {
    explicit Library(const std::string& config);
    ~Library() { aclFinalize(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
  };
  struct Device {
    Device();
    ~Device() { aclrtResetDevice(0); }
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;
  };
  struct Model {
    explicit Model(const std::string& file);
    ~Model() { aclmdlUnload(id); }
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    uint32_t id = 0;
    double load_ms = 0;
  };
  struct Destroy {
    void operator()(aclmdlDesc* desc) const { aclmdlDestroyDesc(desc); }
    void operator()(aclmdlDataset* dataset) const;  // with its buffers and their memory
    void operator()(aclTensorDesc* desc) const { aclDestroyTensorDesc(desc); }
    void operator()(aclrtStream stream) const { aclrtDestroyStream(stream); }
  };
  using Dataset = std::unique_ptr<aclmdlDataset, Destroy>;

  void add(Dataset& dataset, const void* host, size_t bytes);
  void fill_inputs();
  HostTensor make_input(size_t index, const GivenInputs& given);
  void describe(size_t index, const HostTensor& tensor);
  void give_outputs_memory();
  std::vector<int64_t> output_shape(size_t index) const;

  const RunOptions& options_;
  std::mt19937_64 random_;
  // Given back in the opposite order.
  const Library library_;
  const Device device_;
  const Model model_;
  const std::unique_ptr<aclmdlDesc, Destroy> desc_{aclmdlCreateDesc()};
  std::optional<Gear> gear_;
  Dataset inputs_{aclmdlCreateDataset()}, outputs_{aclmdlCreateDataset()};
  std::unique_ptr<RunMemory> memory_;  // with --memory
  std::unique_ptr<void, Destroy> stream_;
};

}  // namespace belay::tools
