// SPDX-License-Identifier: Apache-2.0
#include "base/faults.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "base/endings/trap.h"
#include "base/log/log.h"
#include "base/text.h"

namespace belay {
namespace {

using Kind = OpFault::Kind;

constexpr uint64_t kLongestDelay = 3'600'000;  // an hour

struct Form {
  std::string_view name;
  Kind kind;
  std::string_view looks;
};
constexpr std::array kForms = {
    Form{"nan", Kind::Nan, "nan@op"},
    Form{"inf", Kind::Inf, "inf@op"},
    Form{"bitflip", Kind::BitFlip, "bitflip@op:offset"},
    Form{"stuck", Kind::StuckBit, "stuck@op:bit"},
    Form{"transpose", Kind::Transpose, "transpose@op"},
    Form{"shift", Kind::Shift, "shift@op"},
    Form{"saturate", Kind::Saturate, "saturate@op"},
    Form{"stale", Kind::Stale, "stale@op"},
    Form{"halfsum", Kind::HalfSum, "halfsum@op"},
    Form{"overwrite", Kind::Overwrite, "overwrite@op->op"},
    Form{"fail", Kind::Fail, "fail@op"},
    Form{"crash", Kind::Crash, "crash@op"},
    Form{"delay", Kind::Delay, "delay@op:ms"},
};

Status wrong(std::string_view part, std::string_view why) {
  return {ACL_ERROR_INVALID_PARAM, formatted("BELAY_FAULT: \"{}\" {}", part, why), "EH0001"};
}

std::string all_forms() {
  std::string text;
  for (const Form& form : kForms) text += std::string(form.looks) + ", ";
  return text + "alloc@n, enospc@bytes, device=number or seed=number";
}

// Takes the number behind the last colon of `op` away from it.
std::optional<uint64_t> take_number(std::string& op) {
  const size_t colon = op.rfind(':');
  const auto number = colon == op.npos ? std::nullopt : parse_number(std::string_view(op).substr(colon + 1));
  if (number) op.resize(colon);
  return number;
}

Result<OpFault> parse_op_fault(const Form& form, std::string_view part, std::string_view target) {
  OpFault fault{.kind = form.kind, .op = std::string(target), .text = std::string(part)};
  if (form.kind == Kind::BitFlip || form.kind == Kind::StuckBit || form.kind == Kind::Delay) {
    const auto number = take_number(fault.op);
    if (!number) return wrong(part, formatted("must look like {}", form.looks));
    fault.number = *number;
    if (form.kind == Kind::Delay && *number > kLongestDelay)
      return wrong(part, formatted("delays longer than {} ms", kLongestDelay));
  }
  if (form.kind == Kind::Overwrite) {
    const size_t arrow = fault.op.find("->");
    if (arrow == fault.op.npos) return wrong(part, formatted("must look like {}", form.looks));
    fault.victim = trimmed(std::string_view(fault.op).substr(arrow + 2));
    fault.op = trimmed(std::string_view(fault.op).substr(0, arrow));
    if (fault.victim.empty()) return wrong(part, "names no operator after \"->\"");
    if (fault.victim == fault.op) return wrong(part, "lets an operator overwrite its own output");
  }
  if (fault.op.empty()) return wrong(part, formatted("names no operator; it must look like {}", form.looks));
  return fault;
}

Status parse_part(std::string_view part, Faults& faults) {
  if (part.starts_with("seed=")) {
    const auto number = parse_number(part.substr(5));
    if (!number) return wrong(part, "must be seed= and a number");
    faults.seed = *number;
    return {};
  }
  if (part.starts_with("device=")) {
    const auto number = parse_number(part.substr(7));
    if (!number || *number > INT32_MAX) return wrong(part, "must be device= and the number of a device");
    faults.device = static_cast<int>(*number);
    return {};
  }
  const size_t at = part.find('@');
  if (at == part.npos) return wrong(part, "is none of " + all_forms());
  const std::string_view name = part.substr(0, at), target = trimmed(part.substr(at + 1));
  if (name == "alloc") {
    faults.failing_allocation = parse_number(target);
    if (!faults.failing_allocation || *faults.failing_allocation == 0)
      return wrong(part, "must be alloc@ and a number from 1 on");
    return {};
  }
  if (name == "enospc") {
    faults.disk_bytes = parse_size(target);
    return faults.disk_bytes ? Status{} : wrong(part, "must be enospc@ and a size such as 4096 or 1M");
  }
  const auto form = std::ranges::find(kForms, name, &Form::name);
  if (form == kForms.end()) return wrong(part, "is none of " + all_forms());
  faults.ops.push_back(TRY(parse_op_fault(*form, part, target)));
  return {};
}

uint64_t mixed(uint64_t value) {  // splitmix64's last steps: every bit of the result depends on every bit of `value`
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

struct Current {
  Faults faults;
  Status problem;
};

Current& current() {
  static auto& only = *[] {
    auto* made = new Current;
    const char* text = std::getenv("BELAY_FAULT");
    if (!text) return made;
    auto parsed = parse_faults(text);
    if (parsed.ok())
      made->faults = std::move(parsed).value();
    else
      made->problem = parsed.status();
    return made;
  }();
  return only;
}

std::atomic<uint64_t> allocations{0}, disk_bytes_used{0};

}  // namespace

bool Faults::has(Kind kind) const {
  return std::ranges::any_of(ops, [=](const OpFault& fault) { return fault.kind == kind; });
}

uint64_t Faults::pick(std::string_view text, uint64_t limit) const {
  uint64_t state = mixed(seed + 0x9e3779b97f4a7c15u);
  for (const char c : text) state = mixed(state + static_cast<unsigned char>(c) + 0x9e3779b97f4a7c15u);
  return state % limit;
}

Result<Faults> parse_faults(std::string_view text) {
  Faults faults;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty()) TRY(parse_part(part, faults));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return faults;
}

const Faults& faults() { return current().faults; }

Status check_faults() {
  TRY(current().problem);
  if (faults().has(Kind::Crash)) enable_traps();
  if (faults().any())
    log_notice(LogModule::AscendCl, "faults are injected on purpose, because BELAY_FAULT is \"{}\"",
               std::getenv("BELAY_FAULT"));
  return {};
}

void keep_disk_faults() {
  Faults kept;
  kept.disk_bytes = faults().disk_bytes;
  set_faults(std::move(kept));
}

void set_faults(Faults faults) {
  current() = {std::move(faults), {}};
  allocations = disk_bytes_used = 0;
}

bool allocation_fails() {
  const auto& failing = faults().failing_allocation;
  return failing && ++allocations == *failing;
}

bool disk_is_full(uint64_t bytes) {
  const auto& room = faults().disk_bytes;
  if (!room) return false;
  const uint64_t before = disk_bytes_used.fetch_add(bytes);
  if (before <= *room && bytes <= *room - before) return false;
  disk_bytes_used.fetch_sub(bytes);
  return true;
}

}  // namespace belay
