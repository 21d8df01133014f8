// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dump/choice/selection.h"
#include "dump/format/statistics.h"
#include "dump/writing/outlet.h"
#include "executor/observer.h"

namespace belay::dump {

using executor::RunInfo;
using executor::Tensor;

// A configuration as it was set: shared by all that dump by it.
struct Setting {
  DumpConfig config;
  std::shared_ptr<const DumpRoot> root;
  bool callback_only = false;  // what a callback gets that nobody configured: nothing goes to disk
};

// Makes files of operators' tensors: takes bytes or statistics on the stream's thread, hands them to the outlet. What
// goes wrong is counted as dropped; nothing gets out. Used by one thread at a time.
class TensorRecorder {
 public:
  // `in_batches`: somebody calls the outlet's write_batch() after the last of several files.
  explicit TensorRecorder(Outlet& outlet, bool in_batches = false) : outlet_(outlet), in_batches_(in_batches) {}

  // An operator's file. `inputs` or `outputs` may be left empty: then those have no part in it.
  void record(const Setting& setting, const std::string& directory, const RunInfo& run, const ChosenNode& chosen,
              std::span<const Tensor> inputs, std::span<const Tensor> outputs);
  // Before an operator runs that writes its results over inputs: takes the statistics of these, for the file that
  // record() makes of it afterwards.
  void measure_inputs(const Setting& setting, const ChosenNode& chosen, std::span<const Tensor> inputs);
  // The file of a Data operator that feeds an operator with these inputs.
  void record_data(const Setting& setting, const std::string& directory, const RunInfo& run, const ChosenData& chosen,
                   std::span<const Tensor> inputs);
  // Values were changed, or a new execution begins: what is known of them no longer holds.
  void forget_values();

 private:
  // One entry of a header, and the tensor whose bytes it describes.
  struct Entry {
    const Tensor* tensor;
    bool input;
    TensorEntry header;
    const graph::Constant* constant;
    const Statistics* measured;  // null: not known beforehand
    ValueKey value;
    bool stored;  // as of ChosenTensor
  };
  using Entries = std::vector<Entry>;
  // A copy of a tensor in row-major order that waits to be written.
  struct KnownCopy {
    size_t bytes;
    std::weak_ptr<const void> copy;
  };
  struct KnownStatistics {
    int64_t count;
    bool l2norm;
    Statistics values;
  };

  // What measure_inputs() took.
  struct Taken {
    const ChosenNode* of = nullptr;
    std::vector<std::pair<size_t, Statistics>> inputs;  // by port
    Status status;

    const Statistics* find(size_t port) const;
  };

  static uint64_t bytes_of(const Entries& entries);
  static void add_entry(Entries& entries, const Tensor& tensor, bool input, const ChosenTensor& chosen,
                        const Statistics* measured = nullptr);
  void emit(const Setting& setting, Place place, const std::string& name, uint64_t time, const Entries& entries);
  Status emit_tensors(Outgoing& item, const std::string& name, uint64_t time, const Entries& entries);
  void emit_statistics(Outgoing& item, const DumpConfig& config, const Entries& entries);

  // Adds what needs no copy; whether the entry did not.
  static bool add_constant(const Entry& entry, Piece& piece);
  bool add_known(const Entry& entry, Piece& piece) const;
  Status copy(const Entry& entry, BufferPool::Reservation& room, Piece& piece);
  Status stream_large(Outgoing& item, const Entries& entries);
  Statistics statistics_of(const Entry& entry, bool with_l2norm);
  void take_statistics(const Setting& setting, const ChosenNode& chosen, std::span<const Tensor> inputs);

  void submit(Outgoing item);

  Outlet& outlet_;
  const bool in_batches_;
  // Of this execution.
  std::unordered_map<ValueKey, KnownCopy, ValueKeyHash> copies_;
  std::unordered_map<ValueKey, KnownStatistics, ValueKeyHash> measured_;
  Taken taken_;  // of the node that runs
};

}  // namespace belay::dump
