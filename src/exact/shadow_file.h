// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "exact/shadow.h"

namespace belay::exact {

// Those that lose most precision first: by what they added, then by the share of the permitted error that they used.
std::vector<ShadowRow> by_loss(std::vector<ShadowRow> rows);

// The table as a .csv file, with a line of names.
std::string shadow_csv(const std::vector<ShadowRow>& rows);

// A shadow whose table is written after each execution: shadow_<model>_<model id>.csv.
class ShadowFile final : public executor::Observer {
 public:
  // `directory` is asked for each time; it need not exist.
  ShadowFile(std::string name, std::shared_ptr<const graph::Model> model, std::function<std::string()> directory)
      : name_(std::move(name)), directory_(std::move(directory)), shadow_(std::move(model)) {}

  bool wants(const graph::Node& node) const override { return shadow_.wants(node); }
  void ran(const executor::RunInfo& run, const graph::Node& node, std::span<const executor::Tensor> inputs,
           std::span<const executor::Tensor> outputs) override;
  void ends(const executor::RunInfo& run) override;

 private:
  const std::string name_;
  const std::function<std::string()> directory_;
  Shadow shadow_;
};

// Why a table could not be written, since this was asked for last; success when all were.
Status take_shadow_loss();

}  // namespace belay::exact
