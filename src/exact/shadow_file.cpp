// SPDX-License-Identifier: Apache-2.0
#include "exact/shadow_file.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

#include "base/files/atomic_file.h"
#include "base/log/log.h"
#include "base/text.h"
#include "dump/format/csv.h"

namespace belay::exact {
namespace {

struct Loss {
  std::mutex mutex;
  Status status;
};
Loss& loss() {
  static auto* one = new Loss;
  return *one;
}

void lose(Status status) {
  status.message = "BELAY_SHADOW: " + status.message;
  log_warning(LogModule::Ge, "{}", status.message);
  const std::lock_guard lock(loss().mutex);
  if (loss().status.ok()) loss().status = std::move(status);
}

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string file_name(const std::string& model) {
  std::string name = model;
  for (char& c : name)
    if (c == '/' || c == ' ') c = '_';
  return name;
}

}  // namespace

std::vector<ShadowRow> by_loss(std::vector<ShadowRow> rows) {
  std::ranges::stable_sort(rows, [](const ShadowRow& a, const ShadowRow& b) {
    if (a.refusal.empty() != b.refusal.empty()) return a.refusal.empty();
    if ((a.share > 1) != (b.share > 1)) return a.share > 1;
    if (a.added != b.added) return a.added > b.added;
    return a.share > b.share;
  });
  return rows;
}

std::string shadow_csv(const std::vector<ShadowRow>& rows) {
  std::string text =
      "Op Name,Op Type,Output,Data Type,Runs,Added Relative Error,Own Error,Share Of Allowed,Worst Element,"
      "True Relative Error,True Error,Remark\n";
  for (const ShadowRow& row : rows)
    text += formatted("{},{},{},{},{},{},{},{},{},{},{},{}\n", dump::csv_field(row.name), dump::csv_field(row.type),
                      row.output, row.stored, row.runs, number(row.added), number(row.own_error), number(row.share),
                      row.worst, number(row.relative), number(row.true_error), dump::csv_field(row.refusal));
  return text;
}

void ShadowFile::ran(const executor::RunInfo& run, const graph::Node& node, std::span<const executor::Tensor> inputs,
                     std::span<const executor::Tensor> outputs) {
  shadow_.ran(run, node, inputs, outputs);
}

void ShadowFile::ends(const executor::RunInfo& run) {
  const std::string directory = directory_();
  std::error_code ignored;
  std::filesystem::create_directories(directory, ignored);
  const std::string path = formatted("{}/shadow_{}_{}.csv", directory, file_name(name_), run.model_id);
  if (Status written = write_file(path, shadow_csv(by_loss(shadow_.rows()))); !written.ok()) lose(std::move(written));
}

Status take_shadow_loss() {
  const std::lock_guard lock(loss().mutex);
  return std::exchange(loss().status, {});
}

}  // namespace belay::exact
