// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/tensor_recorder.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backend/layout.h"
#include "base/device_memory.h"
#include "base/exception_words.h"
#include "base/faults.h"
#include "base/threads/parallel.h"
#include "dump/format/csv.h"
#include "dump/format/names.h"

namespace belay::dump {
namespace {

constexpr int64_t kBytesPerThread = 512 << 10;  // where threads begin to pay

Dims dims_of(const graph::Shape& shape) { return {shape.begin(), shape.end()}; }

bool plain(const Tensor& tensor) { return tensor.layout == backend::Layout::Plain; }

Status copy_row_major(const Tensor& tensor, std::byte* to, size_t bytes) {
  if (!plain(tensor)) {
    Tensor target{tensor.type, tensor.shape, backend::Layout::Plain, to};
    return backend::reorder(tensor, target);
  }
  parallel_for(static_cast<int64_t>(bytes), kBytesPerThread, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, tensor.as<std::byte>() + begin, static_cast<size_t>(end - begin));
  });
  return {};
}

}  // namespace

void TensorRecorder::forget_values() {
  copies_.clear();
  measured_.clear();
}

const Statistics* TensorRecorder::Taken::find(size_t port) const {
  const auto found = std::ranges::find(inputs, port, &std::pair<size_t, Statistics>::first);
  return found == inputs.end() ? nullptr : &found->second;
}

uint64_t TensorRecorder::bytes_of(const Entries& entries) {
  uint64_t sum = 0;
  for (const Entry& entry : entries) sum += entry.header.size;
  return sum;
}

void TensorRecorder::add_entry(Entries& entries, const Tensor& tensor, bool input, const ChosenTensor& chosen,
                               const Statistics* measured) {
  const uint64_t bytes = graph::bytes_of(tensor.type, tensor.count());
  if (!tensor.present || (!tensor.data && bytes > 0)) return;
  TensorEntry header{.data_type = graph::to_proto(tensor.type),
                     .format = chosen.format,
                     .shape = dims_of(tensor.shape),
                     .original_op = chosen.original_op,
                     .size = bytes,
                     .sub_format = chosen.sub_format,
                     .address = reinterpret_cast<uint64_t>(device_address(tensor.data))};
  const bool known = graph::is_known(chosen.original_shape) &&
                     (chosen.stored || graph::element_count(chosen.original_shape) == tensor.count());
  header.original_shape = dims_of(known ? chosen.original_shape : tensor.shape);
  if (chosen.measured && graph::element_count(chosen.constant->shape) == tensor.count())
    measured = chosen.measured.get();
  // A fault that overwrites values makes what was known of them wrong.
  static const bool values_change = faults().has(OpFault::Kind::Overwrite);
  entries.push_back({&tensor, input, std::move(header), chosen.constant, measured,
                     values_change ? ValueKey{} : chosen.value, chosen.stored});
}

void TensorRecorder::record(const Setting& setting, const std::string& directory, const RunInfo& run,
                            const ChosenNode& chosen, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  Entries entries;
  const Taken taken = std::exchange(taken_, {});
  for (const ChosenTensor& tensor : chosen.inputs)
    if (tensor.port < inputs.size())
      add_entry(entries, inputs[tensor.port], true, tensor, taken.of == &chosen ? taken.find(tensor.port) : nullptr);
  for (const ChosenTensor& tensor : chosen.outputs)
    if (tensor.port < outputs.size()) add_entry(entries, outputs[tensor.port], false, tensor);
  if (!chosen.with_empty) std::erase_if(entries, [](const Entry& entry) { return entry.header.size == 0; });
  if (entries.empty()) return;
  const uint64_t time = next_time();
  Place place{setting.root, directory, chosen.stem + "." + file_suffix(run.task_id, run.stream_id, time)};
  if (taken.of == &chosen && !taken.status.ok())
    return outlet_.dropped(*setting.root, bytes_of(entries), taken.status.message);
  emit(setting, std::move(place), chosen.name, time, entries);
}

void TensorRecorder::measure_inputs(const Setting& setting, const ChosenNode& chosen, std::span<const Tensor> inputs) {
  taken_ = {&chosen};
  try {
    take_statistics(setting, chosen, inputs);
  } catch (const std::exception& e) {
    taken_.status = {ACL_ERROR_FAILURE, exception_words(e)};
  }
}

void TensorRecorder::take_statistics(const Setting& setting, const ChosenNode& chosen, std::span<const Tensor> inputs) {
  Entries entries;
  for (const ChosenTensor& tensor : chosen.inputs) {
    if (tensor.port >= inputs.size()) continue;
    entries.clear();
    add_entry(entries, inputs[tensor.port], true, tensor);
    for (const Entry& entry : entries)
      taken_.inputs.emplace_back(tensor.port, statistics_of(entry, setting.config.statistics & kL2Norm));
  }
}

void TensorRecorder::record_data(const Setting& setting, const std::string& directory, const RunInfo& run,
                                 const ChosenData& chosen, std::span<const Tensor> inputs) {
  if (chosen.port >= inputs.size()) return;
  Entries entries;
  add_entry(entries, inputs[chosen.port], false,
            {.format = chosen.format, .sub_format = chosen.sub_format, .value = chosen.value});
  if (entries.empty()) return;
  entries[0].header.original_shape = Dims();  // present and empty
  const uint64_t time = next_time();
  Place place{setting.root, directory, chosen.stem + "." + file_suffix(run.task_id, run.stream_id, time)};
  emit(setting, std::move(place), chosen.name, time, entries);
}

void TensorRecorder::emit(const Setting& setting, Place place, const std::string& name, uint64_t time,
                          const Entries& entries) {
  Outgoing item{.place = std::move(place)};
  Status status;
  try {
    if (setting.config.stats) {
      item.place.name += ".csv";
      emit_statistics(item, setting.config, entries);
    } else {
      status = emit_tensors(item, name, time, entries);
    }
  } catch (const std::exception& e) {
    status = {ACL_ERROR_FAILURE, exception_words(e)};
  }
  if (!status.ok()) outlet_.dropped(*setting.root, bytes_of(entries), status.message);  // the item may have been moved
}

void TensorRecorder::submit(Outgoing item) {
  in_batches_ ? outlet_.submit_to_batch(std::move(item)) : outlet_.submit(std::move(item));
}

void TensorRecorder::emit_statistics(Outgoing& item, const DumpConfig& config, const Entries& entries) {
  item.head = csv_header(config.statistics);
  size_t inputs = 0, outputs = 0;
  for (const Entry& entry : entries) {
    StatisticsRow row{.input = entry.input,
                      .index = entry.input ? inputs++ : outputs++,
                      .bytes = entry.header.size,
                      .type = entry.tensor->type,
                      .format = entry.header.format,
                      .shape = entry.tensor->shape};
    row.values = statistics_of(entry, config.statistics & kL2Norm);
    item.head += csv_row(row, config.statistics);
  }
  item.counted = outlet_.reserve(kFileOverhead + item.head.size()).take_rest();
  submit(std::move(item));
}

Statistics TensorRecorder::statistics_of(const Entry& entry, bool with_l2norm) {
  const Tensor& tensor = *entry.tensor;
  if (entry.measured) return *entry.measured;
  KnownStatistics* known = entry.value.node ? &measured_[entry.value] : nullptr;
  if (known && known->values.known && known->count == tensor.count() && known->l2norm >= with_l2norm)
    return known->values;
  const Statistics found = measure(tensor.type, tensor.data, static_cast<uint64_t>(tensor.count()), with_l2norm);
  if (known) *known = {tensor.count(), with_l2norm, found};
  return found;
}

bool TensorRecorder::add_constant(const Entry& entry, Piece& piece) {
  const graph::Constant* constant = entry.constant;
  if (!constant || !constant->owner || constant->type != entry.tensor->type) return false;
  if (constant->bytes.size() < entry.header.size) return false;
  piece = {constant->bytes.data(), entry.header.size, constant->owner};
  return true;
}

bool TensorRecorder::add_known(const Entry& entry, Piece& piece) const {
  const auto found = entry.value.node && !entry.stored ? copies_.find(entry.value) : copies_.end();
  if (found == copies_.end() || found->second.bytes != entry.header.size) return false;
  auto copy = found->second.copy.lock();
  if (!copy) return false;
  piece = {copy.get(), entry.header.size, std::move(copy)};
  return true;
}

Status TensorRecorder::copy(const Entry& entry, BufferPool::Reservation& room, Piece& piece) {
  const auto memory = room.take(entry.header.size);
  TRY(copy_row_major(*entry.tensor, memory.get(), entry.header.size));
  if (entry.value.node && !entry.stored) copies_[entry.value] = {entry.header.size, memory};
  piece = {memory.get(), entry.header.size, memory};
  return {};
}

// The stream waits until the tensors have been written from where they are.
Status TensorRecorder::stream_large(Outgoing& item, const Entries& entries) {
  size_t to_copy = 0;
  for (const Entry& entry : entries)
    if (!plain(*entry.tensor)) to_copy += entry.header.size;
  auto room = outlet_.reserve(to_copy + kFileOverhead);
  for (const Entry& entry : entries) {
    Piece piece{entry.tensor->data, entry.header.size};
    if (!plain(*entry.tensor) && !add_constant(entry, piece)) TRY(copy(entry, room, piece));
    item.pieces.push_back(std::move(piece));
  }
  outlet_.submit_and_wait(std::move(item));
  return {};
}

Status TensorRecorder::emit_tensors(Outgoing& item, const std::string& name, uint64_t time, const Entries& entries) {
  if (std::ranges::all_of(entries, [](const Entry& entry) { return entry.header.size == 0; })) return {};
  Header header{.dump_time = time, .op_name = name};
  for (const Entry& entry : entries) (entry.input ? header.inputs : header.outputs).push_back(entry.header);
  item.head = TRY(encode(header));

  std::vector<Piece> pieces(entries.size());
  size_t to_copy = 0, at_most = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (add_constant(entries[i], pieces[i])) continue;
    at_most += entries[i].header.size;
    if (!add_known(entries[i], pieces[i])) to_copy += entries[i].header.size;
  }
  const size_t limit = outlet_.memory().limit();
  if (to_copy > limit / 2 && outlet_.may_wait()) {
    pieces.clear();
    return stream_large(item, entries);
  }
  const bool room_now = outlet_.memory().try_reserve(to_copy + kFileOverhead);
  if (!room_now)  // we must wait: nobody may wait while holding copies of others
    for (size_t i = 0; i < entries.size(); ++i)
      if (!entries[i].constant) pieces[i] = {};
  auto room = room_now ? outlet_.memory().granted(to_copy + kFileOverhead) : outlet_.reserve(at_most + kFileOverhead);
  for (size_t i = 0; i < entries.size(); ++i)
    if (!pieces[i].owner && entries[i].header.size > 0) TRY(copy(entries[i], room, pieces[i]));
  item.pieces = std::move(pieces);
  item.counted = room.take_rest();
  submit(std::move(item));
  return {};
}

}  // namespace belay::dump
