// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/content.h"
#include "report/verdict.h"

namespace belay::report {

// What a folder of dumps holds so far, told piece by piece. One thread looks for new files; any thread asks.
class LiveReport {
 public:
  // `model` may be null; with it executions that are over are examined (blame).
  LiveReport(std::filesystem::path folder, std::shared_ptr<const graph::Model> model, std::filesystem::path model_path);

  // Takes in the files that are new. False: there was nothing. Damaged ones become notes.
  bool look();
  // Nothing will come any more: what is left is examined, and pages are told.
  void end();
  // Lets go of whoever waits for news.
  void release();

  // The size of a file and when it was written last, or nothing when it is not there.
  using Stamp = std::optional<std::pair<uintmax_t, std::filesystem::file_time_type>>;

  // How much a page has been told.
  struct Known {
    size_t operators = 0, tensors = 0;
    uint64_t revision = 0, drawing = 0;
  };
  // What it does not know yet, as JSON; very much comes in parts. Waits for some seconds when there is nothing.
  std::string news(const Known& known);
  // The histograms and the picture of a tensor as `packed` has them; of a statistics file there are none.
  std::string detail(size_t tensor) const;
  // Whether everybody who asked in the last seconds knows the end.
  bool everybody_knows() const;

 private:
  struct Place {  // of a tensor
    std::filesystem::path file;
    bool input = false;
    size_t index = 0;
  };

  struct Seen {  // of a file
    bool taken = false;
    Stamp stamp, tried;  // at the latest look, and when it could not be read
  };

  bool take_if_new(const inspect::FoundDump& found);
  Status take(const inspect::FoundDump& found);
  void take_overflow(const inspect::FoundDump& found, const std::vector<inspect::FoundDump>& dumps);
  void link(const std::vector<std::pair<uint64_t, bool>>& addresses, size_t op);
  void examine_one();
  void draw();
  void changed();  // with mutex_ held
  // With mutex_ held.
  Verdict verdict() const;
  Json verdict_json() const, notes() const;

  const std::filesystem::path folder_, model_path_;
  const std::shared_ptr<const graph::Model> model_;
  // Of the looking thread.
  std::map<std::filesystem::path, Seen> known_;
  std::set<std::filesystem::path> not_finite_;  // executions without inputs in which an output was not finite
  std::map<uint64_t, std::pair<size_t, size_t>> written_;  // by address: the operator and its output
  std::vector<inspect::FoundDump> waiting_;                // Opdebug files whose operator's file is not there yet
  std::map<std::filesystem::path, bool> executions_;       // whether they have been examined
  std::filesystem::path latest_;                           // the execution that the latest file is of
  std::chrono::steady_clock::time_point taken_;            // when it was found
  bool ending_ = false;
  std::set<std::pair<size_t, size_t>> linked_;
  Layout layout_;
  size_t drawn_operators_ = 0, drawn_links_ = 0;
  std::chrono::steady_clock::time_point next_drawing_;

  mutable std::mutex mutex_;
  std::condition_variable change_;
  // Guarded by mutex_.
  Network network_;
  std::vector<std::string> operators_, tensors_;  // as JSON
  std::vector<Place> places_;
  std::vector<std::string> steps_, notes_;
  std::map<std::filesystem::path, std::string> damaged_;  // why a file could not be read so far
  std::set<size_t> with_tensors_;                         // operators that tensors are known of
  bool sequence_ = false;                                 // of the drawing
  std::map<std::filesystem::path, size_t> step_of_;
  inspect::OverflowReport overflow_;
  std::optional<blame::Report> blame_;
  std::string drawing_json_ = "{}";
  uint64_t revision_ = 1, drawing_ = 0;
  bool ended_ = false;
  std::chrono::steady_clock::time_point told_before_, told_end_;  // when a page was last told; that it is the end

  std::atomic<bool> released_ = false;
};

}  // namespace belay::report
