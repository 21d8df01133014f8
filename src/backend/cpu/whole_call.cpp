// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/whole_call.h"

#include <bit>
#include <cstring>

#include "backend/cpu/simd/convert_floats.h"
#include "base/text.h"
#include "graph/infer/arguments.h"

namespace belay::backend::cpu {
namespace {

template <class T>
void widen(const Tensor& from, int64_t begin, int64_t count, float* to) {
  const T* source = from.as<T>() + begin;
  for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(source[i]);
}

}  // namespace

WholeCall::WholeCall(const KernelRequest& request)
    : request_(request),
      ports_(graph::get_or(request.node.attributes, "ports", std::vector<std::string>{})),
      results_(graph::ints_of(request.node, "results")) {}

std::vector<size_t> WholeCall::inputs(std::string_view name) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < ports_.size(); ++i)
    if (ports_[i] == name) found.push_back(i);
  return found;
}

int WholeCall::even_empty(std::string_view name) const {
  const auto found = inputs(name);
  return found.empty() ? -1 : static_cast<int>(found[0]);
}

int WholeCall::input(std::string_view name) const {
  const int found = even_empty(name);
  return found >= 0 && graph::element_count(info(found).shape) > 0 ? found : -1;
}

std::vector<size_t> WholeCall::outputs(size_t target) const {
  std::vector<size_t> found;
  for (size_t i = 0; i < results_.size(); ++i)
    if (results_[i] == static_cast<int64_t>(target)) found.push_back(i);
  return found;
}

int WholeCall::output(size_t target) const {
  const auto found = outputs(target);
  return found.empty() ? -1 : static_cast<int>(found[0]);
}

int WholeCall::result_named(std::string_view role) const {
  const std::string roles = text("roles");
  size_t target = 0;
  for (std::string_view rest = roles; !rest.empty(); ++target) {
    const size_t end = rest.find(' ');
    if (rest.substr(0, end) == role) return output(target);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return -1;
}

int64_t WholeCall::integer(std::string_view attribute, int64_t fallback) const {
  if (const bool* flag = graph::get_if<bool>(request_.node.attributes, attribute)) return *flag;
  return graph::get_or(request_.node.attributes, attribute, fallback);
}

double WholeCall::real(std::string_view attribute, double fallback) const {
  if (graph::get_if<int64_t>(request_.node.attributes, attribute)) return static_cast<double>(integer(attribute));
  return graph::get_or(request_.node.attributes, attribute, static_cast<float>(fallback));
}

std::string WholeCall::text(std::string_view attribute, std::string fallback) const {
  return graph::get_or(request_.node.attributes, attribute, std::move(fallback));
}

std::vector<int64_t> WholeCall::ints(std::string_view attribute) const {
  return graph::ints_of(request_.node, attribute);
}

Status WholeCall::absent(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (input(name) >= 0) return refuse(formatted("{} is not supported; give null", name));
  return {};
}

Status WholeCall::filled(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names)
    if (const int given = even_empty(name); given >= 0 && input(name) < 0)
      return refuse(formatted("{} has shape {}, which has no elements", name, graph::to_text(info(given).shape)));
  return {};
}

Status WholeCall::all_of(std::initializer_list<std::string_view> names, bool (*known)(DataType)) const {
  for (const std::string_view name : names)
    for (const size_t each : inputs(name))
      if (const auto& given = info(static_cast<int>(each)); !known(given.type) && graph::element_count(given.shape) > 0)
        return refuse(formatted("{} of {} is not supported", name, graph::name_of(given.type)));
  return {};
}
Status WholeCall::all_real(std::initializer_list<std::string_view> names) const { return all_of(names, is_real); }
Status WholeCall::all_numbers(std::initializer_list<std::string_view> names) const {
  return all_of(names, reads_floats);
}

bool is_real(DataType type) { return is_float_storage(type); }

bool reads_floats(DataType type) {
  using enum DataType;
  return is_real(type) || type == Int8 || type == UInt8 || type == Int32 || type == Int64 || type == UInt64 ||
         type == Int4;
}

void read_floats(const Tensor& from, int64_t begin, int64_t count, float* to) {
  if (count <= 0) return;
  switch (from.type) {
    case DataType::Int8:
      return widen<int8_t>(from, begin, count, to);
    case DataType::UInt8:
      return widen<uint8_t>(from, begin, count, to);
    case DataType::Int32:
      return widen<int32_t>(from, begin, count, to);
    case DataType::Int64:
      return widen<int64_t>(from, begin, count, to);
    case DataType::UInt64:
      for (int64_t i = 0; i < count; ++i)
        to[i] = std::bit_cast<float>(static_cast<uint32_t>(from.as<uint64_t>()[begin + i]));
      return;
    case DataType::Int4:
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(int4_at(from.data, begin + i));
      return;
    default: {
      const size_t bytes = float_storage_bytes(from.type);
      load_floats(from.type, from.as<std::byte>() + static_cast<size_t>(begin) * bytes, to, static_cast<size_t>(count));
    }
  }
}

void write_floats(const float* from, int64_t count, Tensor& to, int64_t begin) {
  if (count <= 0) return;
  const size_t bytes = float_storage_bytes(to.type);
  store_floats(to.type, from, to.as<std::byte>() + static_cast<size_t>(begin) * bytes, static_cast<size_t>(count));
}

void copy_unless_same(const Tensor& from, Tensor& to) {
  if (from.data != to.data && to.bytes() > 0) std::memcpy(to.data, from.data, to.bytes());
}

std::vector<float> all_floats(const Tensor& tensor) {
  if (!tensor.present) return {};
  std::vector<float> made(static_cast<size_t>(tensor.count()));
  read_floats(tensor, 0, tensor.count(), made.data());
  return made;
}

bool holds_int4(DataType type) { return type == DataType::Int4 || type == DataType::Int32; }

}  // namespace belay::backend::cpu
