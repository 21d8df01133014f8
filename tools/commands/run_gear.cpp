// SPDX-License-Identifier: Apache-2.0
#include "commands/run_gear.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

#include "commands/acl_check.h"
#include "commands/tensor_io.h"

namespace belay::tools {
namespace {

constexpr size_t kAllInputs = static_cast<size_t>(-1);

// The dimensions of all inputs but the one that tells the gear, one after the other.
std::vector<int64_t> all_dims(const aclmdlDesc* desc, size_t gear_input) {
  std::vector<int64_t> all;
  for (size_t i = 0; i < aclmdlGetNumInputs(const_cast<aclmdlDesc*>(desc)); ++i) {
    if (i == gear_input) continue;
    aclmdlIODims dims;
    CHECK(aclmdlGetInputDims, desc, i, &dims);
    all.insert(all.end(), dims.dims, dims.dims + dims.dimCount);
  }
  return all;
}

int64_t volume(const std::vector<int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), int64_t{1}, std::multiplies<>());
}

// Asking for the name of an input that may not be there would leave an error in the log and before later ones.
std::optional<size_t> gear_input(aclmdlDesc* desc) {
  for (size_t i = 0; i < aclmdlGetNumInputs(desc); ++i)
    if (aclmdlGetInputNameByIndex(desc, i) == std::string_view(ACL_DYNAMIC_TENSOR_NAME)) return i;
  return std::nullopt;
}

}  // namespace

std::vector<Gear::Choice> Gear::choices(aclmdlDesc* desc, Kind& kind) {
  std::vector<Choice> choices;
  aclmdlBatch batch{};
  CHECK(aclmdlGetDynamicBatch, desc, &batch);
  for (size_t i = 0; i < batch.batchCount; ++i) choices.push_back({{static_cast<int64_t>(batch.batch[i])}});
  kind = Kind::Batch;
  if (!choices.empty()) return choices;
  aclmdlHW image{};
  CHECK(aclmdlGetDynamicHW, desc, kAllInputs, &image);
  for (size_t i = 0; i < image.hwCount; ++i)
    choices.push_back({{static_cast<int64_t>(image.hw[i][0]), static_cast<int64_t>(image.hw[i][1])}});
  kind = Kind::Image;
  if (!choices.empty()) return choices;
  kind = Kind::Dims;
  size_t count = 0, index = 0;
  CHECK(aclmdlGetInputDynamicGearCount, desc, kAllInputs, &count);
  CHECK(aclmdlGetInputIndexByName, desc, ACL_DYNAMIC_TENSOR_NAME, &index);
  std::vector<aclmdlIODims> dims(count);
  CHECK(aclmdlGetInputDynamicDims, desc, kAllInputs, dims.data(), count);
  const std::vector<int64_t> declared = all_dims(desc, index);
  for (const aclmdlIODims& one : dims) {
    Choice& choice = choices.emplace_back(Choice{{}, one});
    for (size_t i = 0; i < one.dimCount && i < declared.size(); ++i)
      if (declared[i] < 0) choice.values.push_back(one.dims[i]);
  }
  return choices;
}

std::optional<Gear> Gear::choose(aclmdlDesc* desc, const std::vector<int64_t>& wanted) {
  const std::optional<size_t> index = gear_input(desc);
  if (!index) {
    if (!wanted.empty()) throw std::runtime_error("--gear: the model was not converted with gears");
    return std::nullopt;
  }
  Kind kind;
  std::vector<Choice> there = choices(desc, kind);
  if (wanted.empty()) {
    const auto smaller = [](const Choice& a, const Choice& b) { return volume(a.values) < volume(b.values); };
    return Gear(kind, *index, *std::max_element(there.begin(), there.end(), smaller));
  }
  std::string known;
  for (Choice& choice : there) {
    if (choice.values == wanted) return Gear(kind, *index, std::move(choice));
    known += (known.empty() ? "" : ", ") + dims_text(choice.values);
  }
  throw std::runtime_error("--gear " + dims_text(wanted) + " is none of the model's: " + known);
}

void Gear::fill(std::vector<int64_t>& shape) {
  for (int64_t& dim : shape)
    if (dim < 0) dim = choice_.values[filled_++ % choice_.values.size()];
}

void Gear::apply(uint32_t model, aclmdlDataset* inputs) const {
  const std::vector<int64_t>& values = choice_.values;
  switch (kind_) {
    case Kind::Batch:
      CHECK(aclmdlSetDynamicBatchSize, model, inputs, index_, static_cast<uint64_t>(values[0]));
      break;
    case Kind::Image:
      CHECK(aclmdlSetDynamicHWSize, model, inputs, index_, static_cast<uint64_t>(values[0]),
            static_cast<uint64_t>(values[1]));
      break;
    case Kind::Dims:
      CHECK(aclmdlSetInputDynamicDims, model, inputs, index_, &choice_.dims);
      break;
  }
}

}  // namespace belay::tools
