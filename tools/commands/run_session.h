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
  std::string memory_limit;
  MemoryOptions memory;
};

// A loaded model and its datasets, by the calls that any AscendCL program makes. Failures are std::runtime_error.
class RunSession {
 public:
  explicit RunSession(const RunOptions& options);
  ~RunSession();

  // Milliseconds.
  double execute();
  double load_ms() const { return load_ms_; }
  std::vector<HostTensor> results() const;
  // With --memory; else null.
  const RunMemory* memory() const { return memory_.get(); }
  // What the file says that loading it takes.
  std::pair<size_t, size_t> work_and_weights() const;

 private:
  void add(aclmdlDataset* dataset, const void* host, size_t bytes);
  void fill_inputs();
  HostTensor make_input(size_t index, const GivenInputs& given);
  void describe(size_t index, const HostTensor& tensor);
  void give_outputs_memory();
  std::vector<int64_t> output_shape(size_t index) const;

  const RunOptions& options_;
  std::mt19937_64 random_;
  double load_ms_ = 0;
  uint32_t model_ = 0;
  aclmdlDesc* desc_ = nullptr;
  std::optional<Gear> gear_;
  aclrtStream stream_ = nullptr;  // with --memory
  std::unique_ptr<RunMemory> memory_;
  aclmdlDataset* inputs_ = aclmdlCreateDataset();
  aclmdlDataset* outputs_ = aclmdlCreateDataset();
};

}  // namespace belay::tools
