// SPDX-License-Identifier: Apache-2.0
#include "executor/faults/injection.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include "base/closest.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"
#include "base/text.h"
#include "executor/branch.h"
#include "executor/faults/spoiling.h"
#include "graph/tensor/types.h"

namespace belay::executor {
namespace {

using backend::Tensor;
using Kind = OpFault::Kind;

constexpr std::string_view kOriginalNames = "_datadump_original_op_names";

std::vector<std::string> names_of(const graph::Node& node) {
  std::vector<std::string> names = graph::get_or(node.attributes, kOriginalNames, std::vector<std::string>{});
  names.push_back(node.name);
  return names;
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
    else if (fault->kind == Kind::Stale)
      first_result_again(*fault, outputs[0]);
    else
      spoil(*fault, outputs[0]);
  }
  for (const Aim& aim : aims_) overwrite(*aim.fault, *aim.victim);
}

void Injection::first_result_again(const OpFault& fault, const Tensor& output) const {
  const auto bytes = row_major(output);
  if (first_.empty()) {
    first_ = bytes;
    return;
  }
  if (first_.size() != bytes.size())
    return say_fault_is_idle(fault, "the output has another size than that of the first run");
  put_row_major(output, first_);
}

std::vector<const OpFault*> Injection::overwrites() const {
  std::vector<const OpFault*> found;
  for (const OpFault* fault : faults_)
    if (fault->kind == Kind::Overwrite) found.push_back(fault);
  return found;
}

}  // namespace belay::executor
