// SPDX-License-Identifier: Apache-2.0
#include "executor/injection.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

#include "base/closest.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"
#include "base/text.h"
#include "executor/branch.h"
#include "graph/tensor/types.h"

namespace belay::executor {
namespace {

using backend::Layout;
using backend::Tensor;
using graph::DataType;
using Kind = OpFault::Kind;

constexpr std::string_view kOriginalNames = "_datadump_original_op_names";
constexpr uint64_t kOverwritten = 4;  // elements

std::vector<std::string> names_of(const graph::Node& node) {
  std::vector<std::string> names = graph::get_or(node.attributes, kOriginalNames, std::vector<std::string>{});
  names.push_back(node.name);
  return names;
}

// Where element `index`, counted in row-major order, is stored.
std::byte* element_at(const Tensor& tensor, int64_t index) {
  int64_t at = index;
  if (tensor.layout != Layout::Plain && tensor.shape.size() >= 2) {
    const int64_t channels = tensor.shape[1];
    int64_t inner = 1;
    for (size_t d = 2; d < tensor.shape.size(); ++d) inner *= tensor.shape[d];
    const int64_t block = tensor.layout == Layout::Blocked8 ? 8 : tensor.layout == Layout::Blocked16 ? 16 : channels;
    const int64_t n = index / (channels * inner), c = index / inner % channels, i = index % inner;
    at = ((n * ((channels + block - 1) / block) + c / block) * inner + i) * block + c % block;
  }
  return tensor.as<std::byte>() + at * static_cast<int64_t>(graph::bits_of(tensor.type) / 8);
}

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// False for a type that cannot hold it.
bool put_special(const Tensor& tensor, int64_t index, bool nan) {
  std::byte* at = element_at(tensor, index);
  using float_limits = std::numeric_limits<float>;
  using double_limits = std::numeric_limits<double>;
  switch (tensor.type) {
    case DataType::Float:
    case DataType::Complex64:
      return put(at, nan ? float_limits::quiet_NaN() : float_limits::infinity()), true;
    case DataType::Double:
    case DataType::Complex128:
      return put(at, nan ? double_limits::quiet_NaN() : double_limits::infinity()), true;
    case DataType::Float16:
      return put<uint16_t>(at, nan ? 0x7e00 : 0x7c00), true;
    case DataType::BFloat16:
      return put<uint16_t>(at, nan ? 0x7fc0 : 0x7f80), true;
    default:
      return false;
  }
}

void flip_bit(const OpFault& fault, const Tensor& tensor) {
  const uint64_t bytes = graph::bytes_of(tensor.type, tensor.count()), each = graph::bits_of(tensor.type) / 8;
  if (fault.number >= bytes)
    return say_fault_is_idle(fault, formatted("the output has {} bytes, counted from 0", bytes));
  std::byte* at = each == 0 ? tensor.as<std::byte>() + fault.number
                            : element_at(tensor, static_cast<int64_t>(fault.number / each)) + fault.number % each;
  *at ^= std::byte{1} << faults().pick(fault.text, 8);
}

void spoil(const OpFault& fault, const Tensor& tensor) {
  if (fault.kind == Kind::BitFlip) return flip_bit(fault, tensor);
  const auto index = static_cast<int64_t>(faults().pick(fault.text, static_cast<uint64_t>(tensor.count())));
  if (!put_special(tensor, index, fault.kind == Kind::Nan))
    say_fault_is_idle(fault, formatted("the output is {}", graph::name_of(tensor.type)));
}

// A kernel that does what broken kernels do: what crash@op runs in place of the operator's own.
class CrashingKernel : public backend::Kernel {
 public:
  [[gnu::noinline]] Status run(std::span<const Tensor>, std::span<Tensor>) override {
    volatile uintptr_t nowhere = 0x10;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
    return {};
  }
};

bool spoils(Kind kind) { return kind == Kind::Nan || kind == Kind::Inf || kind == Kind::BitFlip; }

}  // namespace

bool is_meant(const std::string& op, const graph::Node& node, bool single) {
  if (node.name == op || (single && node.type == op)) return true;
  return std::ranges::count(names_of(node), op) > 0;
}

void say_fault_is_idle(const OpFault& fault, const std::string& why) {
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::set<std::string>;
  const std::string text = formatted("BELAY_FAULT: {} does nothing: {}", fault.text, why);
  const LogDelay delay;
  std::lock_guard lock(mutex);
  if (said.insert(text).second) log_notice(LogModule::Ge, "{}", text);
}

void say_what_hits_nothing(const graph::Model& model) {
  if (faults().ops.empty()) return;
  std::set<std::string> known;
  for (const graph::Graph& graph : model.graphs)
    for (const graph::Node& node : graph.nodes)
      if (has_task(node))
        known.merge([&] {
          const auto names = names_of(node);
          return std::set<std::string>(names.begin(), names.end());
        }());
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const OpFault& fault : faults().ops)
    for (const std::string& op : {fault.op, fault.victim})
      if (!op.empty() && !known.contains(op))
        say_fault_is_idle(fault, formatted("there is no operator \"{}\" in model \"{}\"; the closest names are {}", op,
                                           model.name, closest_names(op, names)));
}

std::unique_ptr<Injection> Injection::make(const graph::Node& node, bool single) {
  std::unique_ptr<Injection> made;
  for (const OpFault& fault : faults().ops) {
    if (!is_meant(fault.op, node, single)) continue;
    if (!made) made = std::make_unique<Injection>();
    made->faults_.push_back(&fault);
    made->crashes_ = made->crashes_ || fault.kind == Kind::Crash;
  }
  return made;
}

Status Injection::before() const {
  for (const OpFault* fault : faults_) {
    if (fault->kind == Kind::Delay) std::this_thread::sleep_for(std::chrono::milliseconds(fault->number));
    if (fault->kind == Kind::Fail)
      return {ACL_ERROR_RT_AICORE_EXCEPTION, formatted("it fails because BELAY_FAULT says {}", fault->text)};
  }
  return {};
}

void Injection::crash(std::span<const Tensor> inputs, std::span<Tensor> outputs) const {
  (void)CrashingKernel().run(inputs, outputs);
}

void Injection::after(std::span<const Tensor> outputs, bool own) const {
  for (const OpFault* fault : faults_) {
    if (!spoils(fault->kind)) continue;
    if (outputs.empty() || !outputs[0].data || outputs[0].count() <= 0)
      say_fault_is_idle(*fault, "the output is empty");
    else if (!own)
      say_fault_is_idle(*fault, "the operator only returns its input in another shape; name the one before it");
    else
      spoil(*fault, outputs[0]);
  }
  for (const Aim& aim : aims_) overwrite(*aim.fault, *aim.victim);
}

std::vector<const OpFault*> Injection::overwrites() const {
  std::vector<const OpFault*> found;
  for (const OpFault* fault : faults_)
    if (fault->kind == Kind::Overwrite) found.push_back(fault);
  return found;
}

void overwrite(const OpFault& fault, const Tensor& victim) {
  const uint64_t each = graph::bits_of(victim.type) / 8;
  if (!victim.data || victim.count() <= 0 || each == 0)
    return say_fault_is_idle(fault, formatted("the output of \"{}\" has no bytes", fault.victim));
  const auto count = static_cast<uint64_t>(victim.count());
  const uint64_t hit = std::min(kOverwritten, count);
  const uint64_t first = faults().pick(fault.text, count - hit + 1);
  for (uint64_t i = first; i < first + hit; ++i) {
    std::byte* at = element_at(victim, static_cast<int64_t>(i));
    for (uint64_t b = 0; b < each; ++b) at[b] = ~at[b];
  }
}

}  // namespace belay::executor
